"""Convolution: however an image is taken apart, and whichever method, the result is the same."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution import _convolve, _gradients, _nchw_winograd
from hy_kernels.numpy.nn.convolution.select import Problem, nchw
from tests.changed_costs import change_costs

GEOMETRIES = [
    # size, kernel, stride, dilate, pad, groups
    ((9,), (3,), (2,), (1,), (1,), 1),
    ((8, 7), (3, 2), (1, 1), (1, 2), (1, 0), 2),
    ((9, 6), (2, 3), (2, 1), (2, 1), (2, 2), 1),
    ((5, 4, 4), (3, 2, 2), (1, 2, 1), (1, 1, 1), (2, 0, 1), 1),
]


def everything(data: Any, weight: Any, dy: Any, windows: Windows, groups: int) -> list[Any]:
    """The convolution and its gradients."""
    return [
        _convolve.forward(data, weight, windows, groups),
        _gradients.backward_data(dy, weight, np.empty_like(data), windows, groups),
        _gradients.backward_weight(dy, data, np.empty_like(weight), windows, groups),
    ]


@pytest.mark.parametrize("geometry", GEOMETRIES, ids=str)
@pytest.mark.parametrize("block", [1, 300])
def test_strips_are_the_whole(
    geometry: Any, block: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    size, kernel, stride, dilate, pad, groups = geometry
    windows = Windows.of(size, kernel, stride, dilate, pad)
    data = rng.standard_normal((2, 2 * groups, *size))
    weight = rng.standard_normal((3 * groups, 2, *kernel))
    dy = rng.standard_normal((2, 3 * groups, *windows.number))
    whole = everything(data, weight, dy, windows, groups)
    change_costs(monkeypatch, blocks={"columns": block})
    for one, other in zip(everything(data, weight, dy, windows, groups), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("stride", [(1, 1, 1), (2, 1, 2)])
@pytest.mark.parametrize("pad", [(0, 0, 0), (1, 2, 0)])
@pytest.mark.parametrize("block", [1, 2000])
def test_planes_are_columns_of_all_axes(
    stride: Any, pad: Any, block: int, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    windows = Windows.of((6, 5, 7), (3, 2, 3), stride, (1, 2, 1), pad)
    data, weight = rng.standard_normal((2, 3, 6, 5, 7)), rng.standard_normal((4, 3, 3, 2, 3))
    dy = rng.standard_normal((2, 4, *windows.number))
    problem = Problem(2, 3, 4, 1, windows)
    change_costs(monkeypatch, convolution={"plane": 1 << 30})
    assert nchw(problem) == "im2col"
    whole = everything(data, weight, dy, windows, 1)
    change_costs(monkeypatch, convolution={"plane": 1}, blocks={"columns": block})
    assert nchw(problem) == "planes"
    for one, other in zip(everything(data, weight, dy, windows, 1), whole, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("size", "pad"),
    [
        *(((8, 8), pad) for pad in ((0, 0), (1, 1), (2, 1))),
        *(((7, 9), pad) for pad in ((0, 0), (1, 1), (2, 1))),
        *(((2, 3), pad) for pad in ((1, 1), (2, 1))),  # without, no window fits
    ],
)
def test_winograd_is_convolution(
    size: tuple[int, int], pad: tuple[int, int], rng: np.random.Generator
) -> None:
    windows = Windows.of(size, (3, 3), (1, 1), (1, 1), pad)
    data, weight = rng.standard_normal((3, 4, *size)), rng.standard_normal((5, 4, 3, 3))
    dy = rng.standard_normal((3, 5, *windows.number))
    y, _, dweight = everything(data, weight, dy, windows, 1)
    found = np.empty_like(y)
    _nchw_winograd.forward(data, _nchw_winograd.panels(weight), windows, found)
    np.testing.assert_allclose(found, y, rtol=1e-9, atol=1e-12)
    filled = np.empty_like(dweight)
    _nchw_winograd.backward_weight(dy, data, filled, windows)
    np.testing.assert_allclose(filled, dweight, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize("batch", [1, 5])
@pytest.mark.parametrize(
    ("size", "kernel", "stride", "pad"),
    [
        ((2, 2), (3, 3), (1, 1), (1, 1)),
        ((4, 3), (1, 1), (1, 1), (0, 0)),
        ((5, 4), (3, 2), (2, 1), (0, 1)),
    ],
    ids=["3x3", "points", "apart"],
)
def test_gradients_of_large_weights_are_adjoint_to_the_convolution(
    rng: np.random.Generator, size: Any, kernel: Any, stride: Any, pad: Any, batch: int, groups: int
) -> None:
    x = rng.standard_normal((batch, 256, *size))
    w = rng.standard_normal((512, 256 // groups, *kernel))
    windows = _convolve.windows_of(x, w, stride, (1, 1), pad, groups)
    y = _convolve.forward(x, w, windows, groups)
    dy = rng.standard_normal(y.shape)
    dx = _gradients.backward_data(dy, w, np.full_like(x, np.nan), windows, groups)
    dw = _gradients.backward_weight(dy, x, np.full_like(w, np.nan), windows, groups)
    for other in (x, rng.standard_normal(x.shape)):
        made = (dy * _convolve.forward(other, w, windows, groups)).sum()
        np.testing.assert_allclose((dx * other).sum(), made, rtol=1e-9)
    for other in (w, rng.standard_normal(w.shape)):
        made = (dy * _convolve.forward(x, other, windows, groups)).sum()
        np.testing.assert_allclose((dw * other).sum(), made, rtol=1e-9)
