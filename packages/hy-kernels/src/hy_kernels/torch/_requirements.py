"""Checks of values in tensors that never wait for a GPU."""

from collections.abc import Callable

import torch

from hy_kernels.torch._tensor import Tensor

__all__ = ["require"]


def require(holds: Tensor, error: Callable[[], Exception]) -> None:
    """Raise an error unless a condition holds for all elements.

    On CUDA devices the host does not wait for the answer: where it is no, the device stops with an
    assertion, which torch raises as its own error when something is next waited for.

    Args:
        holds: Booleans.
        error: Makes the error, from the numbers at fault where it likes to name them.
    """
    if holds.is_cuda:
        torch._assert_async(holds.all())
    elif not bool(holds.all()):
        raise error()
