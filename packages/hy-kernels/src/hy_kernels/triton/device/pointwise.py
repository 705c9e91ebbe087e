"""Pointwise operators, each a function of one element of each operand, by the operator's name.

Parameters are compile-time constants. Operands are float32 or float64, or integers for operators
defined on them. Functions without a hardware instruction use exponentials and logarithms that lose
no digits where results are small: ``expm1`` and ``log1p`` by Kahan's corrections (Higham, "Accuracy
and Stability of Numerical Algorithms", 2002, 1.14.1).
"""

import triton
import triton.language as tl


@triton.jit
def identity(x):
    return x


@triton.jit
def abs(data):
    return tl.abs(data)


@triton.jit
def negative(data):
    return -data


@triton.jit
def square(data):
    return data * data


@triton.jit
def sign(data):
    return (data > 0).to(data.dtype) - (data < 0).to(data.dtype)


@triton.jit
def cbrt(data):
    """Return the cube root: a power, improved by one Newton step; exact for 0 and infinity."""
    a = tl.abs(data)
    # A power by logarithms is off by some units of the last place; one step of Newton's squares the
    # relative error of that.
    root = tl.exp(tl.log(a) / 3)
    root = tl.where((a > 0) & (a < float("inf")), root - (root - a / (root * root)) / 3, a)
    return tl.where(data < 0, -root, tl.where(data == 0, data, root))


@triton.jit
def sqrt(data):
    return tl.sqrt(data)


@triton.jit
def rsqrt(data):
    return 1.0 / tl.sqrt(data)


@triton.jit
def reciprocal(data):
    return 1.0 / data


@triton.jit
def clip(data, a_min: tl.constexpr, a_max: tl.constexpr):
    # Two comparisons let nan through, as NumPy's clip does.
    return minimum_scalar(maximum_scalar(data, a_min), a_max)


@triton.jit
def smooth_l1(data, scalar: tl.constexpr):
    size = tl.abs(data)
    loss = 0.5 * (scalar * scalar) * size * size
    if scalar * scalar > 0:
        loss = tl.where(size >= 1.0 / (scalar * scalar), size - 0.5 / (scalar * scalar), loss)
    return loss


@triton.jit
def exp(data):
    return tl.exp(data)


@triton.jit
def log(data):
    return tl.log(data)


@triton.jit
def log2(data):
    return tl.log2(data)


@triton.jit
def log10(data):
    # PTX has logarithms of base 2 alone (lg2), of which all others are multiples.
    return tl.log(data) * 0.4342944819032518


@triton.jit
def log1p(data):
    # The sum rounds. What it lost is made up for by the ratio of x to what the sum kept of it;
    # where that is nothing, x is its own logarithm.
    y = 1.0 + data
    rest = y - 1.0
    exact = tl.log(y) * (data / tl.where(rest == 0, 1.0, rest).to(data.dtype))
    is_standard = (rest != 0) & (y < float("inf"))
    return tl.where(is_standard, exact, tl.where(rest == 0, data, y))


@triton.jit
def expm1(data):
    # Likewise: the rounded power stands for another exponent, whose ratio to x corrects it.
    y = tl.exp(data)
    rest = y - 1.0
    exponent = tl.log(tl.where(y > 0, y, 1.0))
    exact = rest * (data / tl.where(exponent == 0, 1.0, exponent).to(data.dtype))
    is_standard = (exponent != 0) & (rest > -1.0) & (y < float("inf"))
    return tl.where(is_standard, exact, tl.where(y == 1.0, data, rest))


@triton.jit
def sin(data):
    return tl.sin(data)


@triton.jit
def cos(data):
    return tl.cos(data)


@triton.jit
def radians(data):
    return data * 0.017453292519943295


@triton.jit
def degrees(data):
    return data * 57.29577951308232


@triton.jit
def tanh(data):
    # By a power of a negative number, which never overflows, less 1 without cancellation.
    low = expm1(-2.0 * tl.abs(data))
    y = -low / (low + 2.0)
    return tl.where(data < 0, -y, y)


@triton.jit
def erf(data):
    return tl.erf(data)


@triton.jit
def sigmoid(data):
    # An exponential of a number below 0 never overflows, and nothing is subtracted from 1, where
    # bits of small results would be lost.
    low = tl.exp(-tl.abs(data))
    return tl.where(data >= 0, 1.0 / (1.0 + low), low / (1.0 + low))


@triton.jit
def softsign(data):
    return data / (1.0 + tl.abs(data))


@triton.jit
def softrelu(data):
    # log(1 + exp(x)) with the larger part taken out, so that nothing overflows.
    return tl.maximum(data, 0.0, propagate_nan=tl.PropagateNan.ALL) + log1p(tl.exp(-tl.abs(data)))


@triton.jit
def hard_sigmoid(data, alpha: tl.constexpr, beta: tl.constexpr):
    return clip(data * alpha + beta, 0.0, 1.0)


@triton.jit
def relu(data):
    # Not a maximum: nan is no less than 0, and stays.
    return tl.where(data < 0, 0, data)


@triton.jit
def relu_backward(dy, y):
    sign = tl.where(y != y, y, (y > 0).to(y.dtype) - (y < 0).to(y.dtype))
    return sign * dy


@triton.jit
def activation(data, act_type: tl.constexpr):
    if act_type == "relu":
        y = relu(data)
    elif act_type == "sigmoid":
        y = sigmoid(data)
    elif act_type == "softrelu":
        y = softrelu(data)
    elif act_type == "softsign":
        y = softsign(data)
    else:
        y = tanh(data)
    return y


@triton.jit
def activation_backward(dy, output, act_type: tl.constexpr):
    if act_type == "relu":
        derivative = (output > 0).to(output.dtype)
    elif act_type == "sigmoid":
        derivative = output * (1.0 - output)
    elif act_type == "softrelu":
        # Of the result y the sigmoid of x is 1 - exp(-y).
        derivative = -expm1(-output)
    elif act_type == "softsign":
        rest = 1.0 - tl.abs(output)
        derivative = rest * rest
    else:
        # As a product: 1 - y * y would lose the bits in which y differs from 1.
        derivative = (1.0 - output) * (1.0 + output)
    return dy * derivative


@triton.jit
def leaky_relu(data, act_type: tl.constexpr, slope: tl.constexpr):
    if act_type == "gelu":
        y = data * 0.5 * (1.0 + tl.erf(data * 0.7071067811865476))
    elif act_type == "leaky":
        y = tl.where(data > 0, data, data * slope)
    elif act_type == "selu":
        # Both sides of a choice are computed: positive numbers are 0 on the side that is not taken,
        # so that none overflows.
        low = 1.6732632423543772 * expm1(tl.where(data > 0, 0.0, data).to(data.dtype))
        y = 1.0507009873554805 * tl.where(data > 0, data, low)
    else:
        low = slope * expm1(tl.where(data > 0, 0.0, data).to(data.dtype))
        y = tl.where(data > 0, data, low)
    return y


@triton.jit
def leaky_relu_backward(dy, data, act_type: tl.constexpr, slope: tl.constexpr):
    if act_type == "gelu":
        density = tl.exp(data * data * -0.5) * 0.3989422804014327
        factor = 0.5 * (1.0 + tl.erf(data * 0.7071067811865476)) + data * density
    elif act_type == "leaky":
        factor = tl.where(data > 0, 1.0, tl.full(data.shape, slope, data.dtype))
    elif act_type == "selu":
        low = 1.6732632423543772 * tl.exp(tl.where(data > 0, 0.0, data).to(data.dtype))
        factor = 1.0507009873554805 * tl.where(data > 0, 1.0, low)
    else:
        low = slope * tl.exp(tl.where(data > 0, 0.0, data).to(data.dtype))
        factor = tl.where(data > 0, 1.0, low)
    return dy * factor


@triton.jit
def prelu(data, slope):
    return tl.where(data > 0, data, data * slope)


@triton.jit
def prelu_to_data(dy, data, slope):
    """Return the gradient of PReLU to its operand."""
    return tl.where(data > 0, dy, dy * slope)


@triton.jit
def prelu_to_slope(dy, data):
    """Return the gradient of PReLU to its slope."""
    return dy * tl.where(data > 0, 0, data)


@triton.jit
def leaky_relu_curve(data, act_type: tl.constexpr, slope: tl.constexpr):
    """Return the second derivative of :func:`leaky_relu`."""
    if act_type == "gelu":
        square = data * data
        y = tl.exp(-0.5 * square) * (2 - square) * 0.3989422804014327
    elif act_type == "leaky":
        y = tl.zeros(data.shape, data.dtype)
    else:
        low = tl.where(data > 0, 0.0, tl.exp(tl.where(data > 0, 0.0, data)))
        y = low * (1.7580993408473766 if act_type == "selu" else slope)
    return y


@triton.jit
def floor(data):
    return tl.floor(data)


@triton.jit
def ceil(data):
    return tl.ceil(data)


@triton.jit
def trunc(data):
    return tl.where(data < 0, tl.ceil(data), tl.floor(data))


@triton.jit
def rint(data):
    # Halves go down, as in MXNet; np_around takes the even one.
    low = tl.floor(data)
    return low + (data - low > 0.5).to(data.dtype)


@triton.jit
def round(data):
    size = tl.abs(data)
    low = tl.floor(size)
    y = low + (size - low >= 0.5).to(data.dtype)
    return tl.where(data < 0, -y, y)


@triton.jit
def _to_even(data):
    """Round to the nearest integer, halves to the even one."""
    # Triton's language has no rounding to even: the parity of what is below decides of halves.
    low = tl.floor(data)
    rest = data - low
    is_odd = low != 2 * tl.floor(0.5 * low)
    return tl.where((rest > 0.5) | ((rest == 0.5) & is_odd), low + 1, low)


@triton.jit
def np_around(x, decimals: tl.constexpr):
    if decimals < 0:
        # Divided by a whole power of 10: a product with 0.1, which is rounded, would move halves.
        y = _to_even(x / 10.0**-decimals) * 10.0**-decimals
    else:
        y = _to_even(x * 10.0**decimals) / 10.0**decimals
    return y


@triton.jit
def is_minus(x):
    """Return whether the sign bit is set, also of zeros and nan."""
    return x.to(tl.int64 if x.dtype == tl.float64 else tl.int32, bitcast=True) < 0


@triton.jit
def add_n(total, x):
    """Return ``total + x``, one step of the sum of many operands."""
    return total + x


@triton.jit
def broadcast_add(lhs, rhs):
    return lhs + rhs


@triton.jit
def broadcast_sub(lhs, rhs):
    return lhs - rhs


@triton.jit
def broadcast_mul(lhs, rhs):
    return lhs * rhs


@triton.jit
def _divisor(rhs):
    """Return an integer divisor with 1 in place of 0 and -1, whose division may be undefined."""
    y = tl.where(rhs == 0, 1, rhs)
    if rhs.dtype.is_int_signed():
        y = tl.where(rhs == -1, 1, y)
    return y


@triton.jit
def broadcast_div(lhs, rhs):
    """Return ``lhs / rhs``; integers are truncated, and give 0 where ``rhs`` is 0."""
    if lhs.dtype.is_floating():
        y = lhs / rhs
    else:
        y = lhs // _divisor(rhs)
        if rhs.dtype.is_int_signed():
            y = tl.where(rhs == -1, -lhs, y)
        y = tl.where(rhs == 0, tl.zeros_like(y), y)
    return y


@triton.jit
def broadcast_maximum(lhs, rhs):
    return tl.maximum(lhs, rhs, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def broadcast_minimum(lhs, rhs):
    return tl.minimum(lhs, rhs, propagate_nan=tl.PropagateNan.ALL)


@triton.jit
def broadcast_hypot(lhs, rhs):
    a, b = tl.abs(lhs), tl.abs(rhs)
    high, low = broadcast_maximum(a, b), broadcast_minimum(a, b)
    # The larger one is taken out of the root: in float32 squares of numbers beyond 1e19 are
    # infinite, and of those below 1e-23 zero.
    share = low / tl.where(high == 0, 1.0, high).to(high.dtype)
    is_infinite = (a == float("inf")) | (b == float("inf"))
    return tl.where(is_infinite, float("inf"), high * tl.sqrt(1.0 + share * share)).to(a.dtype)


@triton.jit
def plus_scalar(data, scalar: tl.constexpr):
    return data + scalar


@triton.jit
def minus_scalar(data, scalar: tl.constexpr):
    return data - scalar


@triton.jit
def rminus_scalar(data, scalar: tl.constexpr):
    return scalar - data


@triton.jit
def mul_scalar(data, scalar: tl.constexpr):
    return data * scalar


@triton.jit
def div_scalar(data, scalar: tl.constexpr):
    return broadcast_div(data, tl.full(data.shape, scalar, data.dtype))


@triton.jit
def rdiv_scalar(data, scalar: tl.constexpr):
    return broadcast_div(tl.full(data.shape, scalar, data.dtype), data)


@triton.jit
def maximum_scalar(data, scalar: tl.constexpr):
    return tl.where((data >= scalar) | (data != data), data, scalar)


@triton.jit
def minimum_scalar(data, scalar: tl.constexpr):
    return tl.where((data <= scalar) | (data != data), data, scalar)
