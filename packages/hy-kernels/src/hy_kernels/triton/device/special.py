"""Gamma function, its logarithm and derivatives, and the inverse of the error function.

Conventions are those of :mod:`hy_kernels.triton.device.pointwise`. The gamma family is float64
throughout: Stirling's series from 10 on (Abramowitz and Stegun, "Handbook of Mathematical
Functions", 1964, 6.1.41, 6.3.18 and 6.4.12); smaller arguments are shifted by recurrence, negative
ones reflected (6.1.17, 6.3.7, 6.4.7). The product of ten factors ``x + k`` is that of five,
``x (x + 9) + k (9 - k)``, all positive. The error function is inverted by Giles, "Approximating the
erfinv function", 2010, in float32, and by algorithm AS 241 (Wichura, Applied Statistics 37, 1988)
in float64, both without a loop. Bytes moved: the operand and the result, once.
"""

import triton
import triton.language as tl

_MIN_SERIES = tl.constexpr(10)  # from here on eight terms of the series are exact
_HALF_LOG_2PI = tl.constexpr(0.9189385332046727)
_LOG_PI = tl.constexpr(1.1447298858494002)
_PI = tl.constexpr(3.141592653589793)
_SQRT_2PI = tl.constexpr(2.5066282746310002)


@triton.jit
def _moved(x):
    """Return ``x`` shifted to 10 or more, whether ``x`` is that large, and ``x (x + 9)`` if not."""
    large = x >= _MIN_SERIES
    small = tl.where(large, 1.0, x)
    return tl.where(large, x, x + _MIN_SERIES), large, small * (small + 9)


@triton.jit
def _stirling(y):
    """Return Stirling's series, the correction term of the logarithm of gamma."""
    z = 1 / (y * y)
    series = -3617 / 122400 * z + 1 / 156
    series = (series * z - 691 / 360360) * z + 1 / 1188
    series = (series * z - 1 / 1680) * z + 1 / 1260
    return ((series * z - 1 / 360) * z + 1 / 12) / y


@triton.jit
def _rising_factorial(u):
    """Return ``x (x + 1) … (x + 9)`` for ``u = x (x + 9)``."""
    return u * (u + 8) * (u + 14) * (u + 18) * (u + 20)


@triton.jit
def _near_sin_pi(x):
    """Return ``sin(πx)`` by Taylor's series, for ``x`` from -1/2 to 1/2."""
    z = x * x
    y = 5.3926646626081284894e-10 * z - 2.294842899726987311e-8
    y = (y * z + 7.9520540014755127848e-7) * z - 2.1915353447830215827e-5
    y = (y * z + 4.6630280576761256442e-4) * z - 7.3704309457143507773e-3
    y = (y * z + 8.2145886611128228799e-2) * z - 5.9926452932079207689e-1
    y = (y * z + 2.5501640398773454439) * z - 5.1677127800499700292
    return (y * z + 3.1415926535897932385) * x


@triton.jit
def _sin_pi(x):
    """Return ``sin(πx)``, exactly 0 for integers."""
    nearest = tl.floor(x + 0.5)
    y = _near_sin_pi(x - nearest)
    # The remainder is exact in floats, so that sin(πx) is 0 at integers, where π times x is not.
    is_even = nearest == 2 * tl.floor(0.5 * nearest)
    return tl.where(is_even, y, -y)


@triton.jit
def _factorial(a):
    """Return ``(a - 1)!`` for integers up to 23, exactly."""
    y = tl.full(a.shape, 1.0, a.dtype)
    for k in range(2, 23):
        y = tl.where(k < a, y * k, y)
    return y


@triton.jit
def gamma(data):
    """Return the gamma function; nan at the negative integers.

    The relative error is some 1e-15, for the largest results 1e-13.
    """
    a = tl.abs(data)
    y, large, u = _moved(a)
    # x^(x - 1/2) is infinite from 144 on, gamma itself from 171.6: the square of its root, with the
    # factor exp(-x) between, is as large as gamma.
    root = tl.exp((0.5 * y - 0.25) * tl.log(y))  # of the power, which overflows before gamma does
    size = root * _SQRT_2PI * tl.exp(_stirling(y) - y) * root
    size = tl.where(large, size, size / _rising_factorial(u))
    # Factorials are integers, and people compare them with ==: up to 23 they are exact products.
    size = tl.where((a == tl.floor(a)) & (a <= 23), _factorial(a), size)
    # Far above the largest finite result the power is infinity and exp(-x) 0.
    size = tl.where(a > 172, float("inf"), size)
    mirrored = 1 / (data * size * _sin_pi(a)) * _PI  # gamma(-x) = -π / (x gamma(x) sin(πx))
    mirrored = tl.where(data == tl.floor(data), float("nan"), mirrored)
    return tl.where(data == 0, 1 / data, tl.where(data < 0, mirrored, size))


@triton.jit
def gammaln(data):
    """Return the logarithm of gamma's absolute value; inf at 0 and the negative integers.

    The error is some 1e-14 of the larger of the result and 1.
    """
    a = tl.abs(data)
    y, large, u = _moved(a)
    size = (y - 0.5) * tl.log(y) - y + _HALF_LOG_2PI + _stirling(y)
    size = tl.where(large, size, size - tl.log(_rising_factorial(u)))
    size = tl.where((a == 1) | (a == 2), 0.0, size)
    mirrored = -tl.log(tl.abs(data * _sin_pi(a))) + _LOG_PI - size
    mirrored = tl.where(data == tl.floor(data), float("inf"), mirrored)
    result = tl.where(data < 0, mirrored, size)
    return tl.where(a == float("inf"), a, result)


@triton.jit
def digamma(data):
    """Return the derivative of ``gammaln``; nan at the negative integers."""
    x = tl.where(data < 0, 1 - data, data)
    y, large, u = _moved(x)
    z = 1 / (y * y)
    series = -3617 / 8160 * z + 1 / 12
    series = (series * z - 691 / 32760) * z + 1 / 132
    series = (series * z - 1 / 240) * z + 1 / 252
    series = ((series * z - 1 / 120) * z + 1 / 12) * z
    size = tl.log(y) - 0.5 / y - series
    fractions = 1 / u + 1 / (u + 8) + 1 / (u + 14) + 1 / (u + 18) + 1 / (u + 20)
    size = tl.where(large, size, size - (2 * x + 9) * fractions)
    rest = data - tl.floor(data + 0.5)
    cosine = _near_sin_pi(0.5 - tl.abs(rest))
    mirrored = size - cosine / _near_sin_pi(rest) * _PI
    mirrored = tl.where(data == tl.floor(data), float("nan"), mirrored)
    return tl.where(data < 0, mirrored, size)


@triton.jit
def _squares(u, rest):
    """Return ``1 / (x + k)² + 1 / (x + 9 - k)²`` for ``u = x (x + 9)``, ``rest = k (9 - k)``."""
    both = u + rest
    return (2 * u + (81 - 2 * rest)) / both / both


@triton.jit
def trigamma(data):
    """Return the derivative of ``digamma``; inf at 0 and the negative integers."""
    x = tl.where(data < 0, 1 - data, data)
    y, large, u = _moved(x)
    z = 1 / (y * y)
    series = -3617 / 510 * z + 7 / 6
    series = (series * z - 691 / 2730) * z + 5 / 66
    series = (series * z - 1 / 30) * z + 1 / 42
    series = ((series * z - 1 / 30) * z + 1 / 6) * z
    size = 1 / y + 0.5 * z + series / y
    squares = _squares(u, 0) + _squares(u, 8) + _squares(u, 14) + _squares(u, 18) + _squares(u, 20)
    size = tl.where(large, size, size + squares)
    ratio = 1 / _sin_pi(data) * _PI
    return tl.where(data < 0, ratio * ratio - size, size)


@triton.jit
def _erfinv_single(x):
    """Return erfinv for float32: Giles 2010, table 5, polynomials in ``-log(1 - x²)``."""
    w = -tl.log((1 - x) * (1 + x))
    near = w < 5
    root = tl.sqrt(tl.maximum(w, 5.0)) - 3
    w = w - 2.5
    p = 2.81022636e-08 * w + 3.43273939e-07
    p = (p * w - 3.5233877e-06) * w - 4.39150654e-06
    p = (p * w + 0.00021858087) * w - 0.00125372503
    p = (p * w - 0.00417768164) * w + 0.246640727
    p = p * w + 1.50140941
    q = -0.000200214257 * root + 0.000100950558
    q = (q * root + 0.00134934322) * root - 0.00367342844
    q = (q * root + 0.00573950773) * root - 0.0076224613
    q = (q * root + 0.00943887047) * root + 1.00167406
    q = q * root + 2.83297682
    return tl.where(near, p, q) * x


@triton.jit
def _erfinv_double(x):
    """Return erfinv for float64: AS 241, PPND16, of ``(1 + x) / 2``, divided by the root of 2."""
    half = 0.5 * x
    r = 0.180625 - half * half
    above = 2.5090809287301226727e3 * r + 3.3430575583588128105e4
    above = (above * r + 6.7265770927008700853e4) * r + 4.5921953931549871457e4
    above = (above * r + 1.3731693765509461125e4) * r + 1.9715909503065514427e3
    above = (above * r + 1.3314166789178437745e2) * r + 3.3871328727963666080e0
    below = 5.2264952788528545610e3 * r + 2.8729085735721942674e4
    below = (below * r + 3.9307895800092710610e4) * r + 2.1213794301586595867e4
    below = (below * r + 5.3941960214247511077e3) * r + 6.8718700749205790830e2
    below = (below * r + 4.2313330701600911252e1) * r + 1.0
    central = half * above / below
    tail = tl.sqrt(-tl.log(0.5 - tl.abs(half)))
    r = tl.minimum(tail, 5.0) - 1.6
    above = 7.74545014278341407640e-4 * r + 2.27238449892691845833e-2
    above = (above * r + 2.41780725177450611770e-1) * r + 1.27045825245236838258e0
    above = (above * r + 3.64784832476320460504e0) * r + 5.76949722146069140550e0
    above = (above * r + 4.63033784615654529590e0) * r + 1.42343711074968357734e0
    below = 1.05075007164441684324e-9 * r + 5.47593808499534494600e-4
    below = (below * r + 1.51986665636164571966e-2) * r + 1.48103976427480074590e-1
    below = (below * r + 6.89767334985100004550e-1) * r + 1.67638483018380384940e0
    below = (below * r + 2.05319162663775882187e0) * r + 1.0
    near = above / below
    r = tl.minimum(tl.maximum(tail, 5.0), 30.0) - 5
    above = 2.01033439929228813265e-7 * r + 2.71155556874348757815e-5
    above = (above * r + 1.24266094738807843860e-3) * r + 2.65321895265761230930e-2
    above = (above * r + 2.96560571828504891230e-1) * r + 1.78482653991729133580e0
    above = (above * r + 5.46378491116411436990e0) * r + 6.65790464350110377720e0
    below = 2.04426310338993978564e-15 * r + 1.42151175831644588870e-7
    below = (below * r + 1.84631831751005468180e-5) * r + 7.86869131145613259100e-4
    below = (below * r + 1.48753612908506148525e-2) * r + 1.36929880922735805310e-1
    below = (below * r + 5.99832206555887937690e-1) * r + 1.0
    far = tl.where(tail > 5, above / below, near)
    outer = tl.where(x < 0, -far, far)
    return 0.7071067811865476 * tl.where(tl.abs(half) <= 0.425, central, outer)


@triton.jit
def erfinv(data):
    a = tl.abs(data)
    if data.dtype == tl.float64:
        y = _erfinv_double(data)
    else:
        y = _erfinv_single(data)
    y = tl.where(a == 1, data * float("inf"), y)
    return tl.where(a <= 1, y, float("nan"))
