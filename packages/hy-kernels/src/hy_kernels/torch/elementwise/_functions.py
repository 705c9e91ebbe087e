"""Registration of PyTorch's functions as pointwise kernels."""

from collections.abc import Callable, Mapping
from typing import Any

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, pointwise


def register(functions: Mapping[str, Callable[..., Any]]) -> None:
    """Register PyTorch's functions of floats as pointwise kernels, under the given names."""
    for name, function in functions.items():
        of_floats(name, function)


def of_floats(name: str, function: Callable[..., Any]) -> Callable[..., Tensor]:
    """Register a PyTorch function of one floating tensor as a kernel; return the kernel."""

    @kernel(name, pointwise=True)
    def run(data: Tensor, *, out: Out = None) -> Tensor:
        return pointwise(function, data, out)

    return run


def of_one(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register a PyTorch function of one tensor of any dtype as a kernel; return the kernel."""

    # ``out`` is unpacked inline: these are frequent kernels, and `out_buffer` is one more call.
    @kernel(name, pointwise=True)
    def run(data: Tensor, *, out: Out = None) -> Tensor:
        return function(data, out=None if out is None else out[0])

    return run


def of_two(name: str, function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register a PyTorch function of two tensors of one dtype as a kernel; return the kernel."""

    @kernel(name, pointwise=True)
    def run(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
        return function(lhs, rhs, out=None if out is None else out[0])

    return run
