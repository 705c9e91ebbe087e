"""Activation functions of one operand, element by element: ReLU, sigmoid and their variants."""

from typing import Any

from hy_ndarray.ops.elementwise import unary as elementwise
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType

__all__ = ["hard_sigmoid", "relu", "relu_backward", "sigmoid", "softsign"]


def _grad_relu(saved: Saved, dy: Any) -> tuple[Any]:
    return (relu_backward(dy, saved.outputs[0]),)


@pointwise("relu", "_sparse_relu", grad=_grad_relu)
def relu(data: TensorType) -> TensorType:
    """The ReLU ``max(data, 0)``; its gradient at 0 is 0.

    Args:
        data: ``[*shape]``, any dtype.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
        array([0., 0., 2.], dtype=float32)
    """
    return data


def _grad_relu_backward(saved: Saved, ddata: Any) -> tuple[Any, None]:
    return relu_backward(ddata, saved.inputs[1]), None


@pointwise("_relu_backward", same="type", grad=_grad_relu_backward)
def relu_backward(dy: TensorType, y: TensorType) -> TensorType:
    """Gradient of ``relu``: ``dy`` where ``y`` is positive."""
    return same(dy, y)


def _grad_sigmoid(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * (y * (1 - y)),)


@pointwise("sigmoid", "_sparse_sigmoid", grad=_grad_sigmoid)
def sigmoid(data: TensorType) -> TensorType:
    """The logistic function ``1 / (1 + exp(-data))``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_softsign(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / elementwise.square(1 + elementwise.abs(saved.inputs[0])),)


@pointwise("softsign", grad=_grad_softsign)
def softsign(data: TensorType) -> TensorType:
    """``data / (1 + abs(data))``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_hard_sigmoid(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * ((y > 0.0) * (y < 1.0)) * saved.params["alpha"],)


@pointwise("hard_sigmoid", grad=_grad_hard_sigmoid)
def hard_sigmoid(data: TensorType, *, alpha: float = 0.2, beta: float = 0.5) -> TensorType:
    """``alpha * data + beta``, cut off below 0 and above 1.

    Args:
        data: ``[*shape]``, floating.
        alpha: The slope.
        beta: The value at 0.
    """
    return data
