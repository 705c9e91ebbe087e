"""Rounding to integers, element by element.

Rounding is constant wherever it is smooth: no gradient flows back, except where it is said to pass
straight through.
"""

from typing import Any

from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = ["ceil", "fix", "floor", "rint", "round", "round_ste", "sign_ste", "trunc"]


def _grad(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@pointwise("floor", "_sparse_floor", grad=_grad)
def floor(data: TensorType) -> TensorType:
    """The largest integer not above each element.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("ceil", "_sparse_ceil", grad=_grad)
def ceil(data: TensorType) -> TensorType:
    """The smallest integer not below each element.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("trunc", "_sparse_trunc", grad=_grad)
def trunc(data: TensorType) -> TensorType:
    """Each element without its fraction.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("fix", "_sparse_fix", grad=_grad)
def fix(data: TensorType) -> TensorType:
    """Each element without its fraction; as ``trunc``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("rint", "_sparse_rint", grad=_grad)
def rint(data: TensorType) -> TensorType:
    """The nearest integer; of two equally near ones the lower.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@pointwise("round", "_sparse_round", grad=_grad)
def round(data: TensorType) -> TensorType:
    """The nearest integer; of two equally near ones that farther from 0.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_straight(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


@pointwise("_contrib_round_ste", "_sparse__contrib_round_ste", grad=_grad_straight)
def round_ste(data: TensorType) -> TensorType:
    """``round``, through which the gradient passes unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data


@pointwise("_contrib_sign_ste", "_sparse__contrib_sign_ste", grad=_grad_straight)
def sign_ste(data: TensorType) -> TensorType:
    """``sign``, through which the gradient passes unchanged.

    Args:
        data: ``[*shape]``, any dtype.

    Source:
        Bengio, Léonard, Courville 2013, arXiv:1308.3432 (straight-through estimator).
    """
    return data
