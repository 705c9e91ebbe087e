"""Activation functions of one operand: ReLU, sigmoid and their variants."""

from collections.abc import Mapping, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy import _bounds
from hy_kernels.numpy._array import Array, Out, between, in_float32, number, quiet, reciprocal
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.record import Function, Type, by_types


def _by_sign(
    types: Sequence[Type | None],
    params: Mapping[str, Any],  # there are none
) -> Function | None:
    """Return ``relu`` for arrays of one type: their maximum with a cached array of zeros.

    None if the type is unknown, or the array has more than ``COSTS.memory.zeros`` elements.
    """
    type_ = types[0]
    if type_ is None or prod(type_[0]) > COSTS.memory.zeros:
        return None
    return partial(np.maximum, _bounds.zeros_of(*type_))


@kernel(pointwise=True, specialize=by_types(_by_sign))
def relu(data: Array, *, out: Out = None) -> Array:
    """Return ``max(data, 0)``."""
    return _bounds.relu(data, None if out is None else out[0])


@kernel(pointwise=True)
def relu_backward(dy: Array, y: Array, *, out: Out = None) -> Array:
    """Return ``dy`` where the result ``y`` is positive, 0 where it is 0, nan where it is nan."""
    # y is the output, so its sign is 0, 1 or nan: the derivative, which also propagates nan.
    sign = _sign_of_positive(y)
    result: Array = np.multiply(sign, dy, out=sign if out is None else out)
    return result


def _sign_of_positive(y: Array) -> Array:
    """Return the sign of elements that are at least 0, or nan."""
    # NumPy's sign is not vectorized: it takes twice as long. For a 0-d array its functions return
    # scalars.
    if y.dtype.kind != "f" or not y.ndim:
        return np.asarray(np.sign(y))
    sign: Array = np.ceil(y)
    return between(sign, 0.0, 1.0, sign)


def _sigmoid(data: Array, y: Array | None = None) -> Array:
    y = np.negative(data, out=y)
    np.exp(y, out=y)
    y += number(1, y.dtype)
    return reciprocal(y, y)


@kernel(pointwise=True)
@quiet
def sigmoid(data: Array, *, out: Out = None) -> Array:
    """Return ``1 / (1 + exp(-data))``."""
    return in_float32(_sigmoid, data) if out is None else _sigmoid(data, out[0])


def _softsign(data: Array, y: Array | None = None) -> Array:
    scale = np.abs(data)
    scale += number(1, scale.dtype)
    return np.true_divide(data, scale, out=scale if y is None else y)


@kernel(pointwise=True)
def softsign(data: Array, *, out: Out = None) -> Array:
    """Return ``data / (1 + abs(data))``."""
    return in_float32(_softsign, data) if out is None else _softsign(data, out[0])


@kernel(pointwise=True)
def hard_sigmoid(data: Array, *, alpha: float, beta: float, out: Out = None) -> Array:
    """Return ``alpha * data + beta`` clipped to ``[0, 1]``."""

    def value(x: Array, y: Array | None = None) -> Array:
        y = np.multiply(x, number(alpha, x.dtype), out=y)
        y += number(beta, x.dtype)
        return between(y, 0.0, 1.0, y)

    return in_float32(value, data) if out is None else value(data, out[0])
