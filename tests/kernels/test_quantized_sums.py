"""Sums of products of small integers: exact, in one range whatever ranges the weights have."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import NDArray, nd

INT32 = 2.0**31 - 1
IMAGE, KERNEL = 6, 3


def drawn(dtype: str, *shape: int) -> Any:
    """Numbers near the ends of the dtype, odd ones, so that halves and quarters show."""
    top = np.iinfo(dtype).max
    return (top - 2 * np.random.default_rng(0).integers(0, 3, shape)).astype(dtype)


def ends(*magnitudes: float) -> list[Any]:
    return [nd.array([x]) for m in magnitudes for x in (-m, m)]


def dense(data: Any, weight: Any, limits: list[Any]) -> list[NDArray]:
    x, w = nd.array(data, dtype=data.dtype), nd.array(weight, dtype=weight.dtype)
    return nd.contrib.quantized_fully_connected(
        x, w, None, *limits, num_hidden=len(weight), no_bias=True
    )


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("inner", [500, 530, 1040, 5000])
def test_sums_of_a_dense_layer_are_exact_whatever_their_number(dtype: str, inner: int) -> None:
    data, weight = drawn(dtype, 3, inner), drawn("int8", 4, inner)
    sums = dense(data, weight, ends(1, 1))[0]
    assert (sums.asnumpy() == data.astype(np.int64) @ weight.astype(np.int64).T).all()


@pytest.mark.parametrize("channels", [48, 64, 600])
def test_sums_of_a_convolution_are_exact(channels: int) -> None:
    """As many channels as the float table transforms images for, and more than float32 can sum."""
    data = drawn("uint8", 2, channels, IMAGE, IMAGE)
    weight = drawn("int8", channels, channels, KERNEL, KERNEL)
    sums = nd.contrib.quantized_conv(
        nd.array(data, dtype="uint8"),
        nd.array(weight, dtype="int8"),
        None,
        *ends(1, 1),
        kernel=(KERNEL, KERNEL),
        num_filter=channels,
        no_bias=True,
    )[0]
    windows = np.lib.stride_tricks.sliding_window_view(data, (KERNEL, KERNEL), (2, 3))
    columns = windows.transpose(0, 2, 3, 1, 4, 5).reshape(-1, channels * KERNEL * KERNEL)
    expected = columns.astype(np.int64) @ weight.reshape(channels, -1).astype(np.int64).T
    assert (sums.asnumpy().transpose(0, 2, 3, 1).reshape(expected.shape) == expected).all()


def test_filters_with_ranges_of_their_own_give_sums_in_one_range() -> None:
    data, weight = drawn("int8", 3, 40), drawn("int8", 4, 40)
    magnitudes = np.array([1e-3, 0.25, 1, 3], np.float32)
    limits = [*ends(2), nd.array(-magnitudes), nd.array(magnitudes)]
    sums, low, high = dense(data, weight, limits)
    assert low.asnumpy() == -high.asnumpy()
    expected = np.matmul(data * (2 / 127), (weight * (magnitudes / 127)[:, None]).T)
    found = sums.asnumpy() * (high.asscalar() / INT32)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_a_bias_of_a_convolution_is_in_the_unit_of_its_range() -> None:
    """Ones times ones, and a bias of a half for the second filter, whose range ends at one."""
    limits: list[Any] = [nd.array([x]) for x in (0, 1, -1, 1, -1, 1)]
    found, _, high = nd.contrib.quantized_conv(
        nd.full((1, 1, 1, 1), 255, dtype="uint8"),
        nd.full((2, 1, 1, 1), 127, dtype="int8"),
        nd.array([0, 64], dtype="int8"),
        *limits,
        kernel=(1, 1),
        num_filter=2,
    )
    values = found.asnumpy().ravel() * (high.asscalar() / INT32)
    np.testing.assert_allclose(values, [1, 1.5], rtol=0.01)


def test_normalization_of_integers_without_a_range_uses_the_one_of_its_results() -> None:
    vectors: list[Any] = [nd.array([v]) for v in (1, 0.5, 0, 1)]
    params: dict[str, Any] = {"eps": 1e-12, "fix_gamma": False}
    found, low, high = nd.contrib.quantized_batch_norm(
        nd.array([[-127, 0, 127]], dtype="int8").reshape((1, 1, 3)), *vectors, *ends(2), **params
    )
    np.testing.assert_allclose([low.asscalar(), high.asscalar()], [-1.5, 2.5], rtol=0.01)
    assert found.asnumpy().ravel().tolist() == [-76, 26, 127]
