"""Conversion between float16 and float32 by numpy's table: every number, rounding, special ones."""

import numpy as np
import pytest

from hy_kernels.numpy._array import Array, converted, copied
from hy_kernels.numpy._halves import is_vectorized
from hy_kernels.numpy.costs import COSTS

ALL = np.arange(1 << 16).astype(np.uint16).view(np.float16)
FINITE = ALL[np.isfinite(ALL)]
SINGLE, HALF = np.dtype(np.float32), np.dtype(np.float16)


def _assert_same_bits(actual: Array, expected: Array) -> None:
    assert actual.dtype == expected.dtype
    bits = f"i{expected.itemsize}"
    np.testing.assert_array_equal(actual.view(bits), expected.view(bits))


@pytest.mark.parametrize("values", [FINITE, ALL])
def test_every_half_becomes_a_single_and_back(values: Array) -> None:
    singles = converted(values, SINGLE)
    _assert_same_bits(singles, values.astype(SINGLE))
    _assert_same_bits(converted(singles, HALF), values)


def test_singles_are_rounded_half_to_even() -> None:
    low = FINITE[np.abs(FINITE) < 2.0**15]
    high = np.nextafter(low, HALF.type(np.inf))
    ties = (low.astype(np.float64) + high) / 2
    singles = ties.astype(SINGLE)
    for values in (
        singles,
        np.nextafter(singles, SINGLE.type(np.inf)),
        np.nextafter(singles, SINGLE.type(-np.inf)),
    ):
        small = values[np.abs(values) < 2.0**15]
        assert is_vectorized(small, HALF)
        _assert_same_bits(converted(small, HALF), small.astype(HALF))


def test_a_block_with_a_large_number_is_rounded_as_others() -> None:
    values = np.linspace(-3, 3, 3 * COSTS.blocks.halves, dtype=np.float32)
    values[5], values[7] = 65519, np.nan
    values[-1], values[-2] = -np.inf, -0.0
    with np.errstate(invalid="ignore"):
        _assert_same_bits(converted(values, HALF), values.astype(HALF))


@pytest.mark.parametrize("dtype", [SINGLE, HALF])
def test_any_memory_order_is_converted(dtype: np.dtype[np.generic]) -> None:
    other = HALF if dtype == SINGLE else SINGLE
    matrix = np.random.default_rng(0).standard_normal((128, 256)).astype(other)
    for view in (matrix, matrix.T, matrix[:, ::2], matrix[::-1]):
        _assert_same_bits(
            np.ascontiguousarray(converted(view, dtype)), np.ascontiguousarray(view.astype(dtype))
        )
        _assert_same_bits(copied(view, dtype=dtype), np.ascontiguousarray(view.astype(dtype)))
    assert converted(matrix.T, dtype).flags.f_contiguous
