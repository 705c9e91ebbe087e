"""Activation functions, by name."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import narrow, wide

__all__ = ["activation", "activation_backward"]


def _sigmoid(x: Array) -> Array:
    y = np.negative(x)
    np.exp(y, out=y)
    y += 1
    return np.reciprocal(y, out=y)


def _softrelu(x: Array) -> Array:
    """``log(1 + exp(x))`` without overflow."""
    y = np.abs(x)
    np.negative(y, out=y)
    np.exp(y, out=y)
    np.log1p(y, out=y)
    y += np.maximum(x, 0)
    return y


def _softsign(x: Array) -> Array:
    y = np.abs(x)
    y += 1
    return np.divide(x, y, out=y)


@quiet
def activation(data: Array, *, act_type: str) -> Array:
    """``act_type`` of each element."""
    if act_type == "relu":
        return np.asarray(np.maximum(data, data.dtype.type(0)))
    x = wide(data)
    if act_type == "tanh":
        y = np.tanh(x)
    elif act_type == "sigmoid":
        y = _sigmoid(x)
    else:
        y = _softrelu(x) if act_type == "softrelu" else _softsign(x)
    return narrow(y, data.dtype)


@quiet
def activation_backward(dy: Array, output: Array, *, act_type: str) -> Array:
    """``dy`` times the slope, which the output tells."""
    if act_type == "relu":
        return dy * (output > 0)
    y = wide(output)
    if act_type == "tanh":
        slope = y * y
        np.subtract(1, slope, out=slope)
    elif act_type == "sigmoid":
        slope = 1 - y
        slope *= y
    elif act_type == "softrelu":
        slope = np.negative(y)
        np.expm1(slope, out=slope)
        np.negative(slope, out=slope)
    else:
        slope = 1 - np.abs(y)
        slope *= slope
    slope *= dy
    return narrow(slope, dy.dtype)
