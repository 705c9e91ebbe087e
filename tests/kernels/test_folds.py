"""Sums and products over axes are numpy's, by whichever loop."""

from functools import partial
from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy._folds import add_up, extreme_up, multiply_up, square_up
from tests.changed_costs import change_costs

SHAPES = [(8, 16, 28, 28), (3, 9001), (700, 3), (6, 1, 5000), (40000,)]


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_folds_agree_with_numpy(
    shape: Any,
    keepdims: bool,
    dtype: str,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    change_costs(monkeypatch, rows={"summed": 1, "parts": 1, "columns": 1, "extremes": 1})
    data = rng.uniform(0.99, 1.01, shape).astype(dtype)
    exact = data.astype(np.float64)
    rank = len(shape)
    for axes in (None, (0,), (-1,), (0, rank - 1), tuple(range(1, rank)), tuple(range(rank))):
        if axes == () or (axes is not None and len({i % rank for i in axes}) < len(axes)):
            continue
        how: dict[str, Any] = {"axis": axes, "keepdims": keepdims}
        for fold, wanted in (
            (add_up, exact.sum(**how)),
            (square_up, (exact * exact).sum(**how)),
            (multiply_up, exact.prod(**how)),
            (partial(extreme_up, np.maximum), exact.max(**how)),
            (partial(extreme_up, np.minimum), exact.min(**how)),
        ):
            y = fold(data, axes, keepdims)
            assert y.shape == wanted.shape
            assert y.dtype == dtype
            np.testing.assert_allclose(y, wanted, rtol=2e-4 if dtype == "float32" else 1e-11)


def test_long_rows_lose_no_digits(rng: np.random.Generator) -> None:
    data = rng.uniform(0, 1, (2, 1 << 20)).astype(np.float32)
    np.testing.assert_allclose(add_up(data, (1,)), data.sum(axis=1, dtype=np.float64), rtol=1e-6)


def test_out_buffers_and_other_dtypes(rng: np.random.Generator) -> None:
    data = rng.standard_normal((64, 32, 64)).astype(np.float32)
    out = np.empty((64, 32), np.float32)
    assert add_up(data, (2,), out=out) is out
    np.testing.assert_allclose(out, data.sum(axis=2), rtol=1e-4, atol=1e-4)
    integers = rng.integers(0, 9, (300, 300))
    assert add_up(integers, None) == integers.sum()
    columns = np.empty(64, np.float32)
    assert add_up(data, (0, 1), out=columns) is columns
    np.testing.assert_allclose(columns, data.sum(axis=(0, 1)), rtol=1e-4, atol=1e-4)
    wide = add_up(data, (0, 1), dtype=np.dtype(np.float64))
    assert wide.dtype == np.float64


@pytest.mark.parametrize("ufunc", [np.maximum, np.minimum])
def test_extremes_of_many_rows_with_nan_are_nan(ufunc: Any, rng: np.random.Generator) -> None:
    data = rng.standard_normal((200, 3, 40)).astype(np.float32)
    data[7, 1, 5] = data[8, 2, 39] = np.nan
    data[9, 0, 3] = np.inf
    out = np.empty((200, 3), np.float32)
    assert extreme_up(ufunc, data, (2,), out=out) is out
    np.testing.assert_array_equal(out, ufunc.reduce(data, 2))
    np.testing.assert_array_equal(extreme_up(ufunc, data, (1, 2)), ufunc.reduce(data, (1, 2)))
