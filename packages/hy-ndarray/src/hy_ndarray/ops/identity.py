"""Operators whose value is their input: what differs is the gradient, or where the value is."""

from typing import Any

from hy_ndarray.ops._rules import same_shape
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType
from hy_ndarray.ops.creation import ones_like
from hy_ndarray.ops.scalar import mul_scalar

__all__ = [
    "block_grad",
    "copy",
    "copyto",
    "gradient_multiplier",
    "identity_with_attr_like_rhs",
    "make_loss",
]


def _grad_same(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


@operator("_copy", "identity", grad=_grad_same)
def copy(data: TensorType) -> TensorType:
    """``data`` itself, as an array of its own.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_nothing(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@operator("BlockGrad", "_sparse_stop_gradient", "stop_gradient", grad=_grad_nothing)
def block_grad(data: TensorType) -> TensorType:
    """``data``, through which no gradient flows back.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> x = nd.array([3.0])
        >>> x.attach_grad()
        >>> with autograd.record():
        ...     y = x * nd.BlockGrad(x)
        >>> y.backward()
        >>> x.grad.asnumpy()
        array([3.], dtype=float32)
    """
    return data


def _grad_make_loss(saved: Saved, dy: Any) -> tuple[Any]:
    return (ones_like(saved.inputs[0]),)


@operator("make_loss", "_sparse_make_loss", grad=_grad_make_loss, ignores_head_grad=True)
def make_loss(data: TensorType) -> TensorType:
    """``data`` as something to minimise: its gradient is 1, whatever follows.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


@operator("_copyto", "_npi_copyto", grad=_grad_same)
def copyto(data: TensorType) -> TensorType:
    """``data``, written into the array given as ``out``, which may be on another device.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_like_rhs(saved: Saved, dy: Any) -> tuple[Any, None]:
    return dy, None


@operator("_identity_with_attr_like_rhs", grad=_grad_like_rhs)
def identity_with_attr_like_rhs(lhs: TensorType, rhs: TensorType) -> TensorType:
    """``lhs``, whose shape is that of ``rhs``.

    Args:
        lhs: ``[*shape]``, any dtype.
        rhs: ``[*shape]``; only its shape matters.
    """
    same_shape(lhs, rhs)
    return lhs


def _grad_multiplier(saved: Saved, dy: Any) -> tuple[Any]:
    return (mul_scalar(dy, **saved.params),)


@operator("_contrib_gradientmultiplier", grad=_grad_multiplier)
def gradient_multiplier(
    data: TensorType, *, scalar: float = 1.0, is_int: bool = True
) -> TensorType:
    """``data``, whose gradient is multiplied by ``scalar`` on the way back.

    Args:
        data: ``[*shape]``, any dtype.
        scalar: The factor; negative ones reverse the gradient.
        is_int: It is an integer.

    Source:
        Ganin, Lempitsky 2015, arXiv:1409.7495 (``scalar`` below 0).
    """
    return data
