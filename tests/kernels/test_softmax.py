"""Softmax of many short rows: one peak serves them all, unless they lie far apart."""

import numpy as np
import pytest

from hy_kernels.numpy.nn.softmax import softmax_of


def exact(x: np.ndarray) -> np.ndarray:
    e = np.exp(x.astype("float64") - x.max(axis=1, keepdims=True))
    return np.asarray(e / e.sum(axis=1, keepdims=True))


@pytest.mark.parametrize("apart", [0, 5, 50, 500, 1e30])
def test_rows_far_apart_are_as_exact_as_others(apart: float) -> None:
    x = np.random.default_rng(0).normal(0, 2, (64, 5)).astype("float32")
    x[::3] += np.float32(apart)
    x[1] -= np.float32(apart)
    np.testing.assert_allclose(softmax_of(x, -1), exact(x), rtol=1e-5)


def test_nan_and_infinity_stay_in_their_row() -> None:
    x = np.zeros((4, 3), "float32")
    x[1, 0], x[2, 1] = np.nan, -np.inf
    y = softmax_of(x, -1)
    assert np.isnan(y[1]).all()
    np.testing.assert_allclose(y[[0, 2, 3]], [[1 / 3] * 3, [0.5, 0, 0.5], [1 / 3] * 3], rtol=1e-6)
