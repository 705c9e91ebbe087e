"""Arithmetic and comparison of a tensor and a number, with type promotion."""

from collections.abc import Callable

import numpy
import torch

from hy_kernels.torch._dtypes import NAMES, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, is_integer, number, out_buffer, with_scalar
from hy_kernels.torch.np.arithmetic import np_arctan2, np_copysign, np_lcm, np_ldexp


def _division_operands(data: Tensor, scalar: float) -> tuple[Tensor, Tensor]:
    """Return the operands of a division, integers as float32."""
    # MXNet's default dtype of floats, whatever the width of the integers.
    real = data.to(torch.float32) if is_integer(data) else data
    lhs, rhs = with_scalar(real, scalar, False)
    return lhs, number(rhs, lhs.dtype, lhs.device)


@kernel(pointwise=True)
def np_true_divide_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``data / scalar``."""
    lhs, rhs = _division_operands(data, scalar)
    return torch.div(lhs, rhs, out=out_buffer(out))


@kernel(pointwise=True)
def np_rtrue_divide_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``scalar / data``."""
    lhs, rhs = _division_operands(data, scalar)
    return torch.div(rhs, lhs, out=out_buffer(out))


def _in_common_dtype(
    function: Callable[..., Tensor],
    data: Tensor,
    scalar: float,
    is_int: bool,
    out: Out,
    transposed: bool = False,
) -> Tensor:
    """Return ``function(data, scalar)``, or with swapped operands, in their common dtype."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    by = number(rhs, lhs.dtype, lhs.device)
    return function(by, lhs, out=out) if transposed else function(lhs, by, out=out)


def _enter_both_ways(name: str, function: Callable[..., Tensor]) -> None:
    """Register the kernels of an array and a number, and of a number and an array."""

    @kernel(f"np_{name}_scalar", pointwise=True)
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        return _in_common_dtype(function, data, scalar, is_int, out)

    @kernel(f"np_r{name}_scalar", pointwise=True)
    def reversed_(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        return _in_common_dtype(function, data, scalar, is_int, out, transposed=True)


_enter_both_ways("arctan2", np_arctan2)
_enter_both_ways("copysign", np_copysign)
_enter_both_ways("ldexp", np_ldexp)


def _wrapped_number(data: Tensor, scalar: float) -> Tensor:
    """Return the number as a tensor, wrapped to the dtype of integers or booleans."""
    # As numpy casts: wrapped, not refused.
    own = numpy.asarray(numpy.int64(scalar)).astype(NAMES[data.dtype]).item()
    return number(own, data.dtype, data.device)


def _enter_of_integers(name: str, function: Callable[..., Tensor]) -> None:
    @kernel(f"np_{name}_scalar")
    def of_number(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
        return function(data, _wrapped_number(data, scalar))


_enter_of_integers("lcm", np_lcm)
_enter_of_integers("bitwise_and", torch.bitwise_and)
_enter_of_integers("bitwise_or", torch.bitwise_or)
_enter_of_integers("bitwise_xor", torch.bitwise_xor)


def _compared(function: Callable[..., Tensor], data: Tensor, scalar: float) -> Tensor:
    """Return a comparison with a number: exact for integers, in their own dtype for floats."""
    if is_integer(data):
        dtype = widest(data.device)
        return function(data.to(dtype), number(scalar, dtype, data.device))
    lhs, rhs = with_scalar(data, scalar, False)
    return function(lhs, number(rhs, lhs.dtype, lhs.device))


def _register_comparison(name: str, function: Callable[..., Tensor]) -> None:
    @kernel(f"np_{name}_scalar")
    def compare(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
        return _compared(function, data, scalar)


_register_comparison("equal", torch.eq)
_register_comparison("not_equal", torch.ne)
_register_comparison("greater", torch.gt)
_register_comparison("greater_equal", torch.ge)
_register_comparison("less", torch.lt)
_register_comparison("less_equal", torch.le)
