"""Operators on the elements of one array: copies, casts, absolute value, powers, squashing."""

from typing import Any

from hy_ndarray.ops._params import DType
from hy_ndarray.ops._rules import same
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType
from hy_ndarray.ops.creation import ones_like

__all__ = [
    "abs",
    "block_grad",
    "cast",
    "cast_like",
    "cbrt",
    "clip",
    "copy",
    "make_loss",
    "negative",
    "rcbrt",
    "reciprocal",
    "relu",
    "relu_backward",
    "rsqrt",
    "sigmoid",
    "sign",
    "softsign",
    "sqrt",
    "square",
]


def _grad_same(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy,)


def _grad_constant(saved: Saved, dy: Any) -> tuple[None]:
    return (None,)


@operator("_copy", "identity", grad=_grad_same)
def copy(data: TensorType) -> TensorType:
    """``data`` itself, as an array of its own.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@operator("BlockGrad", "_sparse_stop_gradient", "stop_gradient", grad=_grad_constant)
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


def _grad_cast(saved: Saved, dy: Any) -> tuple[Any]:
    return (cast_like(dy, saved.inputs[0]),)


@operator("Cast", "_npi_cast", "_npx_cast", "cast", grad=_grad_cast)
def cast(data: TensorType, *, dtype: DType) -> TensorType:
    """``data`` in another dtype; fractions are cut off on the way to integers.

    Args:
        data: ``[*shape]``, any dtype.
        dtype: The dtype to convert to.
    """
    return data.with_dtype(dtype)


def _grad_cast_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return cast_like(dy, saved.inputs[0]), None


@operator("_cast_like", grad=_grad_cast_like)
def cast_like(data: TensorType, like: TensorType) -> TensorType:
    """``data`` in the dtype of ``like``, whose shape does not matter."""
    return data.with_dtype(like.dtype)


def _grad_abs(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * sign(saved.inputs[0]),)


@operator("abs", "_sparse_abs", grad=_grad_abs)
def abs(data: TensorType) -> TensorType:
    """The absolute value.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


@operator("sign", "_sparse_sign", grad=_grad_constant)
def sign(data: TensorType) -> TensorType:
    """-1 for negative elements, 1 for positive ones, 0 for 0 and nan.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_negative(saved: Saved, dy: Any) -> tuple[Any]:
    return (-dy,)


@operator("negative", "_sparse_negative", grad=_grad_negative)
def negative(data: TensorType) -> TensorType:
    """``-data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_reciprocal(saved: Saved, dy: Any) -> tuple[Any]:
    return (-(dy * square(saved.outputs[0])),)


@operator("reciprocal", grad=_grad_reciprocal)
def reciprocal(data: TensorType) -> TensorType:
    """``1 / data``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_square(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy * (2 * saved.inputs[0]),)


@operator("square", "_sparse_square", grad=_grad_square)
def square(data: TensorType) -> TensorType:
    """``data * data``.

    Args:
        data: ``[*shape]``, any dtype.
    """
    return data


def _grad_sqrt(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (2 * saved.outputs[0]),)


@operator("sqrt", "_sparse_sqrt", grad=_grad_sqrt)
def sqrt(data: TensorType) -> TensorType:
    """The square root; nan for negative elements.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_rsqrt(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * y * square(y) * -0.5,)


@operator("rsqrt", "_sparse_rsqrt", grad=_grad_rsqrt)
def rsqrt(data: TensorType) -> TensorType:
    """``1 / sqrt(data)``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_cbrt(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / (3 * square(saved.outputs[0])),)


@operator("cbrt", "_sparse_cbrt", grad=_grad_cbrt)
def cbrt(data: TensorType) -> TensorType:
    """The cube root.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_rcbrt(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * square(square(y)) * (-1 / 3),)


@operator("rcbrt", grad=_grad_rcbrt)
def rcbrt(data: TensorType) -> TensorType:
    """``1 / cbrt(data)``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_clip(saved: Saved, dy: Any) -> tuple[Any]:
    (data,) = saved.inputs
    return (dy * _inside(data, **saved.params),)


@operator("clip", "_npi_clip", "_sparse_clip", grad=_grad_clip)
def clip(data: TensorType, *, a_min: float, a_max: float) -> TensorType:
    """``data`` with elements below ``a_min`` or above ``a_max`` replaced by these.

    Args:
        data: ``[*shape]``, any dtype.
        a_min: The lower end.
        a_max: The upper end.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.clip(nd.array([-2, 1, 5]), a_min=0, a_max=3).asnumpy()
        array([0., 1., 3.], dtype=float32)
    """
    return data


def _inside(data: Any, a_min: float, a_max: float) -> Any:
    """1 where ``data`` is in ``[a_min, a_max]``, else 0."""
    return (data >= a_min) * (data <= a_max)


def _grad_relu(saved: Saved, dy: Any) -> tuple[Any]:
    return (relu_backward(dy, saved.outputs[0]),)


@operator("relu", "_sparse_relu", grad=_grad_relu)
def relu(data: TensorType) -> TensorType:
    """The rectifier ``max(data, 0)``; its gradient at 0 is 0.

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


@operator("_relu_backward", same="type", grad=_grad_relu_backward)
def relu_backward(dy: TensorType, y: TensorType) -> TensorType:
    """Gradient of ``relu``: ``dy`` where ``y`` is positive."""
    return same(dy, y)


def _grad_sigmoid(saved: Saved, dy: Any) -> tuple[Any]:
    y = saved.outputs[0]
    return (dy * (y * (1 - y)),)


@operator("sigmoid", "_sparse_sigmoid", grad=_grad_sigmoid)
def sigmoid(data: TensorType) -> TensorType:
    """The logistic function ``1 / (1 + exp(-data))``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data


def _grad_softsign(saved: Saved, dy: Any) -> tuple[Any]:
    return (dy / square(1 + abs(saved.inputs[0])),)


@operator("softsign", grad=_grad_softsign)
def softsign(data: TensorType) -> TensorType:
    """``data / (1 + abs(data))``.

    Args:
        data: ``[*shape]``, floating.
    """
    return data
