"""Parts of an array, cut out or written to."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops._params import Dims, Shape
from hy_ndarray.ops._rules import check_axis, same_dtype
from hy_ndarray.ops._schema import Saved, operator
from hy_ndarray.ops._types import PartialShape, TensorType, show

__all__ = [
    "corner_backward",
    "slice",
    "slice_axis",
    "slice_axis_backward",
    "slice_backward",
    "slice_like",
]


def _cut(data: TensorType, begin: Dims, end: Dims, step: Dims) -> PartialShape | None:
    """The shape of ``data[begin:end:step]``."""
    if len(begin) != len(end) or (step and len(step) != len(begin)):
        raise ShapeError(f"begin={begin}, end={end} and step={step} have different lengths")
    if 0 in step:
        raise ShapeError(f"step={step} is 0 along an axis")
    if data.shape is None:
        return None
    if len(begin) > len(data.shape):
        raise ShapeError(f"begin={begin} has more axes than {data.label}{show(data.shape)}")
    sizes = list(data.shape)
    for i, size in enumerate(data.shape[: len(begin)]):
        if size is not None:
            sizes[i] = len(range(size)[begin[i] : end[i] : step[i] if step else None])
    return tuple(sizes)


def _grad_slice(saved: Saved, dy: Any) -> tuple[Any]:
    return (slice_backward(dy, saved.inputs[0], **saved.params),)


@operator("slice", "crop", "_npi_slice", "_npx_slice", "_sparse_slice", grad=_grad_slice)
def slice(data: TensorType, *, begin: Dims, end: Dims, step: Dims = ()) -> TensorType:
    """The part ``data[begin:end:step]``, as Python slices mean it.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: First index along each of the leading axes; None: from the start.
        end: Index behind the last one; None: up to the end.
        step: Distance between indices, negative to go backwards; 1 where None or left out.

    Raises:
        ShapeError: There are not so many axes, or a step is 0.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2, 3], [4, 5, 6]])
        >>> nd.slice(x, begin=(0, 1), end=(None, 3)).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
    """
    return data.with_shape(_cut(data, begin, end, step))


def _grad_slice_backward(saved: Saved, dx: Any) -> tuple[Any, None]:
    return slice(dx, **saved.params), None


@operator("_backward_slice", grad=_grad_slice_backward)
def slice_backward(
    dy: TensorType, data: TensorType, *, begin: Dims, end: Dims, step: Dims = ()
) -> TensorType:
    """Zeros in the shape of ``data`` with ``dy`` at the slice."""
    dy.set_shape(_cut(data, begin, end, step))
    return data.with_dtype(dy.dtype)


def _axis_cut(data: TensorType, axis: int, begin: int, end: int | None) -> PartialShape | None:
    """The shape of ``data`` cut to ``begin:end`` along one axis."""
    at = check_axis(axis, data)
    if data.shape is None or at is None:
        return None
    size = data.shape[at]
    length = None
    if size is not None:
        first = begin + size if begin < 0 else begin
        last = size if end is None else end + size if end < 0 else end
        if not 0 <= first <= last <= size:
            raise ShapeError(
                f"begin={begin}, end={end} is no part of axis {axis} "
                f"of {data.label}{show(data.shape)}"
            )
        length = last - first
    return (*data.shape[:at], length, *data.shape[at + 1 :])


def _grad_slice_axis(saved: Saved, dy: Any) -> tuple[Any]:
    return (slice_axis_backward(dy, saved.inputs[0], **saved.params),)


@operator("slice_axis", grad=_grad_slice_axis)
def slice_axis(data: TensorType, *, axis: int, begin: int, end: int | None) -> TensorType:
    """The part from ``begin`` to before ``end`` along one axis.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axis; negative counts from the end.
        begin: First index; negative counts from the end.
        end: Index behind the last; None: up to the end.

    Raises:
        ShapeError: There is no such axis, or the part does not lie within it.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.slice_axis(nd.array([[1, 2, 3]]), axis=1, begin=1, end=None).asnumpy()
        array([[2., 3.]], dtype=float32)
    """
    return data.with_shape(_axis_cut(data, axis, begin, end))


def _grad_slice_axis_backward(saved: Saved, dx: Any) -> tuple[Any, None]:
    return slice_axis(dx, **saved.params), None


@operator("_backward_slice_axis", grad=_grad_slice_axis_backward)
def slice_axis_backward(
    dy: TensorType, data: TensorType, *, axis: int, begin: int, end: int | None
) -> TensorType:
    """Zeros in the shape of ``data`` with ``dy`` at the slice."""
    dy.set_shape(_axis_cut(data, axis, begin, end))
    return data.with_dtype(dy.dtype)


def _grad_slice_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return corner_backward(dy, saved.inputs[0]), None


@operator("slice_like", grad=_grad_slice_like)
def slice_like(data: TensorType, shape_like: TensorType, *, axes: Shape = ()) -> TensorType:
    """The leading part of ``data`` that is as large as another array along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; all of them if empty, and then both have the same number.

    Raises:
        ShapeError: ``shape_like`` is larger, or there are no such axes.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.slice_like(nd.zeros((3, 4)), nd.zeros((2, 3)), axes=(0,)).shape
        (2, 4)
    """
    if data.shape is None or shape_like.shape is None:
        return data.with_shape(None)
    if not axes and len(data.shape) != len(shape_like.shape):
        raise ShapeError(
            f"{data.label}{show(data.shape)} and {shape_like.label}{show(shape_like.shape)} "
            "differ in rank; name the axes to cut"
        )
    sizes = list(data.shape)
    for axis in axes or range(len(sizes)):
        at, other = check_axis(axis, data), check_axis(axis, shape_like)
        assert at is not None
        assert other is not None
        before, after = sizes[at], shape_like.shape[other]
        if before is not None and after is not None and after > before:
            raise ShapeError(
                f"{shape_like.label}{show(shape_like.shape)} is larger than "
                f"{data.label}{show(data.shape)} along axis {axis}"
            )
        sizes[at] = after
    return data.with_shape(sizes)


def _grad_corner_backward(saved: Saved, dx: Any) -> tuple[Any, None]:
    return slice_like(dx, saved.inputs[0]), None


@operator("_backward_corner", grad=_grad_corner_backward)
def corner_backward(dy: TensorType, data: TensorType) -> TensorType:
    """Zeros in the shape of ``data`` with ``dy`` at the beginning of every axis."""
    same_dtype(dy, data)
    return data
