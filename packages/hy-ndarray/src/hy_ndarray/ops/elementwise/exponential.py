"""Exponential functions and logarithms, element by element."""

import math
from typing import Any

from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = [
    "exp",
    "expm1",
    "log",
    "log1p",
    "log2",
    "log10",
]


def _grad_exp(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * saved.outputs[0],)


@pointwise("exp", "_sparse_exp", grad=_grad_exp)
def exp(data: TensorType) -> TensorType:
    """``e`` to the power of ``data``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_expm1(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (saved.outputs[0] + 1),)


@pointwise("expm1", "_sparse_expm1", grad=_grad_expm1)
def expm1(data: TensorType) -> TensorType:
    """``exp(data) - 1``, exact near 0.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_log(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / saved.inputs[0],)


@pointwise("log", "_sparse_log", grad=_grad_log, ignored=("axis",))  # Keras gives it
def log(data: TensorType) -> TensorType:
    """The natural logarithm; -inf at 0, nan below.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_log2(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (saved.inputs[0] * math.log(2)),)


@pointwise("log2", "_sparse_log2", grad=_grad_log2)
def log2(data: TensorType) -> TensorType:
    """The logarithm to base 2.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_log10(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (saved.inputs[0] * math.log(10)),)


@pointwise("log10", "_sparse_log10", grad=_grad_log10)
def log10(data: TensorType) -> TensorType:
    """The logarithm to base 10.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_log1p(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (1 + saved.inputs[0]),)


@pointwise("log1p", "_sparse_log1p", grad=_grad_log1p)
def log1p(data: TensorType) -> TensorType:
    """``log(1 + data)``, exact near 0.

    Args:
        data: ``[*shape]``, floating.
    """
    return data
