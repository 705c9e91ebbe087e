"""TensorLy: gradient descent on a Tucker tensor, a CP decomposition."""

from typing import Any

from tensorly import decomposition

from tests.clients.programs.tensorly import decompositions


def training() -> Any:
    """Three steps."""
    return decompositions.gradients


def prediction() -> Any:
    """Five iterations of alternating least squares."""
    x = decompositions.tensor("x", 8, 9, 10)
    return lambda: decomposition.parafac(x, 3, n_iter_max=5, init="svd", tol=0)
