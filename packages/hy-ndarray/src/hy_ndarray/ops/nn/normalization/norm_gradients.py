"""First and second gradients of batch, layer, group and instance normalization."""

from typing import Any

from hy_ndarray.ops.nn.normalization._rules import (
    Batch,
    Kind,
    parameter_shapes,
    set_types,
    statistics_dtype,
)
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import same
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType


def _grad_normalize_backward(saved: Saved, ddata: Any, dgamma: Any, dbeta: Any) -> tuple[Any, ...]:
    # Mean and deviation are functions of the data; the gradient to the data includes theirs.
    to_dy, to_data, to_gamma = normalize_backward_backward(
        ddata, dgamma, dbeta, *saved.inputs, **saved.params
    )
    return to_dy, to_data, to_gamma, None, None


@operator("_normalize_backward", outputs=("data", "gamma", "beta"), grad=_grad_normalize_backward)
def normalize_backward(
    dy: TensorType,
    data: TensorType,
    gamma: TensorType,
    mean: TensorType,
    deviation: TensorType,
    *,
    kind: Kind,
    axis: int = 1,
    groups: Positive = 1,
    fix_gamma: bool = False,
    frozen: bool = False,
) -> Batch:
    """Return the gradients of a normalization with respect to data, gamma and beta.

    Args:
        dy: Gradient of the result.
        data: Input of the normalization.
        gamma: Scale of the normalization.
        mean: Means that the forward pass computed.
        deviation: Standard deviations that the forward pass computed; inverse ones for ``"batch"``.
        kind: The kind of normalization.
        axis: Axis of the channels (``"batch"``), or the normalized axis (``"layer"``).
        groups: Number of groups (``"group"``).
        fix_gamma: Treat ``gamma`` as ones, with a zero gradient.
        frozen: Mean and deviation are constants, such as moving averages.
    """
    same(dy, data)
    each, statistics = parameter_shapes(data, kind, axis, groups)
    dtype = statistics_dtype(data, kind)
    set_types(each, dtype, gamma)
    set_types(statistics, dtype, mean, deviation)
    return data, gamma, gamma.with_shape(gamma.shape)


def _grad_statistics_backward(saved: Saved, ddata: Any) -> tuple[Any, ...]:
    gradients = normalize_statistics_backward_backward(ddata, *saved.inputs[1:], **saved.params)
    return *gradients, None, None  # the gradient to the data includes these


@operator("_normalize_statistics_backward", grad=_grad_statistics_backward)
def normalize_statistics_backward(
    dmean: TensorType,
    ddeviation: TensorType,
    data: TensorType,
    mean: TensorType,
    deviation: TensorType,
    *,
    kind: Kind,
    axis: int = 1,
    groups: Positive = 1,
) -> TensorType:
    """Return the gradient of mean and deviation with respect to the data."""
    statistics = parameter_shapes(data, kind, axis, groups)[1]
    set_types(statistics, statistics_dtype(data, kind), dmean, ddeviation, mean, deviation)
    return data


@operator(
    "_normalize_statistics_backward_backward",
    outputs=("mean", "deviation", "data"),
    params_of=normalize_statistics_backward,
)
def normalize_statistics_backward_backward(
    ddata: TensorType,
    ddeviation: TensorType,
    data: TensorType,
    mean: TensorType,
    deviation: TensorType,
    **params: Any,
) -> Batch:
    """Return the gradients of :func:`normalize_statistics_backward`."""
    same(ddata, data)
    statistics = parameter_shapes(data, params["kind"], params["axis"], params["groups"])[1]
    set_types(statistics, statistics_dtype(data, params["kind"]), ddeviation, mean, deviation)
    return mean.with_shape(mean.shape), ddeviation, data


@operator(
    "_normalize_backward_backward", outputs=("dy", "data", "gamma"), params_of=normalize_backward
)
def normalize_backward_backward(
    ddata: TensorType,
    dgamma: TensorType,
    dbeta: TensorType,
    dy: TensorType,
    data: TensorType,
    gamma: TensorType,
    mean: TensorType,
    deviation: TensorType,
    **params: Any,
) -> Batch:
    """Return gradients of :func:`normalize_backward` with respect to dy, data and gamma."""
    same(ddata, dy, data)
    each, statistics = parameter_shapes(data, params["kind"], params["axis"], params["groups"])
    dtype = statistics_dtype(data, params["kind"])
    set_types(each, dtype, dgamma, dbeta, gamma)
    set_types(statistics, dtype, mean, deviation)
    return dy, data, gamma
