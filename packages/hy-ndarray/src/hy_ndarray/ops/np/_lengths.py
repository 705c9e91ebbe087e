"""How long an axis is, and becomes, when elements are put in or left out."""

from hy_ndarray._errors import ArgumentError
from hy_ndarray.ops.record.rules import check_axis
from hy_ndarray.ops.record.types import TensorType

__all__ = ["length", "length_of_values", "resized", "slice_length"]


def resized(arr: TensorType, axis: int | None, change: int | None) -> TensorType:
    """``arr`` with another size along an axis; flattened if None."""
    if arr.shape is None:
        return arr.with_shape(None if axis is not None else (None,))
    if axis is None:
        count = 1
        for n in arr.shape:
            count = -1 if n is None or count < 0 else count * n
        return arr.with_shape((None if count < 0 or change is None else count + change,))
    at = check_axis(axis, arr)
    assert at is not None
    size = arr.shape[at]
    new = None if size is None or change is None else size + change
    return arr.with_shape((*arr.shape[:at], new, *arr.shape[at + 1 :]))


def length(arr: TensorType, axis: int | None) -> int | None:
    """How many places there are along the axis."""
    whole = resized(arr, axis, 0).shape
    if whole is None:
        return None
    return whole[0 if axis is None else axis]


def slice_length(
    arr: TensorType, axis: int | None, start: int | None, stop: int | None, step: int | None
) -> int | None:
    """How many places a slice covers."""
    size = length(arr, axis)
    if step == 0:
        raise ArgumentError("step=0 leads nowhere")
    return None if size is None else len(range(*slice(start, stop, step).indices(size)))


def length_of_values(values: TensorType | None, arr: TensorType, axis: int | None) -> int | None:
    """How many places the values of one index take."""
    if values is None:
        return 1
    if values.shape is None or arr.shape is None:
        return None
    if axis is None or len(values.shape) < len(arr.shape):
        return length(values, None) if axis is None else 1
    at = check_axis(axis, arr)
    assert at is not None
    return values.shape[at]
