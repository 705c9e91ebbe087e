"""Checks of tensor values without waiting for a GPU."""

from collections.abc import Callable

import torch

from hy_kernels.torch._tensor import Tensor


def require(holds: Tensor, error: Callable[[], Exception]) -> None:
    """Raise an error unless a condition holds for all elements.

    On CUDA devices the host does not wait: if the condition fails, the device stops with an
    assertion, which torch reports as an error of its own at the next synchronization.

    Args:
        holds: Boolean tensor.
        error: Returns the error; called only if the condition fails on a CPU.
    """
    if holds.is_cuda:
        torch._assert_async(holds.all())
    elif not bool(holds.all()):
        raise error()
