"""Sizes of an axis after insertion or deletion."""

from hy_ndarray._errors import ArgumentError, IndexingError, ShapeError
from hy_ndarray.ops.record.rules import broadcast_shapes, check_axis
from hy_ndarray.ops.record.types import TensorType, show


def resized(arr: TensorType, axis: int | None, change: int | None) -> TensorType:
    """Return the type of ``arr`` with the size of ``axis`` changed by ``change``; flat if None."""
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
    """Return the size of ``axis``, or the number of elements if it is None."""
    whole = resized(arr, axis, 0).shape
    if whole is None:
        return None
    return whole[0 if axis is None else axis]


def slice_length(
    arr: TensorType, axis: int | None, start: int | None, stop: int | None, step: int | None
) -> int | None:
    """Return the number of elements of ``arr`` along ``axis`` that a slice selects."""
    size = length(arr, axis)
    if step == 0:
        raise ArgumentError("step must not be 0")
    return None if size is None else len(range(*slice(start, stop, step).indices(size)))


def check_index(index: int, arr: TensorType, axis: int | None, *, extra: int = 0) -> None:
    """Raise :class:`IndexingError` unless ``index`` is in range; ``extra=1`` allows the end."""
    size = length(arr, axis)
    if size is not None and not -size <= index < size + extra:
        raise IndexingError(f"index {index} is out of bounds for {arr!r} with {size} elements")


def inserted(
    arr: TensorType,
    values: TensorType | None,
    axis: int | None,
    count: int | None,
    *,
    by_number: bool = False,
) -> TensorType:
    """Return the type of ``arr`` with ``count`` elements inserted, as in ``np.insert``.

    With a single index (``count`` 1), as many elements are inserted as there are values along
    ``axis``; if that index is a number rather than an array, along the first axis of the values.

    Raises:
        ShapeError: The values do not broadcast to the indices.
    """
    if values is None or values.shape is None or arr.shape is None:
        return resized(arr, axis, count if values is None or count != 1 else None)
    target = resized(arr, axis, 0)
    assert target.shape is not None
    at = check_axis(0 if axis is None else axis, target) or 0
    operands = (1,) * (len(target.shape) - len(values.shape)) + values.shape
    if by_number:
        operands = (*operands[1 : at + 1], operands[0], *operands[at + 1 :])
    if count == 1:
        count = operands[at]
    selected_shape = (*target.shape[:at], count, *target.shape[at + 1 :])
    if broadcast_shapes(operands, selected_shape) != selected_shape and None not in (
        *operands,
        *selected_shape,
    ):
        raise ShapeError(f"cannot broadcast {values!r} to the selected part {show(selected_shape)}")
    return resized(arr, axis, count)
