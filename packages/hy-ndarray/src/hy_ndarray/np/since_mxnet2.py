"""NumPy functions that are new in MXNet 2, composed of others, on arrays and symbols.

Operands are arrays, symbols or numbers, as in :mod:`hy_ndarray.np.pairwise`. The functions are
differentiable where the functions that they are composed of are.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as onp

from hy_ndarray._errors import ArgumentError
from hy_ndarray.foreign import kind_of
from hy_ndarray.np.calls import A, Binary, call, check_options, is_number, is_operand, of_two
from hy_ndarray.np.elementwise import (
    abs as absolute,
    arccos,
    arccosh,
    arcsin,
    arcsinh,
    arctan,
    arctanh,
    bitwise_not,
    exp,
    isnan,
    log1p,
    rint,
    sign,
    where,
)
from hy_ndarray.np.joining import concatenate
from hy_ndarray.np.pairwise import (
    arctan2,
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    lcm,
    maximum,
    minimum,
    mod,
    not_equal,
    power,
)
from hy_ndarray.np.shaping import moveaxis, transpose, tril

__all__ = [
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_right_shift",
    "concat",
    "cross",
    "floor_divide",
    "fmax",
    "fmin",
    "fmod",
    "gcd",
    "logaddexp",
    "logical_and",
    "logical_or",
    "logical_xor",
    "permute_dims",
    "pow",
    "triu",
]


acos, acosh = arccos, arccosh
asin, asinh = arcsin, arcsinh
atan, atan2, atanh = arctan, arctan2, arctanh
bitwise_invert = bitwise_not
concat = concatenate
permute_dims = transpose
pow = power  # numpy's name


def _of_two(function: Callable[[Any, Any], Any]) -> Binary:
    """Wrap a function of two operands with numpy's options; numpy computes it for two numbers."""
    name = function.__name__

    @wraps(function)
    def checked(x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        check_options(name, kwargs)
        if is_number(x1) and is_number(x2):
            of_numbers = getattr(onp, name.removeprefix("bitwise_") if "shift" in name else name)
            return of_numbers(x1, x2)
        result = function(x1, x2)
        if out is None:
            return result
        out[...] = result
        return out

    return of_two(checked)


@_of_two
def floor_divide(x1: Any, x2: Any) -> Any:
    """Return the floor of ``x1 / x2`` in the dtype of the operands."""
    # Dividing an exact multiple avoids quotients that round up to the next integer.
    multiple = x1 - mod(x1, x2)
    if is_operand(x2):
        return rint(call("broadcast_div", multiple, x2))
    return rint(call("_div_scalar", multiple, scalar=float(x2)))


@_of_two
def fmod(x1: Any, x2: Any) -> Any:
    """Return the remainder of ``x1 / x2`` with the sign of ``x1``."""
    signs = sign(x1) if is_operand(x1) else float(onp.sign(x1))
    return mod(absolute(x1), absolute(x2)) * signs


@_of_two
def fmax(x1: Any, x2: Any) -> Any:
    """Return the elementwise maximum, ignoring nan in one operand."""
    return _number_of(x1, x2, maximum(x1, x2))


@_of_two
def fmin(x1: Any, x2: Any) -> Any:
    """Return the elementwise minimum, ignoring nan in one operand."""
    return _number_of(x1, x2, minimum(x1, x2))


def _number_of(x1: Any, x2: Any, value: Any) -> Any:
    """Return ``value``, but the other operand where ``x1`` or ``x2`` is nan."""
    for x, other in ((x1, x2), (x2, x1)):
        if is_operand(x):
            value = where(isnan(x), other, value)
    return value


@_of_two
def logaddexp(x1: Any, x2: Any) -> Any:
    """Return ``log(exp(x1) + exp(x2))`` without overflow."""
    return maximum(x1, x2) + log1p(exp(-absolute(x1 - x2)))


@_of_two
def logical_and(x1: Any, x2: Any) -> Any:
    """Return whether both elements are nonzero."""
    return _of_truths(x1, x2, bitwise_and)


@_of_two
def logical_or(x1: Any, x2: Any) -> Any:
    """Return whether either element is nonzero."""
    return _of_truths(x1, x2, bitwise_or)


@_of_two
def logical_xor(x1: Any, x2: Any) -> Any:
    """Return whether exactly one element is nonzero."""
    return _of_truths(x1, x2, bitwise_xor)


def _of_truths(x1: Any, x2: Any, combine: Callable[[Any, Any], Any]) -> Any:
    operand, other = (x1, x2) if is_operand(x1) else (x2, x1)
    truth = not_equal(operand, 0)
    if not is_number(other):  # not_equal raises the error for other types
        return combine(truth, not_equal(other, 0))
    always = equal(truth, truth) if other else not_equal(truth, truth)
    return combine(truth, always)


@_of_two
def bitwise_left_shift(x1: Any, x2: Any) -> Any:
    """Return integers shifted left by ``x2`` bits."""
    return x1 * power(2, x2)


@_of_two
def bitwise_right_shift(x1: Any, x2: Any) -> Any:
    """Return integers shifted right by ``x2`` bits, keeping the sign."""
    return floor_divide(x1, power(2, x2))


@_of_two
def gcd(x1: Any, x2: Any) -> Any:
    """Return the greatest common divisor; 0 if both are 0."""
    first, second = absolute(x1), absolute(x2)
    divisor = maximum(second, 1)
    # gcd = x1 / (lcm / x2), as lcm * gcd = x1 * x2.
    times = maximum(floor_divide(absolute(lcm(x1, x2)), divisor), 1)
    quotient = floor_divide(first, times)
    return where(equal(first, 0), second, where(equal(second, 0), first, quotient))


def triu(m: A, k: int = 0) -> A:
    """Return the upper triangle of matrices, with zeros below the ``k``-th diagonal.

    Args:
        m: ``[*batch, rows, columns]``.
        k: Offset of the diagonal, positive above the main diagonal.

    Example:
        >>> from hy_ndarray import np
        >>> np.triu(np.ones((2, 3)))
        array([[1., 1., 1.],
               [0., 1., 1.]])
    """
    below = tril(call("ones_like", m), k=k - 1)
    return where(below, 0, m)


def cross(a: A, b: A, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Any = None) -> A:
    """Return the cross products of vectors.

    Args:
        a: ``[*batch, 3]``, or with the components at ``axisa``.
        b: As ``a``, with the components at ``axisb``.
        axisa: The axis of the components of ``a``.
        axisb: The axis of the components of ``b``.
        axisc: The axis of the components of the result.
        axis: Sets all three axes at once.

    Raises:
        ShapeError: There are not three components; numpy also accepts two.
    """
    if axis is not None:
        axisa = axisb = axisc = axis
    a0, a1, a2 = _components(a, axisa)
    b0, b1, b2 = _components(b, axisb)
    parts = [a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0]
    joined: A = call("stack", parts, axis=-1)
    return joined if axisc == -1 else moveaxis(joined, -1, axisc)


def _components(vectors: Any, axis: int) -> Any:
    if not is_operand(vectors):
        raise ArgumentError(
            f"cross: operands must be arrays of mx.np, got {kind_of(vectors)}; use np.array(...)"
        )
    return call("SliceChannel", vectors, num_outputs=3, axis=axis, squeeze_axis=True)
