"""ReLU and clipping: any size, dtype and order of elements."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_kernels.numpy._array import between
from hy_kernels.numpy._bounds import relu

Array = npt.NDArray[Any]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (1000,), (25, 41), (1 << 16,), (3, 70000)])
def test_it_is_the_larger_of_each_element_and_zero(shape: tuple[int, ...], dtype: str) -> None:
    data = np.asarray(np.random.default_rng(0).integers(-9, 9, shape)).astype(dtype)
    before, expected = data.copy(), np.where(data > 0, data, 0)
    found = relu(data)
    assert (found.dtype, found.shape) == (data.dtype, shape)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(data, before)
    if data.ndim:
        assert relu(data, data) is data
        np.testing.assert_array_equal(data, expected)


@pytest.mark.parametrize("size", [4, 500])
def test_elements_may_lie_in_any_order(size: int) -> None:
    data = np.random.default_rng(0).normal(size=(size, size, 2))
    turned, out = data.transpose(2, 0, 1), np.empty((size, size, 2)).transpose(2, 0, 1)
    np.testing.assert_array_equal(relu(turned), np.maximum(turned, 0))
    relu(turned, out)
    np.testing.assert_array_equal(out, np.maximum(turned, 0))


@pytest.mark.parametrize("size", [5, 100000])
def test_nan_stays(size: int) -> None:
    data = np.full(size, -1.0, np.float32)
    data[3] = np.nan
    np.testing.assert_array_equal(np.isnan(relu(data)), np.isnan(data))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("shape", [(), (0, 3), (25, 41)])
def test_values_are_clipped_in_place_or_in_a_new_array(shape: tuple[int, ...], dtype: str) -> None:
    data = np.asarray(np.random.default_rng(0).normal(size=shape)).astype(dtype)
    lower, upper = np.array([-0.1, 0.7], dtype)
    expected = np.minimum(np.maximum(data, lower), upper)
    found = between(data, -0.1, 0.7)
    assert (found.dtype, found.shape) == (data.dtype, shape)
    np.testing.assert_array_equal(found, expected)
    if data.ndim:
        assert between(data, -0.1, 0.7, data) is data
        np.testing.assert_array_equal(data, expected)


def test_the_upper_bound_wins_and_nan_stays() -> None:
    data = np.array([-1.0, np.nan, 9.0])
    np.testing.assert_array_equal(between(data, 5, 2), [2, np.nan, 2])
