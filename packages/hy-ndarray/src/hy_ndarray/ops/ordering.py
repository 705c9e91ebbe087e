"""Searching and sorting along an axis."""

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops._rules import check_axis, reduced
from hy_ndarray.ops._schema import operator
from hy_ndarray.ops._types import TensorType, show

__all__ = ["argmax", "argmax_channel", "argmin"]


def _searched(data: TensorType, axis: int | None, *, keepdims: bool) -> TensorType:
    axes = None if axis is None else (axis,)
    if data.shape is not None:
        where = None if axis is None else check_axis(axis, data)
        if 0 in (data.shape if where is None else data.shape[where : where + 1]):
            raise ShapeError(f"{data.label}{show(data.shape)} has nothing to compare, axis={axis}")
    return reduced(data, axes, keepdims=keepdims)


@operator("argmax")
def argmax(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Where along ``axis`` the largest element is; the first of equal ones.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; with None the position is counted over all elements.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Positions, in the dtype of ``data``: ``data`` without the axis; ``(1,)`` if none is left.

    Raises:
        ShapeError: ``axis`` is out of range, or there is nothing to search.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.argmax(nd.array([[1, 3, 2], [4, 0, 0]]), axis=1).asnumpy()
        array([1., 0.], dtype=float32)
    """
    return _searched(data, axis, keepdims=keepdims)


@operator("argmin")
def argmin(data: TensorType, *, axis: int | None = None, keepdims: bool = False) -> TensorType:
    """Where along ``axis`` the smallest element is; the first of equal ones.

    Args:
        data: ``[*shape]``, not empty along the axis.
        axis: The axis to search; with None the position is counted over all elements.
        keepdims: Keep the searched axis, with size 1.

    Returns:
        Positions, in the dtype of ``data``: ``data`` without the axis; ``(1,)`` if none is left.

    Raises:
        ShapeError: ``axis`` is out of range, or there is nothing to search.
    """
    return _searched(data, axis, keepdims=keepdims)


@operator("argmax_channel")
def argmax_channel(data: TensorType) -> TensorType:
    """``argmax`` along axis 1: the best class of each row.

    Args:
        data: ``[N, C, *rest]``.

    Returns:
        ``[N, *rest]``, in the dtype of ``data``.

    Raises:
        ShapeError: There is no axis 1, or it is empty.
    """
    return _searched(data, 1, keepdims=False)
