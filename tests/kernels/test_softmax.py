"""Softmax needs no peaks where exponentials neither overflow nor vanish, and has them elsewhere."""

from typing import Any

import numpy as np
import pytest

from hy_kernels.numpy.nn.softmax import log_softmax, softmax

HOW: dict[str, Any] = {"axis": -1, "temperature": None, "dtype": None, "use_length": False}


def exact(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype("float64") - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("apart", [0, 5, 50, 500, 1e30])
def test_rows_far_apart_are_as_exact_as_others(apart: float) -> None:
    x = np.random.default_rng(0).normal(0, 2, (64, 5)).astype("float32")
    x[::3] += np.float32(apart)
    x[1] -= np.float32(apart)
    np.testing.assert_allclose(softmax(x, **HOW), exact(x), rtol=1e-5)
    y = x.astype("float64") - x.max(axis=1, keepdims=True)
    y -= np.log(np.exp(y).sum(axis=1, keepdims=True))
    np.testing.assert_allclose(log_softmax(x, **HOW), y, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("level", [-200, -12, -5, 0, 12, 30, 70, 200])
def test_the_level_of_a_row_does_not_matter(level: float) -> None:
    x = np.random.default_rng(1).normal(0, 1, (8, 1000)).astype("float32")
    raised = x + np.float32(level)
    np.testing.assert_allclose(softmax(raised, **HOW), softmax(x, **HOW), rtol=1e-4)
    np.testing.assert_allclose(
        log_softmax(raised, **HOW), log_softmax(x, **HOW), rtol=1e-5, atol=2e-5
    )


def test_nan_and_infinity_stay_in_their_row() -> None:
    x = np.zeros((4, 3), "float32")
    x[1, 0], x[2, 1] = np.nan, -np.inf
    y = softmax(x, **HOW)
    assert np.isnan(y[1]).all()
    np.testing.assert_allclose(y[[0, 2, 3]], [[1 / 3] * 3, [0.5, 0, 0.5], [1 / 3] * 3], rtol=1e-6)
