"""Depthwise convolutions of images that are turned round give what those of flat images give."""

from typing import Any
from unittest import mock

import numpy as np
import pytest

from hy_kernels.numpy.nn import conv
from hy_kernels.numpy.nn.convolution import _depthwise, _flat

GEOMETRIES = [
    ((3, 3), (1, 1), (1, 1), (1, 1)),
    ((3, 3), (2, 2), (1, 1), (1, 1)),
    ((3, 3), (2, 2), (1, 1), (0, 0)),
    ((3, 2), (2, 1), (1, 2), (0, 1)),
    ((3, 3), (1, 1), (2, 2), (2, 2)),
    ((5, 3), (1, 2), (1, 1), (1, 1)),
    ((2, 2), (1, 1), (1, 1), (3, 3)),
    ((2, 2), (3, 2), (1, 1), (0, 0)),
    ((1, 1), (2, 2), (1, 1), (1, 1)),
]


def _all(x: Any, w: Any, how: Any, memory: bool) -> list[Any]:
    """The convolution and its gradients, perhaps in memory that is there."""

    def given(shape: Any) -> Any:
        return [np.full(shape, 9, x.dtype)] if memory else None

    y = conv.convolution_project(x, w, **how)
    dy = np.cos(y)
    return [
        conv.convolution_project(x, w, **how, out=given(y.shape)),
        conv.convolution_backward_data(dy, w, x, **how, out=given(x.shape)),
        conv.convolution_backward_weight(dy, x, w, **how, out=given(w.shape)),
    ]


@pytest.mark.parametrize("memory", [False, True])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("shape", [(1, 5, 9, 8), (3, 4, 8, 11), (2, 700, 6, 7)])
@pytest.mark.parametrize(("kernel", "stride", "dilate", "pad"), GEOMETRIES)
def test_turned_images_give_what_flat_ones_give(
    rng: np.random.Generator,
    kernel: Any,
    stride: Any,
    dilate: Any,
    pad: Any,
    shape: Any,
    layout: str,
    memory: bool,
) -> None:
    x, w = rng.standard_normal(shape), rng.standard_normal((shape[1], 1, *kernel))
    if layout == "NHWC":
        x, w = (np.ascontiguousarray(np.moveaxis(a, 1, -1)) for a in (x, w))
    how = {"stride": stride, "dilate": dilate, "pad": pad, "num_group": shape[1], "layout": layout}
    found = _all(x, w, how, memory)
    with mock.patch.object(_depthwise, "depthwise_order", return_value="first"):
        expected = _all(x, w, how, memory)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("stride", [(1, 1), (2, 2)])
def test_small_images_are_turned_round(rng: np.random.Generator, stride: Any) -> None:
    x, w = rng.standard_normal((2, 8, 7, 7)), rng.standard_normal((8, 1, 3, 3))
    how = {"stride": stride, "dilate": (), "pad": (1, 1), "num_group": 8, "layout": None}
    with mock.patch.object(_flat.Flat, "phases", side_effect=AssertionError):
        _all(x, w, how, memory=False)
