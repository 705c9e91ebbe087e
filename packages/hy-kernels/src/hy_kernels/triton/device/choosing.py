"""Selection by a condition, and tests for nan and infinity.

Conventions are those of :mod:`hy_kernels.triton.device.pointwise`, but operands may be integers,
and conditions are of any dtype. Bytes moved: each operand and the result, once; both alternatives
of a selection are read.
"""

import triton
import triton.language as tl


@triton.jit
def where(condition, x, y):
    return tl.where(condition != 0, x, y)


@triton.jit
def np_where_lscalar(condition, x, scalar: tl.constexpr):
    return tl.where(condition != 0, scalar, x)


@triton.jit
def np_where_rscalar(condition, y, scalar: tl.constexpr):
    return tl.where(condition != 0, y, scalar)


@triton.jit
def np_where_scalar2(condition, x: tl.constexpr, y: tl.constexpr):
    return tl.where(condition != 0, x, y)


@triton.jit
def replace_nan(data, where, value: tl.constexpr):
    return tl.where(where != where, value, data)


@triton.jit
def np_nan_to_num(data, nan: tl.constexpr, posinf: tl.constexpr, neginf: tl.constexpr):
    y = tl.where(data == float("inf"), posinf, data)
    y = tl.where(data == -float("inf"), neginf, y)
    return tl.where(data != data, nan, y)


@triton.jit
def np_isnan(x):
    return x != x


@triton.jit
def np_isposinf(x):
    # No integer differs from itself: false, in the shape of the operand.
    return x == float("inf") if x.dtype.is_floating() else x != x


@triton.jit
def np_isneginf(x):
    return x == -float("inf") if x.dtype.is_floating() else x != x


@triton.jit
def np_isinf(x):
    return np_isposinf(x) | np_isneginf(x)


@triton.jit
def np_isfinite(x):
    return tl.abs(x) < float("inf") if x.dtype.is_floating() else x == x


@triton.jit
def finite_mask(data):
    return np_isfinite(data).to(data.dtype)


@triton.jit
def like_of(data):
    """Return ``data``, which the kernel broadcasts to the shape of an operand that is not read."""
    return data
