"""The error function, its inverse, and the gamma function with its logarithm and derivatives."""

import math
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Out, between, in_float32, number, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS

# -log(erfc(x)) / x as a polynomial in u = (3x - 6) / (x + 6), for 0 <= x <= 6 with an error of
# 2e-17, and in u = (4x - 6) / (x + 6), for 0 <= x <= 4 with an error of 3e-9: Chebyshev
# interpolation in 60 digits. Beyond, erf is 1 in the dtype.
_DOUBLE = (
    2.682470632308319,
    2.314253564914795,
    0.9701938726808602,
    0.2807356525566668,
    0.09799593298546092,
    0.0347865452785944,
    0.010214983280286982,
    0.003748683511823219,
    0.0012837791588255903,
    0.0003626729416411799,
    0.0001460471792971044,
    4.698533242675923e-05,
    1.2509578111449434e-05,
    5.928759250205835e-06,
    1.6530694067029538e-06,
    4.1547924590006285e-07,
    2.551951491941706e-07,
    5.4212238198406436e-08,
    1.4481668991492008e-08,
    1.02848123137146e-08,
    6.861353162813407e-10,
    9.493655588094827e-10,
    7.128507848621046e-10,
)
_SINGLE = (
    2.256328059524261,
    1.5655909599211169,
    0.526534859798983,
    0.10998094578233612,
    0.028024560275887837,
    0.008249630215331366,
    0.0016268468618434093,
    0.0004320750430306832,
    0.000139797402977657,
    2.9091505896641767e-05,
    7.748503620080473e-06,
)

# erfinv(x) / x as a polynomial in u = (2.034483 w - 9) / (w + 9), of w = -log(1 - x²) from 0 to
# 17.4, where x is 1 in float32, with an error of 8e-9: Chebyshev interpolation.
_INVERSE_SCALE = 2.03448275862069
_INVERSE = (
    1.9542311511092656,
    1.4658280435765139,
    0.39991018549915447,
    0.03054385454702125,
    0.09547328834628731,
    0.07594756582934162,
    -0.011360643155375218,
    -0.018504143690767243,
    0.013632101188901258,
    0.012349403902674989,
    -0.003259058015988775,
    -0.0037010474380559854,
    0.0008733888208776112,
    0.0008098161467131847,
)

# Coefficients of Stirling's series for log gamma, of powers 1/x, 1/x³, …, and of its derivatives:
# B(2k) / (2k (2k-1)), B(2k) / 2k and B(2k) with Bernoulli's numbers B; Abramowitz and Stegun 1964,
# formulas 6.1.41, 6.3.18 and 6.4.12.
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
_DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)
_TRIGAMMA = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
_MIN_SERIES = 10  # from here on eight terms of the series suffice; smaller arguments are shifted


def _blocked(
    function: Callable[[Array], Array], data: Array, out: Out = None, itemsize: int | None = None
) -> Array:
    """Return ``function(data)`` in the dtype of ``data``, computed block by block.

    Args:
        function: Function of a block of ``data``.
        data: The operand.
        out: Out buffer of the result.
        itemsize: Bytes per element of the intermediate arrays, which determine the block size;
            None: those of ``data``.
    """
    y = np.empty(data.shape, data.dtype) if out is None else out[0]
    if not y.flags.c_contiguous:
        y[...] = function(data)
        return y
    flat, result = data.reshape(-1), y.reshape(-1)
    block = COSTS.blocks.special // (itemsize or data.itemsize)
    for i in range(0, flat.size, block):
        result[i : i + block] = function(flat[i : i + block])
    return y


def _in_float64(function: Callable[[Array], Array], data: Array, out: Out) -> Array:
    return _blocked(lambda x: function(x.astype(np.float64, copy=False)), data, out, 8)


def _polynomial(x: Array, coefficients: Sequence[float]) -> Array:
    dtype = x.dtype
    y: Array = np.multiply(x, number(coefficients[-1], dtype))
    for c in coefficients[-2:0:-1]:
        y += number(c, dtype)
        y *= x
    y += number(coefficients[0], dtype)
    return y


def _log_erfc(x: Array) -> Array:
    """Return ``-log(erfc(x))`` for ``x`` from 0 to where ``erf(x)`` rounds to 1 in the dtype."""
    double = x.dtype == np.float64
    dtype = x.dtype
    six = number(6, dtype)
    u = x * number(3 if double else 4, dtype)
    u -= six
    u /= x + six
    y = _polynomial(u, _DOUBLE if double else _SINGLE)
    y *= x
    return y


@cache
def _sign_bit(dtype: np.dtype[Any]) -> Array:
    """Return -0.0, of which that bit alone is set, as an integer."""
    return np.asarray(np.array(-0.0, dtype).view(f"i{dtype.itemsize}"))


def _erf(data: Array) -> Array:
    # erf = 1 - exp(log erfc): expm1 keeps the digits of small results.
    x = np.abs(data)
    x = between(x, 0.0, 6.0 if data.dtype == np.float64 else 4.0, x)
    y = np.negative(_log_erfc(x))
    # The sign is added as a bit, because NumPy's copysign is not vectorized.
    bits = f"i{data.itemsize}"
    sign: Array = np.bitwise_and(data.view(bits), _sign_bit(data.dtype))
    sign |= np.negative(np.expm1(y, out=y), out=y).view(bits)
    return sign.view(data.dtype)


@kernel(pointwise=True)
@quiet
def erf(data: Array, *, out: Out = None) -> Array:
    """Return the error function of each element."""
    return in_float32(partial(_blocked, _erf), data) if out is None else _blocked(_erf, data, out)


def _erfinv(data: Array) -> Array:
    """Return the inverse error function in float64, by two steps of Halley's method."""
    # It starts from Winitzki's approximation (2008) with an error of 2e-3; after one step the error
    # is 2e-9, after two 8e-16. The steps are on log erfc, nearly a parabola even where erf is
    # nearly 1.
    x = np.abs(data)
    goal = np.negative(np.log1p(-x))
    a = np.log1p(-x * x)
    b = 2 / (math.pi * 0.147) + a / 2
    y = np.sqrt(np.sqrt(b * b - a / 0.147) - b)
    for _ in range(2):
        between(y, 0.0, 6.0, y)
        value = _log_erfc(y)
        derivative = 2 / math.sqrt(math.pi) * np.exp(value - y * y)
        error = value - goal
        y -= error / (derivative - error * (derivative / 2 - y))
    y[x == 0] = 0
    y[x == 1] = np.inf
    return np.asarray(np.copysign(y, data))


def _erfinv_single(x: Array) -> Array:
    """Return the inverse error function in float32, by a polynomial."""
    # log(1 - x²) as the sum of two logarithms: the square would lose digits.
    w = np.log1p(-x)
    w += np.log1p(x)
    np.negative(w, out=w)
    nine = number(9, w.dtype)
    u = w * number(_INVERSE_SCALE, w.dtype)
    u -= nine
    w += nine
    u /= w
    y = _polynomial(u, _INVERSE)
    y *= x
    # At x of 1 and -1 w is infinite.
    if np.isinf(w).any():
        np.copyto(y, x * np.inf, where=np.isinf(w))
    return y


def _inverse(x: Array) -> Array:
    return _erfinv_single(x) if x.dtype == np.float32 else _erfinv(x)


@kernel(pointwise=True)
@quiet
def erfinv(data: Array, *, out: Out = None) -> Array:
    """Return the inverse error function of each element."""
    if out is not None:
        return _blocked(_inverse, data, out)
    return in_float32(partial(_blocked, _inverse), data)


def _shift_small(x: Array) -> tuple[Array, Array]:
    """Return ``x`` where it is at least 10, else ``x + 10``, for Stirling's series; and a mask.

    The mask is True where ``x`` is not shifted.
    """
    large = x >= _MIN_SERIES
    return np.where(large, x, x + _MIN_SERIES), large


def _rising_factorial(x: Array) -> Array:
    """Return ``x (x + 1) … (x + 9)``, which is gamma(x + 10) / gamma(x)."""
    # In pairs: (x + k) (x + 9 - k) is x (x + 9) + k (9 - k).
    pair = x + 9
    pair *= x
    y = pair.copy()
    for k in range(1, _MIN_SERIES // 2):
        y *= pair + k * (9 - k)
    return y


def _sin_pi(x: Array) -> Array:
    """Return ``sin(πx)``, exactly 0 for integers."""
    nearest = np.round(x)
    y = np.sin(math.pi * (x - nearest))
    return np.asarray(np.where(nearest % 2 == 0, y, -y))


def _series(x: Array, coefficients: Sequence[float]) -> Array:
    """Return ``c[0] / x + c[1] / x³ + c[2] / x⁵ + …`` for ``coefficients`` ``c``."""
    y = _polynomial(1 / (x * x), coefficients)
    y /= x
    return y


@cache
def _factorials() -> Array:
    """Return all factorials that are finite in float64, from ``0!`` to ``170!``."""
    return np.array([math.factorial(n) for n in range(171)], np.float64)


def _gamma_positive(x: Array) -> Array:
    y, large = _shift_small(x)
    # In two factors of its square root, because the power overflows before gamma does.
    root = np.power(y, y / 2 - 0.25)
    result = math.sqrt(2 * math.pi) * root * np.exp(_series(y, _STIRLING) - y) * root
    result = np.asarray(np.where(large, result, result / _rising_factorial(x)))
    # Gamma is exact for integers, as users expect of factorials.
    factorials = _factorials()
    whole = (x == np.floor(x)) & (x > 0) & (x <= len(factorials))
    result[whole] = factorials[x[whole].astype(np.int64) - 1]
    # For larger x, the power is infinite and the exponential 0.
    result[x > len(factorials) + 1] = np.inf
    return result


def _gamma(x: Array) -> Array:
    result = _gamma_positive(np.abs(x))
    negative = x < 0
    # Reflection formula: gamma(-x) = -π / (x gamma(x) sin(πx)).
    if negative.any():
        mirrored = math.pi / (x * result * _sin_pi(np.abs(x)))
        mirrored[x == np.floor(x)] = np.nan
        result = np.where(negative, mirrored, result)
    zero = x == 0
    result[zero] = np.copysign(np.inf, x[zero])
    result[x == -np.inf] = np.nan
    return result


def _gammaln_positive(x: Array) -> Array:
    y, large = _shift_small(x)
    result = _series(y, _STIRLING)
    result += 0.5 * math.log(2 * math.pi)
    result -= y
    y -= 0.5
    y *= np.log(y + 0.5)
    result += y
    # Undo the shift. At 1 and 2, where gamma is 1, rounding would not give exactly 0.
    product = _rising_factorial(x)
    product[large] = 1
    result -= np.log(product, out=product)
    result[(x == 1) | (x == 2)] = 0
    return result


def _gammaln(x: Array) -> Array:
    result = _gammaln_positive(np.abs(x))
    negative = x < 0
    if negative.any():
        mirrored = math.log(math.pi) - np.log(np.abs(x * _sin_pi(x))) - result
        mirrored[x == np.floor(x)] = np.inf
        result = np.where(negative, mirrored, result)
    result[np.isinf(x)] = np.inf
    return result


def _digamma_positive(x: Array) -> Array:
    y, large = _shift_small(x)
    result = np.log(y) - 0.5 / y - _series(y, _DIGAMMA) / y
    fractions = sum((1 / (x + i) for i in range(1, _MIN_SERIES)), 1 / x)
    return np.where(large, result, result - fractions)


def _digamma(x: Array) -> Array:
    negative = x < 0
    result = _digamma_positive(np.where(negative, 1 - x, x))
    if negative.any():
        result = np.where(negative, result - math.pi / np.tan(math.pi * (x - np.round(x))), result)
        result[negative & (x == np.floor(x))] = np.nan
    return result


def _trigamma_positive(x: Array) -> Array:
    y, large = _shift_small(x)
    square = 1 / (y * y)
    result = 1 / y + 0.5 * square + _series(y, _TRIGAMMA) * square
    fractions = sum((1 / (x + i) ** 2 for i in range(1, _MIN_SERIES)), 1 / x**2)
    return np.where(large, result, result + fractions)


def _trigamma(x: Array) -> Array:
    negative = x < 0
    result = _trigamma_positive(np.where(negative, 1 - x, x))
    if negative.any():
        result = np.where(negative, (math.pi / _sin_pi(x)) ** 2 - result, result)
    return result


def _enter(name: str, function: Callable[[Array], Array]) -> None:
    @kernel(name, pointwise=True)
    @quiet
    def special(data: Array, *, out: Out = None) -> Array:
        return _in_float64(function, data, out)


_enter("gamma", _gamma)  # nan at negative integers
_enter("gammaln", _gammaln)  # of the magnitude of gamma; inf at 0 and negative integers
_enter("digamma", _digamma)  # nan at negative integers
_enter("trigamma", _trigamma)  # inf at negative integers
