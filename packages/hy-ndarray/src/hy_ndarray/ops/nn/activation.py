"""Activation functions, by name."""

from typing import Any, Literal, TypeAlias

from hy_ndarray.ops._rules import same
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import TensorType
from hy_ndarray.ops.creation import ones_like
from hy_ndarray.ops.elementwise import sign

__all__ = ["activation", "activation_backward"]

Kind: TypeAlias = Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]


def _grad(saved: Saved, dy: Any) -> tuple[Any]:
    (output,) = saved.outputs
    return (activation_backward(dy, output, act_type=saved.params["act_type"]),)


@operator("Activation", "_npx_activation", grad=_grad)
def activation(data: TensorType, *, act_type: Kind) -> TensorType:
    """Apply the activation function ``act_type`` to each element.

    Args:
        data: ``[*shape]``, floating.
        act_type: ``"relu"`` max(x, 0), ``"sigmoid"`` 1 / (1 + exp(-x)), ``"softrelu"``
            log(1 + exp(x)), ``"softsign"`` x / (1 + |x|), or ``"tanh"``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.Activation(nd.array([-1, 0, 2]), act_type="relu").asnumpy()
        array([0., 0., 2.], dtype=float32)
    """
    return data


def _bend(output: Any, dy: Any, kind: str) -> Any:
    """Derivative of the slope to the output, of which the slope is a function."""
    if kind == "sigmoid":
        return 1.0 - output * 2.0
    if kind == "tanh":
        return output * -2.0
    if kind == "softrelu":
        return 1.0 - activation_backward(ones_like(dy), output, act_type=kind)
    return (output - sign(output)) * 2.0


def _grad_backward(saved: Saved, ddata: Any) -> tuple[Any, Any]:
    dy, output = saved.inputs
    kind = saved.params["act_type"]
    to_dy = activation_backward(ddata, output, act_type=kind)
    if kind == "relu":
        return to_dy, None
    return to_dy, ddata * dy * _bend(output, dy, kind)


@operator("_activation_backward", same="type", grad=_grad_backward)
def activation_backward(dy: TensorType, output: TensorType, *, act_type: Kind) -> TensorType:
    """``dy`` times the slope of ``act_type`` where it gave ``output``."""
    return same(dy, output)
