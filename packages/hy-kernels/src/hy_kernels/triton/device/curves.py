"""Pointwise functions without an instruction: powers, remainders, angles, hyperbolic functions.

Conventions are those of :mod:`hy_kernels.triton.device.pointwise`. Powers are computed in float64,
whose logarithms keep all digits of float32. The arc tangent is Moshier's, of the Cephes library
("Methods and Programs for Mathematical Functions", 1989); the other inverse functions are computed
from it, or from logarithms that are exact near 1.
"""

import triton
import triton.language as tl

from hy_kernels.triton.device.pointwise import (
    _divisor,
    broadcast_hypot,
    cbrt,
    expm1,
    is_minus,
    log1p,
)

_MIN_LOGARITHMIC = tl.constexpr(1e8)  # beyond whose square 1 is lost
_LN2 = tl.constexpr(0.6931471805599453)
_PI = tl.constexpr(3.141592653589793)


@triton.jit
def _signed(size, data):
    """Return ``size`` with the sign of ``data``; where ``data`` is zero or nan, ``data`` itself."""
    return tl.where(data < 0, -size, tl.where(data > 0, size, data))


@triton.jit
def tan(data):
    return tl.sin(data) / tl.cos(data)


@triton.jit
def sinh(data):
    a = tl.abs(data)
    # exp(x) - exp(-x) cancels near 0; beyond 20 the second is below the last bit of the first.
    less = expm1(tl.minimum(a, 20.0))
    # Half the exponent, multiplied twice: exp(89) is infinite in float32, and sinh(89) is not.
    half = tl.exp(0.5 * a)
    return _signed(tl.where(a < 20, 0.5 * (less + less / (less + 1)), 0.5 * half * half), data)


@triton.jit
def cosh(data):
    half = tl.exp(0.5 * tl.abs(data))
    whole = half * half
    return 0.5 * half * half + 0.5 / whole


@triton.jit
def arcsinh(data):
    a = tl.abs(data)
    small = tl.minimum(a, _MIN_LOGARITHMIC)
    near = log1p(small + small * small / (1 + tl.sqrt(small * small + 1)))
    return _signed(tl.where(a < _MIN_LOGARITHMIC, near, tl.log(a) + _LN2), data)


@triton.jit
def arccosh(data):
    above = tl.minimum(data, _MIN_LOGARITHMIC) - 1
    near = log1p(above + tl.sqrt(above * (above + 2)))
    result = tl.where(data < _MIN_LOGARITHMIC, near, tl.log(data) + _LN2)
    return tl.where(data < 1, float("nan"), result)


@triton.jit
def arctanh(data):
    a = tl.abs(data)
    result = 0.5 * log1p(2 * a / (1 - a))
    return _signed(tl.where(a > 1, float("nan"), result), data)


@triton.jit
def arctan(data):
    a = tl.abs(data)
    # tan(3π/8), and 0.66: the rational below is for small arguments, to which others are brought by
    # taking one or two eighths of a turn from the angle.
    far, middle = a > 2.414213562373095, a > 0.66
    x = tl.where(far, -1 / a, tl.where(middle, (a - 1) / (a + 1), a))
    z = x * x
    above = -8.750608600031904122785e-1 * z - 1.615753718733365076637e1
    above = (above * z - 7.500855792314704667340e1) * z - 1.228866684490136173410e2
    above = above * z - 6.485021904942025371773e1
    below = (z + 2.485846490142306297962e1) * z + 1.650270098316988542046e2
    below = (below * z + 4.328810604912902668951e2) * z + 4.853903996359136964868e2
    below = below * z + 1.945506571482613964425e2
    quarters = far.to(a.dtype) + middle.to(a.dtype)
    return _signed(quarters * (0.25 * _PI) + (x * (z * above / below) + x), data)


@triton.jit
def arcsin(data):
    # (1 - x)(1 + x) is exact near 1, where 1 - x² has lost half its bits.
    return arctan(data / tl.sqrt((1 - data) * (1 + data)))


@triton.jit
def arccos(data):
    return 2 * arctan(tl.sqrt((1 - data) / (1 + data)))


@triton.jit
def np_arctan2(x1, x2):
    a, b = tl.abs(x1), tl.abs(x2)
    same = (a == b) & ((a == 0) | (a == float("inf")))
    share = tl.where(same, tl.where(a == 0, 0.0, 1.0), a / tl.where(b == 0, 1.0, b))
    angle = tl.where((b == 0) & (a != 0), 0.5 * _PI, arctan(share))
    # The sign of zeros counts: the angle of (0, -0) is π, as IEEE 754 has it.
    angle = tl.where(is_minus(x2), -angle + _PI, angle)
    angle = tl.where(is_minus(x1), -angle, angle)
    return tl.where(b == b, angle, b)


@triton.jit
def np_arctan2_scalar(data, scalar: tl.constexpr):
    return np_arctan2(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def np_rarctan2_scalar(data, scalar: tl.constexpr):
    return np_arctan2(tl.full(data.shape, scalar, data.dtype), data)


@triton.jit
def rcbrt(data):
    return 1.0 / cbrt(data)


@triton.jit
def _whole_power(base, exponent):
    """Return an integer power by repeated squaring; negative exponents truncate to 0, 1 or -1."""
    size = tl.where(exponent < 0, 0, exponent)
    y = tl.full(base.shape, 1, base.dtype)
    square = base
    for _ in range(base.dtype.primitive_bitwidth):
        y = tl.where((size & 1) != 0, y * square, y)
        square = square * square
        size = size >> 1
    if base.dtype.is_int_signed():
        is_one = (base == 1) | (base == -1)
        transposed = tl.where((exponent & 1) != 0, base, 1)
        y = tl.where(exponent < 0, tl.where(is_one, transposed, 0), y)
    return y


@triton.jit
def _power(x, y):
    """Return ``x ** y`` in float64 by exponential and logarithm, with the right sign and nan."""
    a = tl.abs(x)
    size = tl.exp(y * tl.log(a))
    size = tl.where((a == 1) & (y == y), 1.0, size)
    odd = tl.abs(y - 2 * tl.floor(0.5 * y)) == 1
    signed = tl.where((x < 0) & odd, -size, size)
    whole = (y == tl.floor(y)) | (a == float("inf"))
    signed = tl.where((x < 0) & (whole == 0), float("nan"), signed)
    return tl.where((y == 0) | (x == 1), 1.0, signed)


@triton.jit
def broadcast_power(lhs, rhs):
    """Return ``lhs ** rhs``, floats by way of float64; of integers exact, or wrapped around."""
    if lhs.dtype.is_floating():
        y = _power(lhs.to(tl.float64), rhs.to(tl.float64)).to(lhs.dtype)
    else:
        y = _whole_power(lhs, rhs)
    return y


@triton.jit
def power_scalar(data, scalar: tl.constexpr):
    """Return ``data ** scalar``; common exponents take products and roots."""
    if not data.dtype.is_floating():
        y = broadcast_power(data, tl.full(data.shape, scalar, data.dtype))
    elif scalar == 0.5:
        y = tl.sqrt(data)
    elif scalar == -0.5:  # of -0 infinite, and of negative infinity 0
        root = 1.0 / tl.sqrt(tl.where(data == 0, 0.0, data))
        y = tl.where(data == -float("inf"), 0.0, root)
    elif scalar == 1.0:
        y = data
    elif scalar == -1.0:
        y = 1.0 / data
    elif scalar == 2.0:
        y = data * data
    elif scalar == -2.0:
        y = 1.0 / (data * data)
    elif scalar == 3.0:
        y = data * data * data
    elif scalar == 4.0:
        y = data * data * (data * data)
    else:
        y = broadcast_power(data, tl.full(data.shape, scalar, data.dtype))
    return y


@triton.jit
def rpower_scalar(data, scalar: tl.constexpr):
    return broadcast_power(tl.full(data.shape, scalar, data.dtype), data)


@triton.jit
def broadcast_mod(lhs, rhs):
    """Return the remainder with the sign of ``rhs``; 0 where ``rhs`` is 0."""
    rest = lhs % (rhs if rhs.dtype.is_floating() else _divisor(rhs))
    rest = tl.where((rest != 0) & ((rest < 0) != (rhs < 0)), rest + rhs, rest)
    return tl.where(rhs == 0, 0, rest)


@triton.jit
def mod_scalar(data, scalar: tl.constexpr):
    return broadcast_mod(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def rmod_scalar(data, scalar: tl.constexpr):
    return broadcast_mod(tl.full(data.shape, scalar, data.dtype), data)


@triton.jit
def hypot_scalar(data, scalar: tl.constexpr):
    return broadcast_hypot(data, tl.full(data.shape, scalar, data.dtype))
