"""Kernels that are functions of PyTorch's: each a row."""

from collections.abc import Callable, Mapping
from typing import Any

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, pointwise


def register(functions: Mapping[str, Callable[..., Any]]) -> None:
    """Register a pointwise kernel of floats for each function, under the kernels' names."""
    for name, function in functions.items():
        of_floats(name, function)


def of_floats(name: str, function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Register a function of one tensor of floats as a pointwise kernel."""

    @kernel(name, pointwise=True)
    def run(data: Tensor, *, out: Out = None) -> Tensor:
        return pointwise(function, data, out)

    return run


def of_one(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register a function of one tensor of any dtype as a pointwise kernel."""

    # ``out`` is unpacked inline: these are frequent kernels, and `out_buffer` is one more call.
    @kernel(name, pointwise=True)
    def run(data: Tensor, *, out: Out = None) -> Tensor:
        return function(data, out=None if out is None else out[0])

    return run


def of_two(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register a function of two tensors of one dtype as a pointwise kernel."""

    @kernel(name, pointwise=True)
    def run(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
        return function(lhs, rhs, out=None if out is None else out[0])

    return run
