"""Batch, layer, group and instance normalization."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.elementwise.unary import rsqrt
from hy_ndarray.ops.nn.activation import activation_backward
from hy_ndarray.ops.nn.normalization._rules import (
    Batch,
    Kind,
    parameter_shapes,
    set_types,
    statistics_dtype,
)
from hy_ndarray.ops.nn.normalization.norm_gradients import (
    normalize_backward,
    normalize_statistics_backward,
)
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import floating
from hy_ndarray.ops.record.schema import OperatorFunction, Saved, operator
from hy_ndarray.ops.record.traits import Quantized, Traits, rows_across, rows_of_batch
from hy_ndarray.ops.record.types import TensorType


def _grad(saved: Saved, dys: tuple[Any, ...], **options: Any) -> tuple[Any, Any, Any]:
    """Return the gradients with respect to data, gamma and beta."""
    data, gamma = saved.inputs[:2]
    _, mean, deviation = saved.outputs
    dy, *others = dys
    ddata, dgamma, dbeta = normalize_backward(dy, data, gamma, mean, deviation, **options)
    if others and not options.get("frozen"):
        where = {
            name: value for name, value in options.items() if name in ("kind", "axis", "groups")
        }
        ddata = ddata + normalize_statistics_backward(*others, data, mean, deviation, **where)
    return ddata, dgamma, dbeta


# --- batch -----------------------------------------------------------------------------------


def _grad_batch(saved: Saved, *dys: Any) -> tuple[Any, ...]:
    params = saved.params
    options = {
        "kind": "batch",
        "axis": params.get("axis", 1),
        "fix_gamma": params["fix_gamma"],
        "frozen": params["use_global_stats"] or not saved.is_train,
    }
    return *_grad(saved, dys, **options), None, None


def _grad_sync(saved: Saved, dy: Any, *dys: Any) -> tuple[Any, ...]:
    if not dys:
        return _grad_batch(saved, dy)
    y, mean, variance = saved.outputs
    inverse = rsqrt(variance + saved.params["eps"])
    # The gradient takes the inverse of the deviation: variance = inverse ** -2 - eps.
    to_mean, to_variance = dys
    to_inverse = to_variance * -2 / (inverse * inverse * inverse)
    return _grad_batch(replace(saved, outputs=(y, mean, inverse)), dy, to_mean, to_inverse)


def _grad_batch_relu(saved: Saved, dy: Any, *dys: Any) -> tuple[Any, ...]:
    active = activation_backward(dy, saved.outputs[0], act_type="relu")
    return _grad_batch(saved, active, *dys)


def _updates(params: Params, is_train: bool) -> tuple[str, ...]:
    gamma = ("gamma",) if params["fix_gamma"] else ()
    moving = is_train and not params["use_global_stats"]
    return (*gamma, "moving_mean", "moving_var") if moving else gamma


def _visible(params: Params) -> int:
    return 3 if params["output_mean_var"] else 1


def _independent_rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    return (0,) if axis != params.get("axis", 1) % ranks[0] else ()


def _batch_operator(
    name: str,
    *aliases: str,
    grad: Callable[..., Any] = _grad_batch,
    outputs_in_files: int | None = None,
    quantized: Quantized | None = None,
    params_of: OperatorFunction | None = None,
) -> Callable[..., Any]:
    return operator(
        name,
        *aliases,
        aux=("moving_mean", "moving_var"),
        outputs=("output", "mean", "var"),
        visible=_visible,
        needs=("is_train",),
        updates=_updates,
        grad=grad,
        params_of=params_of,
        traits=Traits(
            rows=_independent_rows, outputs_in_files=outputs_in_files, quantized=quantized
        ),
    )


def _batch(data: TensorType, axis: int, *vectors: TensorType) -> Batch:
    """Check the inputs of batch normalization, and return the types of its outputs."""
    set_types(parameter_shapes(data, "batch", axis, 1)[0], statistics_dtype(data), *vectors)
    first = vectors[0]
    return data, first.with_shape(first.shape), first.with_shape(first.shape)


_QUANTIZED = Quantized(
    "_contrib_quantized_batch_norm",
    inputs=("data",),
    when=lambda params: not params["output_mean_var"],
)


@_batch_operator("BatchNorm", "_npx_batch_norm", quantized=_QUANTIZED)
def batch_norm(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    moving_mean: TensorType,
    moving_var: TensorType,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> Batch:
    """Return batch normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Mean and variance are per channel. In training mode they are those of the batch, and the moving
    averages are updated to ``momentum · moving + (1 - momentum) · batch``; in prediction mode the
    moving averages are used.

    Args:
        data: ``[*shape]``, floating, ``C`` channels along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        moving_mean: ``[C]``, auxiliary state.
        moving_var: ``[C]``, auxiliary state.
        eps: Added to the variance.
        momentum: Weight of the old moving averages in the update.
        fix_gamma: Set ``gamma`` to ones, with a zero gradient.
        use_global_stats: Use the moving averages in training mode too.
        output_mean_var: Also return the mean and ``1 / sqrt(variance + eps)``.
        axis: The axis of the channels.
        cudnn_off: Accepted and ignored.
        min_calib_range: Accepted and ignored.
        max_calib_range: Accepted and ignored.

    Raises:
        ShapeError: ``data`` has no such axis, or an operand has not one element per channel.

    Source:
        Ioffe and Szegedy, Batch Normalization: Accelerating Deep Network Training by Reducing
        Internal Covariate Shift, 2015.

    Example:
        >>> from hy_ndarray import autograd, nd
        >>> one, zero = nd.array([1]), nd.array([0])
        >>> with autograd.train_mode():
        ...     y = nd.BatchNorm(nd.array([[1], [3]]), one, zero, zero.copy(), one.copy())
        >>> y.asnumpy().round(2)
        array([[-1.],
               [ 1.]], dtype=float32)
    """
    return _batch(data, axis, gamma, beta, moving_mean, moving_var)


@_batch_operator(
    "_contrib_BatchNormWithReLU", grad=_grad_batch_relu, outputs_in_files=4, params_of=batch_norm
)
def batch_norm_with_relu(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    moving_mean: TensorType,
    moving_var: TensorType,
    **params: Any,
) -> Batch:
    """Return ``BatchNorm`` followed by ReLU."""
    return _batch(data, params["axis"], gamma, beta, moving_mean, moving_var)


@_batch_operator("BatchNorm_v1")
def batch_norm_v1(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    moving_mean: TensorType,
    moving_var: TensorType,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
) -> Batch:
    """Return ``BatchNorm`` of axis 1; the name occurs in files of older versions of MXNet."""
    return _batch(data, 1, gamma, beta, moving_mean, moving_var)


@_batch_operator("_contrib_SyncBatchNorm", grad=_grad_sync, params_of=batch_norm_v1)
def sync_batch_norm(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    moving_mean: TensorType,
    moving_var: TensorType,
    *,
    ndev: int = 1,
    key: str,
    **params: Any,
) -> Batch:
    """Return ``BatchNorm`` of axis 1; statistics are not shared between devices.

    With ``output_mean_var`` the third output is the variance.
    """
    return _batch(data, 1, gamma, beta, moving_mean, moving_var)


# --- layer, group, instance ------------------------------------------------------------------


def _normalized(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    *,
    kind: Kind,
    axis: int = 1,
    groups: int = 1,
) -> Batch:
    floating(data, gamma, beta)
    each, statistics = parameter_shapes(data, kind, axis, groups)
    set_types(each, None, gamma, beta)
    return data, data.with_shape(statistics), data.with_shape(statistics)


@operator(
    "LayerNorm",
    "_npx_layer_norm",
    outputs=("output", "mean", "std"),
    visible=_visible,
    grad=lambda saved, *dys: _grad(saved, dys, kind="layer", axis=saved.params["axis"]),
    traits=Traits(rows=rows_across("axis")),
)
def layer_norm(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    *,
    axis: int = -1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Batch:
    """Return layer normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Args:
        data: ``[*shape]``, floating, ``C`` elements along ``axis``.
        gamma: ``[C]``.
        beta: ``[C]``.
        axis: The axis over which mean and variance are computed.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, of size 1 along ``axis``.

    Raises:
        ShapeError: ``data`` has no such axis, or ``gamma`` or ``beta`` do not match it.

    Source:
        Ba, Kiros and Hinton, Layer Normalization, 2016.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.LayerNorm(nd.array([[1, 3]]), nd.array([1, 1]), nd.array([0, 5])).asnumpy().round(2)
        array([[-1.,  6.]], dtype=float32)
    """
    return _normalized(data, gamma, beta, kind="layer", axis=axis)


@operator(
    "GroupNorm",
    outputs=("output", "mean", "std"),
    visible=_visible,
    grad=lambda saved, *dys: _grad(saved, dys, kind="group", groups=saved.params["num_groups"]),
    traits=Traits(rows=rows_of_batch),
)
def group_norm(
    data: TensorType,
    gamma: TensorType,
    beta: TensorType,
    *,
    num_groups: Positive = 1,
    eps: float = 1e-5,
    output_mean_var: bool = False,
) -> Batch:
    """Return group normalization, ``gamma (data - mean) / sqrt(variance + eps) + beta``.

    Mean and variance are per sample and group of channels.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[num_groups]``.
        beta: ``[num_groups]``.
        num_groups: Number of groups of channels.
        eps: Added to the variance.
        output_mean_var: Also return mean and ``sqrt(variance + eps)``, ``[N, num_groups]``.

    Raises:
        ShapeError: ``data`` has fewer than 3 axes, ``num_groups`` does not divide its channels, or
            ``gamma`` or ``beta`` do not have one element per group.

    Source:
        Wu and He, Group Normalization, 2018.
    """
    return _normalized(data, gamma, beta, kind="group", groups=num_groups)


@operator(
    "InstanceNorm",
    outputs=("output", "mean", "std"),
    visible=1,
    grad=lambda saved, dy: _grad(saved, (dy,), kind="instance"),
    traits=Traits(rows=rows_of_batch),
)
def instance_norm(
    data: TensorType, gamma: TensorType, beta: TensorType, *, eps: float = 1e-3
) -> Batch:
    """Return instance normalization: batch normalization of each sample on its own.

    Args:
        data: ``[N, C, *space]``, floating.
        gamma: ``[C]``.
        beta: ``[C]``.
        eps: Added to the variance.

    Raises:
        ShapeError: ``data`` has fewer than 3 axes, or ``gamma`` or ``beta`` have not one element
            per channel.

    Source:
        Ulyanov, Vedaldi and Lempitsky, Instance Normalization: The Missing Ingredient for Fast
        Stylization, 2016.
    """
    return _normalized(data, gamma, beta, kind="instance")
