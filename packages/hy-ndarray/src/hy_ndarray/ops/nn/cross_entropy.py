"""The logarithm of softmax at one place of each row: the middle of a cross entropy.

Graphs are rewritten to it; its arrays are small, where ``log_softmax`` followed by ``pick`` writes
and reads an array of the size of the scores, forwards and backwards.
"""

from typing import Any, Literal

from hy_ndarray.ops.indexing import pick, pick_backward, picked_shape
from hy_ndarray.ops.nn.softmax import axis_total, softmax, softmax_backward
from hy_ndarray.ops.record.rules import check_axis
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import TensorType

__all__ = ["log_softmax_pick", "log_softmax_pick_backward"]


def _grad(saved: Saved, dy: Any, *_: Any) -> tuple[Any, None]:
    return log_softmax_pick_backward(dy, *saved.inputs, saved.outputs[1], **saved.params), None


def _statistics(data: TensorType) -> TensorType:
    """Type of a peak of each row, and of the sum of exponentials of the scores less that."""
    dtype = "float32" if data.dtype in ("float16", "bfloat16") else data.dtype
    shape = None if data.shape is None else (*data.shape[:-1], 2)
    return data.with_shape(shape).with_dtype(dtype)


@operator("_log_softmax_pick", outputs=("output", "statistics"), visible=1, grad=_grad)
def log_softmax_pick(
    data: TensorType,
    index: TensorType,
    *,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
) -> tuple[TensorType, TensorType]:
    """``pick(log_softmax(data), index)`` along the last axis.

    Args:
        data: ``[*left, N]``, floating.
        index: As for ``pick``.
        keepdims: Keep the axis, with size 1.
        mode: As for ``pick``.

    Returns:
        ``[*left]``, or ``[*left, 1]`` with ``keepdims``.

    Raises:
        ShapeError: ``index`` does not fit, or ``data`` has no axis.
    """
    check_axis(-1, data)
    return data.with_shape(picked_shape(data, index, -1, keepdims)), _statistics(data)


def _grad_backward(saved: Saved, ddata: Any) -> tuple[Any, Any, None, None]:
    # The statistics are functions of the data; the gradient to the data includes theirs.
    dy, data, index, _ = saved.inputs
    p = softmax(data)
    each = axis_total(pick_backward(dy, data, index, axis=-1, **saved.params), axis=-1)
    less_mean = ddata - axis_total(ddata * p, axis=-1)
    to_dy = pick(less_mean, index, axis=-1, **saved.params)
    return to_dy, -(softmax_backward(ddata, p, data) * each), None, None


@operator("_log_softmax_pick_backward", grad=_grad_backward)
def log_softmax_pick_backward(
    dy: TensorType,
    data: TensorType,
    index: TensorType,
    statistics: TensorType,
    *,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
) -> TensorType:
    """Gradient of ``_log_softmax_pick`` to ``data``."""
    dy.set_shape(picked_shape(data, index, -1, keepdims))
    return data
