"""Convolution of one image, in fewer calls, gives what convolution gives."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn.conv import convolution
from hy_kernels.numpy.nn.convolution._single import of_one_image


def drawn(shape: tuple[int, ...], dtype: str, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def parameters(
    filters: int,
    kernel: tuple[int, ...],
    stride: tuple[int, ...] = (),
    dilate: tuple[int, ...] = (),
    pad: tuple[int, ...] = (),
    **more: Any,
) -> dict[str, Any]:
    how = {"kernel": kernel, "stride": stride, "dilate": dilate, "pad": pad}
    return {**how, "num_filter": filters, "num_group": 1, "layout": None, **more}


def types_of(*arrays: Any) -> list[tuple[tuple[int, ...], str] | None]:
    return [None if x is None else (x.shape, x.dtype.name) for x in arrays]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(
    ("size", "params"),
    [
        ((9,), parameters(3, (2,), pad=(1,))),
        ((1, 1), parameters(4, (1, 1))),
        ((7, 6), parameters(4, (1, 1))),
        ((7, 6), parameters(4, (1, 1), stride=(2, 3))),
        ((7, 6), parameters(2, (3, 3))),
        ((7, 6), parameters(5, (3, 2), (2, 1), (1, 2), (2, 1))),
        ((7, 6), parameters(5, (3, 3), pad=(1, 1), layout="NCHW")),
        ((4, 3, 5), parameters(2, (2, 3, 1), pad=(0, 1, 1))),
        ((61, 80), parameters(16, (3, 3), pad=(1, 1))),  # in blocks, the last one is smaller
        ((101, 100), parameters(15, (3, 3), (2, 1), pad=(1, 1))),
        ((25_000,), parameters(16, (3,))),
        ((300, 1000), parameters(2, (1, 1))),
    ],
)
def test_the_result_is_the_same(
    size: tuple[int, ...], params: dict[str, Any], biased: bool, dtype: str
) -> None:
    x = drawn((1, 3, *size), dtype, 0)
    weight = drawn((params["num_filter"], 3, *params["kernel"]), dtype, 1)
    bias = drawn((params["num_filter"],), dtype, 2) if biased else None
    convolve = of_one_image(types_of(x, weight, bias), params)
    assert convolve is not None
    rest: dict[str, Any] = {
        "workspace": 1,
        "no_bias": not biased,
        "cudnn_tune": None,
        "cudnn_off": False,
    }
    expected = convolution(x, weight, bias, **params, **rest)
    tolerance = 1e-6 * np.abs(expected).max()  # sums of some processors differ in their order
    np.testing.assert_allclose(convolve(x, weight, bias), expected, rtol=1e-5, atol=tolerance)
    out = np.full_like(expected, np.nan)
    assert convolve(x, weight, bias, out=(out,)) is out
    np.testing.assert_allclose(out, expected, rtol=1e-5, atol=tolerance)


@pytest.mark.parametrize(
    ("data", "weight", "dtype", "params"),
    [
        ((2, 3, 5, 5), (4, 3, 1, 1), "float32", parameters(4, (1, 1))),
        ((1, 3, 5, 5), (4, 3, 1, 1), "float16", parameters(4, (1, 1))),
        ((1, 4, 5, 5), (4, 2, 1, 1), "float32", parameters(4, (1, 1), num_group=2)),
        ((1, 5, 5, 3), (4, 1, 1, 3), "float32", parameters(4, (1, 1), layout="NHWC")),
        ((1, 3, 5, 5), (4, 2, 1, 1), "float32", parameters(4, (1, 1))),  # it does not fit
        ((1, 256, 99, 99), (64, 256, 3, 3), "float32", parameters(64, (3, 3))),
    ],
    ids=["a batch", "float16", "groups", "NHWC", "wrong", "large"],
)
def test_other_convolutions_are_left(
    data: tuple[int, ...], weight: tuple[int, ...], dtype: str, params: dict[str, Any]
) -> None:
    assert of_one_image([(data, dtype), (weight, dtype)], params) is None
