"""Gradients of factorisations of symmetric matrices are symmetric, with MXNet's numbers."""

from collections.abc import Callable
from typing import Any

import numpy as onp
import pytest

from hy_ndarray import autograd, nd, np

PAIR = [[4.0, 2.0], [2.0, 3.0]]
TRIPLE = onp.array([[4, 2, 1], [2, 3, 0.5], [1, 0.5, 2]])
WEIGHTS = onp.arange(1, 10).reshape(3, 3)


def gradient(function: Callable[[Any], Any], matrix: Any) -> Any:
    matrix.attach_grad()
    with autograd.record():
        y = function(matrix)
    y.backward()
    return matrix.grad.asnumpy()


def spectrum(a: Any) -> Any:
    vectors, values = nd.linalg.syevd(a)
    n = a.shape[0]
    weights = nd.array(WEIGHTS[:n, :n] if n == 3 else [[1, 2], [3, 4]])
    return nd.sum(values * nd.arange(1, n + 1)) + nd.sum(vectors * weights)


def test_the_gradients_are_those_of_mxnet() -> None:
    root = [[0.2134, 0.0732], [0.0732, 0.3536]]
    onp.testing.assert_allclose(gradient(np.linalg.cholesky, np.array(PAIR)), root, atol=1e-4)
    onp.testing.assert_allclose(gradient(nd.linalg.potrf, nd.array(PAIR)), root, atol=1e-4)
    values = [[1.7051, 0.4641], [0.4641, 1.2949]]
    onp.testing.assert_allclose(gradient(spectrum, nd.array(PAIR)), values, atol=1e-4)


@pytest.mark.parametrize(
    "function",
    [
        lambda a: nd.linalg.potrf(a) * nd.array(WEIGHTS, dtype="float64"),
        lambda a: nd.linalg.potrf(a, lower=False) * nd.array(WEIGHTS, dtype="float64"),
        lambda a: nd.linalg.syevd(a)[0] * nd.array(WEIGHTS, dtype="float64"),
    ],
    ids=["potrf", "potrf of the upper triangle", "syevd"],
)
def test_they_are_those_of_changes_that_keep_the_matrix_symmetric(function: Any) -> None:
    def value(matrix: Any) -> float:
        return float(function(nd.array(matrix, dtype="float64")).sum().asscalar())

    found = gradient(function, nd.array(TRIPLE, dtype="float64"))
    onp.testing.assert_allclose(found, found.T, atol=1e-12)
    for i, j in ((0, 0), (1, 0), (2, 0), (2, 1)):
        change = onp.zeros((3, 3))
        change[i, j] = change[j, i] = 1e-6
        slope = (value(TRIPLE + change) - value(TRIPLE - change)) / 2e-6
        onp.testing.assert_allclose(slope, (found * change).sum() / 1e-6, rtol=1e-5, atol=1e-6)
