"""Comparisons and logic; the result is 0 or 1 in the dtype of the first operand."""

from collections.abc import Callable
from math import isfinite

import torch

from hy_kernels.torch._dtypes import widest
from hy_kernels.torch._kernels import alias, kernel
from hy_kernels.torch._tensor import Out, Tensor, number, stored, with_scalar
from hy_kernels.torch.elementwise.scalar import fast_path


def _in_operand_dtype(comparison: Callable[..., Tensor], out: Out, *operands: Tensor) -> Tensor:
    """Return the comparison's booleans as 0 and 1 in the dtype of the operands."""
    if out is None:
        result, dtype = comparison(*operands), operands[0].dtype
        # A comparison's booleans as numbers of the operands' dtype, as MXNet returns them.
        return result.float() if dtype is torch.float32 else result.to(dtype)
    return comparison(*operands, out=out[0])


def _of_arrays(name: str, comparison: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """Register a comparison of arrays as ``broadcast_`` and ``elemwise_`` kernels."""

    @kernel(f"broadcast_{name}", pointwise=True)
    def compare(lhs: Tensor, rhs: Tensor, *, out: Out = None) -> Tensor:
        return _in_operand_dtype(comparison, out, lhs, rhs)

    return alias(f"elemwise_{name}", compare)


def _register_comparison(name: str, comparison: Callable[..., Tensor]) -> None:
    """Register the kernels of a comparison: of two arrays, and of an array and a number."""
    compare = _of_arrays(name, comparison)

    @kernel(f"{name}_scalar", pointwise=True, specialize=fast_path(compare))
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        """Return the comparison with a number, which is not wrapped to an integer dtype."""
        lhs, rhs = with_scalar(data, scalar, is_int)
        if lhs.dtype.is_floating_point or (isfinite(scalar) and rhs == int(scalar)):
            return compare(lhs, number(rhs, lhs.dtype, lhs.device), out=out)
        # What the dtype lacks (300 with uint8, infinity) is compared in float64: nothing wraps.
        compute_dtype = widest(lhs.device)
        return stored(
            compare(lhs.to(compute_dtype), number(scalar, compute_dtype, lhs.device)).to(lhs.dtype),
            out,
        )


def _register_logic(name: str, comparison: Callable[..., Tensor]) -> None:
    """Register the kernels of a logical operator: of two arrays, and of an array and a number."""
    combine = _of_arrays(name, comparison)

    @kernel(f"{name}_scalar", pointwise=True)
    def of_number(data: Tensor, *, scalar: float, is_int: bool, out: Out = None) -> Tensor:
        lhs, _ = with_scalar(data, 0, is_int)
        return combine(lhs, number(scalar != 0, torch.bool, lhs.device), out=out)


_register_comparison("equal", torch.eq)
_register_comparison("not_equal", torch.ne)
_register_comparison("greater", torch.gt)
_register_comparison("greater_equal", torch.ge)
_register_comparison("lesser", torch.lt)
_register_comparison("lesser_equal", torch.le)
_register_logic("logical_and", torch.logical_and)
_register_logic("logical_or", torch.logical_or)
_register_logic("logical_xor", torch.logical_xor)


@kernel(pointwise=True)
def logical_not(data: Tensor, *, out: Out = None) -> Tensor:
    """Return ``data == 0``."""
    return _in_operand_dtype(torch.logical_not, out, data)
