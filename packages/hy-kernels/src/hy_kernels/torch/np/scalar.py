"""Arithmetic and comparison of a tensor and a number."""

from collections.abc import Callable

import numpy
import torch

from hy_kernels.torch._dtypes import NAMES, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Out, Tensor, is_integer, number, out_buffer, with_scalar
from hy_kernels.torch.np.arithmetic import np_arctan2, np_copysign, np_lcm, np_ldexp

__all__ = [
    "np_arctan2_scalar",
    "np_bitwise_and_scalar",
    "np_bitwise_or_scalar",
    "np_bitwise_xor_scalar",
    "np_copysign_scalar",
    "np_lcm_scalar",
    "np_ldexp_scalar",
    "np_rarctan2_scalar",
    "np_rcopysign_scalar",
    "np_rldexp_scalar",
    "np_rtrue_divide_scalar",
    "np_true_divide_scalar",
]


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
    """Return ``function`` of both operands, perhaps swapped, in their common dtype."""
    lhs, rhs = with_scalar(data, scalar, is_int)
    by = number(rhs, lhs.dtype, lhs.device)
    return function(by, lhs, out=out) if transposed else function(lhs, by, out=out)


@kernel(pointwise=True)
def np_arctan2_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return the angle of the point ``(scalar, data)``."""
    return _in_common_dtype(np_arctan2, data, scalar, is_int, out)


@kernel(pointwise=True)
def np_rarctan2_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return the angle of the point ``(data, scalar)``."""
    return _in_common_dtype(np_arctan2, data, scalar, is_int, out, transposed=True)


@kernel(pointwise=True)
def np_copysign_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``data`` with the sign of ``scalar``."""
    return _in_common_dtype(np_copysign, data, scalar, is_int, out)


@kernel(pointwise=True)
def np_rcopysign_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``scalar`` with the sign of ``data``."""
    return _in_common_dtype(np_copysign, data, scalar, is_int, out, transposed=True)


@kernel(pointwise=True)
def np_ldexp_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``data * 2 ** scalar``."""
    return _in_common_dtype(np_ldexp, data, scalar, is_int, out)


@kernel(pointwise=True)
def np_rldexp_scalar(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
    """Return ``scalar * 2 ** data``."""
    return _in_common_dtype(np_ldexp, data, scalar, is_int, out, transposed=True)


def _wrapped_number(data: Tensor, scalar: float) -> Tensor:
    """Return the number wrapped to the dtype of integers or booleans."""
    # As numpy casts: wrapped, not refused.
    own = numpy.asarray(numpy.int64(scalar)).astype(NAMES[data.dtype]).item()
    return number(own, data.dtype, data.device)


@kernel()
def np_lcm_scalar(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    """Return the least common multiple of each element and the number."""
    y: Tensor = np_lcm(data, _wrapped_number(data, scalar))
    return y


@kernel()
def np_bitwise_and_scalar(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    """Return the bitwise "and" of each element and the number."""
    return torch.bitwise_and(data, _wrapped_number(data, scalar))


@kernel()
def np_bitwise_or_scalar(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    """Return the bitwise "or" of each element and the number."""
    return torch.bitwise_or(data, _wrapped_number(data, scalar))


@kernel()
def np_bitwise_xor_scalar(data: Tensor, *, scalar: float, is_int: bool) -> Tensor:
    """Return the bitwise "exclusive or" of each element and the number."""
    return torch.bitwise_xor(data, _wrapped_number(data, scalar))


def _compared(function: Callable[..., Tensor], data: Tensor, scalar: float) -> Tensor:
    """Compare integers with the number itself, floats with the nearest of their dtype."""
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
