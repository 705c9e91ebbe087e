"""Functions of one array that are functions of PyTorch's: each a row."""

from collections.abc import Callable, Mapping
from typing import Any

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, pointwise

__all__ = ["register"]


def register(functions: Mapping[str, Callable[..., Any]]) -> None:
    """Register a pointwise kernel of floats for each function, under the kernels' names."""
    for name, function in functions.items():
        kernel(name, pointwise=True)(_of_floats(function))


def _of_floats(function: Callable[..., Any]) -> Callable[..., Tensor]:
    def run(data: Tensor, *, out: Out = None) -> Tensor:
        return pointwise(function, data, out)

    return run
