"""Rows that are summed by index: few and many, short and long, of each float."""

import numpy as np
import pytest

from hy_kernels.numpy._rows import add_rows
from hy_kernels.numpy.costs import COSTS

SHORT, LONG = 1, COSTS.rows.added + 1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("length", [SHORT, 3, LONG])
@pytest.mark.parametrize("targets", [1, 3, 500])
@pytest.mark.parametrize("turned", [False, True])
def test_rows_are_summed_by_their_target(
    dtype: str, length: int, targets: int, turned: bool
) -> None:
    random = np.random.default_rng(0)
    rows = random.integers(-3, 4, (400, length)).astype(dtype)  # which are summed exactly
    # The first target gets most rows, so that some are added in passes and the rest one by one.
    index = np.where(random.random(400) < 0.5, 0, random.integers(0, targets, 400))
    expected = np.array([rows[index == k].sum(0) for k in range(targets)], dtype)
    sums = np.zeros((length, targets), dtype).T if turned else np.zeros((targets, length), dtype)
    add_rows(rows, index, sums)
    np.testing.assert_array_equal(sums, expected)


@pytest.mark.parametrize("length", [SHORT, LONG])
def test_no_rows_leave_zeros(length: int) -> None:
    sums = np.zeros((2, length))
    add_rows(np.ones((0, length)), np.zeros(0, np.int64), sums)
    assert not sums.any()


def test_many_halves_are_summed_in_float32() -> None:
    sums = np.zeros((1, 1), np.float16)
    add_rows(np.full((4096, 1), 0.25, np.float16), np.zeros(4096, np.int64), sums)
    assert sums[0, 0] == 1024
