"""Activation functions selected by name, and leaky ReLU variants."""

from typing import Any, Literal, TypeAlias

from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.record.rules import broadcast_shapes, floating, same, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator, pointwise
from hy_ndarray.ops.record.traits import Quantized, Traits
from hy_ndarray.ops.record.types import TensorType

Kind: TypeAlias = Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"]
Smooth: TypeAlias = Literal["elu", "gelu", "leaky", "selu"]


def _grad(saved: Saved, dy: Any) -> tuple[Any]:
    (output,) = saved.outputs
    return (activation_backward(dy, output, act_type=saved.params["act_type"]),)


_QUANTIZED = Quantized("_contrib_quantized_act", when=lambda params: params["act_type"] == "relu")


@operator(
    "Activation",
    "_npx_activation",
    grad=_grad,
    traits=Traits(pointwise=True, quantized=_QUANTIZED),
)
def activation(data: TensorType, *, act_type: Kind) -> TensorType:
    """Apply the activation function ``act_type`` to each element.

    Args:
        data: ``[*shape]``, floating.
        act_type: ``"relu"`` max(x, 0), ``"sigmoid"`` 1 / (1 + exp(-x)), ``"softrelu"``
            log(1 + exp(x)), ``"softsign"`` x / (1 + |x|), or ``"tanh"``.

    Raises:
        DTypeError: ``data`` is not floating, and ``act_type`` not ``"relu"``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.Activation(nd.array([-1, 0, 2]), act_type="relu").asnumpy()
        array([0., 0., 2.], dtype=float32)
    """
    if act_type != "relu":
        floating(data)
    return data


@pointwise("_activation_backward", same="type")
def activation_backward(dy: TensorType, output: TensorType, *, act_type: Kind) -> TensorType:
    """Return the gradient of ``Activation`` from its output."""
    return same(dy, output)


# --- leaky -----------------------------------------------------------------------------------


def _grad_leaky(saved: Saved, dy: Any, *_: Any) -> tuple[Any, Any]:
    data, gamma = saved.inputs
    kind = saved.params["act_type"]
    if kind == "rrelu":
        return dy * saved.outputs[1], None
    if kind == "prelu":
        ddata, dgamma = prelu_backward(dy, data, gamma)
        return ddata, dgamma
    return leaky_relu_backward(dy, data, act_type=kind, slope=saved.params["slope"]), None


def _has_no_gamma(params: Params) -> bool:
    return bool(params["act_type"] != "prelu")


def _draws(params: Params, is_train: bool) -> bool:
    return is_train and params["act_type"] == "rrelu"


@operator(
    "LeakyReLU",
    "_npx_leaky_relu",
    active=lambda params: ("data", "gamma") if params["act_type"] == "prelu" else ("data",),
    outputs=lambda params: ("output", "mask") if params["act_type"] == "rrelu" else ("output",),
    needs=("is_train", "rng"),
    grad=_grad_leaky,
    traits=Traits(pointwise=_has_no_gamma, draws=_draws),
)
def leaky_relu(
    data: TensorType,
    gamma: TensorType | None = None,
    *,
    act_type: Literal["elu", "gelu", "leaky", "prelu", "rrelu", "selu"] = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
) -> TensorType | tuple[TensorType, TensorType]:
    """Return a leaky ReLU or a related activation function of ``data``.

    Args:
        data: ``[*shape]``, floating.
        gamma: Learned slopes, for ``"prelu"``: ``[C]``, one per channel (axis 1),
            ``[1]``, or any shape that broadcasts against ``data``.
        act_type: The function of a negative x: ``"leaky"`` slope · x, ``"prelu"`` gamma · x,
            ``"rrelu"`` x times a slope drawn from between the bounds (their mean in prediction),
            ``"elu"`` slope · (exp(x) - 1). Or one of two functions without parameters: ``"selu"``,
            a scaled elu, and ``"gelu"``, x times the normal distribution function of x.
        slope: Factor for ``"leaky"`` and ``"elu"``.
        lower_bound: Least random slope, for ``"rrelu"``.
        upper_bound: Greatest random slope, for ``"rrelu"``.

    Returns:
        An array of the type of ``data``; for ``"rrelu"`` also the slopes used.

    Raises:
        ShapeError: ``gamma`` does not broadcast against ``data``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.LeakyReLU(nd.array([-4, 2]), act_type="leaky", slope=0.5).asnumpy()
        array([-2.,  2.], dtype=float32)
    """
    if lower_bound > upper_bound:
        raise ArgumentError(f"lower_bound={lower_bound} must not exceed upper_bound={upper_bound}")
    floating(data)
    if act_type == "rrelu":
        return data, data.with_shape(data.shape)
    if gamma is not None:
        _check_gamma(data, gamma)
    return data


def _check_gamma(data: TensorType, gamma: TensorType) -> None:
    """Check that gamma has one slope per channel, or broadcasts; infer its shape if unknown."""
    same_dtype(data, gamma)
    if data.shape is None:
        return
    if gamma.shape is None:
        gamma.set_shape(data.shape[1:2])
    elif gamma.rank == 1 and len(data.shape) > 1:
        if gamma.shape != (1,):
            gamma.set_shape(data.shape[1:2])
    else:
        data.set_shape(broadcast_shapes(data.shape, gamma.shape))


def _grad_leaky_backward(saved: Saved, ddata: Any) -> tuple[Any, Any]:
    dy, data = saved.inputs
    to_dy = leaky_relu_backward(ddata, data, **saved.params)
    return to_dy, ddata * dy * leaky_relu_curve(data, **saved.params)


@pointwise("_leaky_relu_backward", same="type", grad=_grad_leaky_backward)
def leaky_relu_backward(
    dy: TensorType, data: TensorType, *, act_type: Smooth, slope: float = 0.25
) -> TensorType:
    """Return the gradient of ``LeakyReLU`` with respect to ``data``."""
    return same(dy, data)


@pointwise("_leaky_relu_curve")
def leaky_relu_curve(data: TensorType, *, act_type: Smooth, slope: float = 0.25) -> TensorType:
    """Return the second derivative of the activation function ``act_type`` at ``data``."""
    if act_type == "gelu":
        floating(data)
    return data


def _grad_prelu_backward(saved: Saved, ddata: Any, dgamma: Any) -> tuple[Any, ...]:
    to_dy, to_data, to_gamma = prelu_backward_backward(ddata, dgamma, *saved.inputs)
    return to_dy, to_data, to_gamma


@operator("_prelu_backward", outputs=("data", "gamma"), grad=_grad_prelu_backward)
def prelu_backward(
    dy: TensorType, data: TensorType, gamma: TensorType
) -> tuple[TensorType, TensorType]:
    """Return the gradients of PReLU (learned slopes) with respect to data and gamma."""
    same(dy, data)
    _check_gamma(data, gamma)
    return data, gamma


@operator("_prelu_backward_backward", outputs=("dy", "data", "gamma"))
def prelu_backward_backward(
    ddata: TensorType, dgamma: TensorType, dy: TensorType, data: TensorType, gamma: TensorType
) -> tuple[TensorType, TensorType, TensorType]:
    """Return gradients of :func:`prelu_backward` with respect to dy, data and gamma."""
    same(ddata, dy, data)
    same(dgamma, gamma)
    _check_gamma(data, gamma)
    return dy, data, gamma
