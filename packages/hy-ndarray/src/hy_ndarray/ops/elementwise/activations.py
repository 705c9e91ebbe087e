"""Activation functions of one operand, element by element: ReLU, sigmoid and their variants."""

from typing import Any

from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.elementwise import unary as elementwise
from hy_ndarray.ops.families import float_function, number_function
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import Saved, pointwise
from hy_ndarray.ops.record.types import TensorType


def _grad_relu(saved: Saved, dy: Any) -> tuple[Any]:
    return (relu_backward(dy, saved.outputs[0]),)


relu = number_function(
    "relu",
    "_sparse_relu",
    text="The ReLU ``max(data, 0)``; its gradient at 0 is 0.",
    grad=_grad_relu,
    more={
        "Example": """
>>> from hy_ndarray import nd
>>> nd.relu(nd.array([-1, 0, 2])).asnumpy()
array([0., 0., 2.], dtype=float32)
"""
    },
)


@pointwise("_relu_backward", same="type", grad=gradient_by("_relu_backward", 1))
def relu_backward(dy: TensorType, y: TensorType) -> TensorType:
    """Return the gradient of ``relu``: ``dy`` where ``y`` is positive."""
    return same(dy, y)


def _grad_sigmoid(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * (y * (1 - y)),)


sigmoid = float_function(
    "sigmoid",
    "_sparse_sigmoid",
    text="The logistic function ``1 / (1 + exp(-data))``.",
    grad=_grad_sigmoid,
)


def _grad_softsign(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / elementwise.square(1 + elementwise.abs(saved.inputs[0])),)


softsign = float_function("softsign", text="``data / (1 + abs(data))``.", grad=_grad_softsign)


def _grad_hard_sigmoid(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * ((y > 0.0) * (y < 1.0)) * saved.params["alpha"],)


@pointwise("hard_sigmoid", grad=_grad_hard_sigmoid)
def hard_sigmoid(data: TensorType, *, alpha: float = 0.2, beta: float = 0.5) -> TensorType:
    """Return ``alpha * data + beta`` clipped to 0 and 1.

    Args:
        data: ``[*shape]``, floating.
        alpha: The slope of the linear part.
        beta: The offset, which is the result for ``data`` = 0.
    """
    return data
