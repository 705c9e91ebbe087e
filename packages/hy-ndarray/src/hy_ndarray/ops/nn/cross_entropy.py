"""Fused cross entropies: log-softmax with ``pick``, or with a product and a sum.

Graph rewriting produces them. Unfused, ``log_softmax`` writes an array of the size of the scores,
forward and backward; the outputs of these operators have a few numbers per row.
"""

from typing import Any, Literal

from hy_ndarray.ops.elementwise.broadcast import broadcast_mul
from hy_ndarray.ops.indexing.take import pick, pick_backward, picked_shape
from hy_ndarray.ops.nn.softmax import axis_total, log_softmax, softmax, softmax_backward
from hy_ndarray.ops.record.indices import Indices, along, clips
from hy_ndarray.ops.record.rules import check_axis, floating, like_result, same, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType
from hy_ndarray.ops.reduce.reductions import sum as total


def _grad(saved: Saved, dy: Any, *_: Any) -> tuple[Any, None]:
    return log_softmax_pick_backward(dy, *saved.inputs, saved.outputs[1], **saved.params), None


def _statistics(data: TensorType, count: int) -> TensorType:
    """Return the type of ``count`` statistics per row.

    The first two are the maximum, and the sum of exponentials of the scores less the maximum.
    """
    # Two numbers, not the logarithm of the sum of exponentials: of large scores that would have few
    # digits after the point.
    dtype = "float32" if data.dtype in ("float16", "bfloat16") else data.dtype
    shape = None if data.shape is None else (*data.shape[:-1], count)
    return data.with_shape(shape).with_dtype(dtype)


def _check_statistics(dy: TensorType, data: TensorType, statistics: TensorType, count: int) -> None:
    same_dtype(dy, data)
    wanted = _statistics(data, count)
    statistics.set_shape(wanted.shape)
    statistics.set_dtype(wanted.dtype)


@operator(
    "_log_softmax_pick",
    outputs=("output", "statistics"),
    visible=1,
    grad=_grad,
    traits=Traits(indices=(Indices("index", clips(along("data", -1)), of="pick"),)),
)
def log_softmax_pick(
    data: TensorType,
    index: TensorType,
    *,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
    negative: bool = False,
) -> tuple[TensorType, TensorType]:
    """Return ``pick(log_softmax(data), index)`` along the last axis, as one kernel.

    Args:
        data: ``[*left, N]``, floating.
        index: As for ``pick``.
        keepdims: Keep the axis, with size 1.
        mode: As for ``pick``.
        negative: Return the negated result, which is the loss.

    Returns:
        ``[*left]``, or ``[*left, 1]`` with ``keepdims``.

    Raises:
        ShapeError: ``index`` does not match, or ``data`` has no axis.
    """
    floating(data)
    check_axis(-1, data)
    return data.with_shape(picked_shape(data, index, -1, keepdims)), _statistics(data, 2)


def _grad_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, None, None]:
    # The statistics are functions of the data; the gradient to the data includes theirs.
    dy, data, index, _ = saved.inputs
    options = {name: saved.params[name] for name in ("keepdims", "mode")}
    if saved.params["negative"]:
        ddata = -ddata
    # The gradient to the scores is dy (one at the index, less p), with p the softmax.
    p = softmax(data)
    each = axis_total(pick_backward(dy, data, index, axis=-1, **options), axis=-1)
    less_mean = ddata - axis_total(ddata * p, axis=-1)
    to_dy = pick(less_mean, index, axis=-1, **options)
    return to_dy, -(softmax_backward(ddata, p, data) * each), None, None


@operator("_log_softmax_pick_backward", grad=_grad_backward, params_of=log_softmax_pick)
def log_softmax_pick_backward(
    dy: TensorType, data: TensorType, index: TensorType, statistics: TensorType, **params: Any
) -> TensorType:
    """Return the gradient of ``_log_softmax_pick`` with respect to ``data``."""
    like_result(dy, log_softmax_pick, data, index, **params)
    _check_statistics(dy, data, statistics, 2)
    return data


def _scalar_per_row(data: TensorType) -> TensorType:
    """Return the type of one number per row."""
    return data.with_shape(None if data.shape is None else (*data.shape[:-1], 1))


def _grad_dot(saved: Saved, dy: Any, *_: Any) -> tuple[Any, Any]:
    data, label = saved.inputs
    ddata = log_softmax_dot_backward(dy, data, label, saved.outputs[1])
    return ddata, broadcast_mul(log_softmax(data), dy) if saved.wants(1) else None


@operator("_log_softmax_dot", outputs=("output", "statistics"), visible=1, grad=_grad_dot)
def log_softmax_dot(data: TensorType, label: TensorType) -> tuple[TensorType, TensorType]:
    """Return ``sum(log_softmax(data) * label)`` along the last axis, kept with size 1.

    Args:
        data: ``[*left, N]``, floating.
        label: Weights of the classes, as ``data``.

    Returns:
        ``[*left, 1]``. Hidden outputs, for each row: the maximum, the sum of exponentials of the
        scores less the maximum, and the sum of the weights.

    Raises:
        ShapeError: ``label`` does not match, or ``data`` has no axis.
    """
    floating(data, label)
    check_axis(-1, data)
    data = same(data, label)
    return _scalar_per_row(data), _statistics(data, 3)


def _grad_dot_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, Any, None]:
    # The statistics are functions of data and label; gradients to these include theirs.
    dy, data, label, _ = saved.inputs
    # The gradient to the scores is dy (label - p sum(label)), with p the softmax.
    # The gradient to the scores is dy (label - p sum(label)), with p the softmax.
    p = softmax(data)
    less_mean = ddata - axis_total(ddata * p, axis=-1)
    to_dy = total(less_mean * label, axis=(-1,), keepdims=True)
    each = broadcast_mul(dy, axis_total(label, axis=-1))
    to_data = -broadcast_mul(softmax_backward(ddata, p, data), each)
    return to_dy, to_data, broadcast_mul(less_mean, dy) if saved.wants(2) else None, None


@operator("_log_softmax_dot_backward", grad=_grad_dot_backward)
def log_softmax_dot_backward(
    dy: TensorType, data: TensorType, label: TensorType, statistics: TensorType
) -> TensorType:
    """Return the gradient of ``_log_softmax_dot`` with respect to ``data``."""
    like_result(dy, log_softmax_dot, data, label)
    _check_statistics(dy, data, statistics, 3)
    return data
