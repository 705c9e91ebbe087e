"""Comparisons and logic of two operands, or of one and a scalar; results are 0 or 1.

Conventions are those of :mod:`hy_kernels.triton.device.pointwise`. Bytes moved: each operand and
the result, once.
"""

import triton
import triton.language as tl


@triton.jit
def broadcast_equal(lhs, rhs):
    return (lhs == rhs).to(lhs.dtype)


@triton.jit
def broadcast_not_equal(lhs, rhs):
    return (lhs != rhs).to(lhs.dtype)


@triton.jit
def broadcast_greater(lhs, rhs):
    return (lhs > rhs).to(lhs.dtype)


@triton.jit
def broadcast_greater_equal(lhs, rhs):
    return (lhs >= rhs).to(lhs.dtype)


@triton.jit
def broadcast_lesser(lhs, rhs):
    return (lhs < rhs).to(lhs.dtype)


@triton.jit
def broadcast_lesser_equal(lhs, rhs):
    return (lhs <= rhs).to(lhs.dtype)


@triton.jit
def broadcast_logical_and(lhs, rhs):
    # nan is not 0, and so is true, as in NumPy.
    return ((lhs != 0) & (rhs != 0)).to(lhs.dtype)


@triton.jit
def broadcast_logical_or(lhs, rhs):
    return ((lhs != 0) | (rhs != 0)).to(lhs.dtype)


@triton.jit
def broadcast_logical_xor(lhs, rhs):
    return ((lhs != 0) ^ (rhs != 0)).to(lhs.dtype)


@triton.jit
def logical_not(data):
    return (data == 0).to(data.dtype)


@triton.jit
def equal_scalar(data, scalar: tl.constexpr):
    return (data == scalar).to(data.dtype)


@triton.jit
def not_equal_scalar(data, scalar: tl.constexpr):
    return (data != scalar).to(data.dtype)


@triton.jit
def greater_scalar(data, scalar: tl.constexpr):
    return (data > scalar).to(data.dtype)


@triton.jit
def greater_equal_scalar(data, scalar: tl.constexpr):
    return (data >= scalar).to(data.dtype)


@triton.jit
def lesser_scalar(data, scalar: tl.constexpr):
    return (data < scalar).to(data.dtype)


@triton.jit
def lesser_equal_scalar(data, scalar: tl.constexpr):
    return (data <= scalar).to(data.dtype)


@triton.jit
def logical_and_scalar(data, scalar: tl.constexpr):
    return ((data != 0) & (scalar != 0)).to(data.dtype)


@triton.jit
def logical_or_scalar(data, scalar: tl.constexpr):
    return ((data != 0) | (scalar != 0)).to(data.dtype)


@triton.jit
def logical_xor_scalar(data, scalar: tl.constexpr):
    return ((data != 0) != (scalar != 0)).to(data.dtype)
