"""Bitwise operators, least common multiples, copysign and ldexp.

Conventions are those of :mod:`hy_kernels.triton.device.pointwise`, but operands may be integers.
Bytes moved: each operand and the result, once.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.pointwise import is_minus, sign


@triton.jit
def np_bitwise_and(lhs, rhs):
    return lhs & rhs


@triton.jit
def np_bitwise_or(lhs, rhs):
    return lhs | rhs


@triton.jit
def np_bitwise_xor(lhs, rhs):
    return lhs ^ rhs


@triton.jit
def np_bitwise_not(x):
    return ~x


@triton.jit
def np_bitwise_and_scalar(data, scalar: tl.constexpr):
    return data & scalar


@triton.jit
def np_bitwise_or_scalar(data, scalar: tl.constexpr):
    return data | scalar


@triton.jit
def np_bitwise_xor_scalar(data, scalar: tl.constexpr):
    return data ^ scalar


@triton.jit
def np_lcm(lhs, rhs):
    """Return the least common multiple by Euclid's algorithm, in at most 92 steps per program."""
    a, b = tl.abs(lhs), tl.abs(rhs)
    divisor, rest = a, b
    # One loop for a whole program: elements that are done keep their divisor until the last is.
    while tl.max((rest != 0).to(tl.int32)) > 0:
        transposed = divisor % tl.where(rest == 0, 1, rest)
        divisor, rest = tl.where(rest == 0, divisor, rest), tl.where(rest == 0, 0, transposed)
    # Divided first: the product of both may overflow where their multiple does not.
    return a // tl.where(divisor == 0, 1, divisor) * b


@triton.jit
def np_lcm_scalar(data, scalar: tl.constexpr):
    return np_lcm(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def np_copysign(lhs, rhs):
    a = tl.abs(lhs)
    return tl.where(is_minus(rhs), -a, a)


@triton.jit
def np_copysign_scalar(data, scalar: tl.constexpr):
    return np_copysign(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def np_rcopysign_scalar(data, scalar: tl.constexpr):
    return np_copysign(tl.full(data.shape, scalar, data.dtype), data)


@triton.jit
def same_sign(lhs, rhs):
    own = tl.where(lhs == lhs, sign(lhs), lhs)
    return np_copysign(own, rhs) * own


@triton.jit
def _power_of_2(n):
    """Return ``2 ** n``, exact, for integers of magnitude up to 100 (float64: 1000)."""
    # The exponent is written into its field, which is exact; ex2.approx is not.
    if n.dtype == tl.float64:
        y = ((n.to(tl.int64) + 1023) << 52).to(tl.float64, bitcast=True)
    else:
        y = ((n.to(tl.int32) + 127) << 23).to(tl.float32, bitcast=True)
    return y


@triton.jit
def np_ldexp(lhs, rhs):
    """Return ``lhs * 2 ** rhs``; the power is exact for an integer ``rhs``, and may overflow."""
    # Three factors, as a power may be beyond the dtype whose product with a tiny number is not.
    # Beyond these limits every product is 0 or infinite.
    limit = 2100.0 if rhs.dtype == tl.float64 else 280.0
    near = tl.minimum(tl.maximum(rhs, -limit), limit)
    whole = tl.floor(near)
    third = tl.floor(whole / 3)  # each a power that the dtype has
    part = _power_of_2(third)
    power = part * part * _power_of_2(whole - 2 * third)
    return lhs * tl.where(rhs == rhs, tl.exp((near - whole) * 0.6931471805599453) * power, rhs)


@triton.jit
def np_ldexp_scalar(data, scalar: tl.constexpr):
    return np_ldexp(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def np_rldexp_scalar(data, scalar: tl.constexpr):
    return np_ldexp(tl.full(data.shape, scalar, data.dtype), data)
