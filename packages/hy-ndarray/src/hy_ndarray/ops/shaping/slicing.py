"""Slices of arrays, read or written."""

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.adjoints import Linear, gradient_by
from hy_ndarray.ops.record.params import Dims, Shape
from hy_ndarray.ops.record.ranges import NonNegatives
from hy_ndarray.ops.record.rules import check_axis, expect_rank, like_result, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.creation import zeros_like


def _sliced_shape(data: TensorType, begin: Dims, end: Dims, step: Dims) -> PartialShape | None:
    """Return the shape of ``data[begin:end:step]``."""
    if len(begin) != len(end) or (step and len(step) != len(begin)):
        raise ShapeError(f"begin={begin}, end={end} and step={step} must have the same length")
    if 0 in step:
        raise ShapeError(f"step={step} must not contain 0")
    if data.shape is None:
        return None
    if len(begin) > len(data.shape):
        raise ShapeError(
            f"begin={begin} has more entries than {data.label}{show(data.shape)} has axes"
        )
    sizes = list(data.shape)
    for i, size in enumerate(data.shape[: len(begin)]):
        if size is not None:
            sizes[i] = len(range(size)[begin[i] : end[i] : step[i] if step else None])
    return tuple(sizes)


_SLICE = Linear()


@operator("slice", "crop", "_npi_slice", "_npx_slice", "_sparse_slice", grad=_SLICE.grad)
def slice(data: TensorType, *, begin: Dims, end: Dims, step: Dims = ()) -> TensorType:
    """Return ``data[begin:end:step]``, with the meaning of Python slices.

    Args:
        data: ``[*sizes]``, any dtype.
        begin: Start index along each of the leading axes; None for the default.
        end: End index along each of them, exclusive; None for the default.
        step: Step along each of them, which may be negative; 1 if None or omitted.

    Raises:
        ShapeError: ``data`` has fewer axes, or a step is 0.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[1, 2, 3], [4, 5, 6]])
        >>> nd.slice(x, begin=(0, 1), end=(None, 3)).asnumpy()
        array([[2., 3.],
               [5., 6.]], dtype=float32)
    """
    return data.with_shape(_sliced_shape(data, begin, end, step))


slice_backward = _SLICE.gradient_of(slice, "slice_backward")


def _axis_cut(data: TensorType, axis: int, begin: int, end: int | None) -> PartialShape | None:
    """Return the shape of ``data[begin:end]`` along one axis."""
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
                f"begin={begin}, end={end} is outside axis {axis} of {data.label}{show(data.shape)}"
            )
        length = last - first
    return (*data.shape[:at], length, *data.shape[at + 1 :])


_SLICE_AXIS = Linear()


@operator("slice_axis", grad=_SLICE_AXIS.grad)
def slice_axis(data: TensorType, *, axis: int, begin: int, end: int | None) -> TensorType:
    """Return the slice ``begin:end`` along one axis.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axis; a negative one counts from the end.
        begin: Start index; a negative one counts from the end.
        end: End index, exclusive; None for the end of the axis.

    Raises:
        ShapeError: There is no such axis, or the slice is not within it.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.slice_axis(nd.array([[1, 2, 3]]), axis=1, begin=1, end=None).asnumpy()
        array([[2., 3.]], dtype=float32)
    """
    return data.with_shape(_axis_cut(data, axis, begin, end))


slice_axis_backward = _SLICE_AXIS.gradient_of(slice_axis, "slice_axis_backward")


def _grad_slice_like(saved: Saved, dy: Any) -> tuple[Any, None]:
    return corner_backward(dy, saved.inputs[0]), None


@operator("slice_like", grad=_grad_slice_like)
def slice_like(data: TensorType, shape_like: TensorType, *, axes: Shape = ()) -> TensorType:
    """Return ``data`` cut to the sizes of ``shape_like`` along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        shape_like: Only its shape is used.
        axes: The axes to cut; if empty, all axes, of which both arrays have equally many.

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
            f"{data.label}{show(data.shape)} and {shape_like.label}{show(shape_like.shape)} must "
            "have the same number of axes, unless axes are given"
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


@operator("_corner_backward", grad=gradient_by("slice_like", 0))
def corner_backward(dy: TensorType, data: TensorType) -> TensorType:
    """Return the gradient of ``slice_like``: ``dy`` padded with zeros to the shape of ``data``."""
    same_dtype(dy, data)
    like_result(dy, slice_like, data, dy)
    return data


def _grad_slice_assign(saved: Saved, dy: Any) -> tuple[Any, Any]:
    rhs = saved.inputs[1]
    return slice_assign(dy, zeros_like(rhs), **saved.params), slice(dy, **saved.params)


@operator("_slice_assign", "_crop_assign", "_npi_slice_assign", grad=_grad_slice_assign)
def slice_assign(
    lhs: TensorType, rhs: TensorType, *, begin: Dims, end: Dims, step: Dims = ()
) -> TensorType:
    """Return ``lhs`` with the slice ``begin:end:step`` replaced by ``rhs``.

    Args:
        lhs: ``[*sizes]``, any dtype.
        rhs: The shape of the slice, same dtype as ``lhs``.
        begin: As for ``slice``.
        end: As for ``slice``.
        step: As for ``slice``.

    Raises:
        ShapeError: ``rhs`` does not have the shape of the slice.

    Example:
        >>> from hy_ndarray import nd
        >>> nd._internal._slice_assign(nd.zeros(3), nd.ones(2), begin=(1,), end=(3,)).asnumpy()
        array([0., 1., 1.], dtype=float32)
    """
    same_dtype(lhs, rhs)
    rhs.set_shape(_sliced_shape(lhs, begin, end, step))
    return lhs


def _grad_slice_assign_scalar(saved: Saved, dy: Any) -> tuple[Any]:
    return (slice_assign_scalar(dy, **{**saved.params, "scalar": 0.0}),)


@operator(
    "_slice_assign_scalar",
    "_crop_assign_scalar",
    "_npi_slice_assign_scalar",
    grad=_grad_slice_assign_scalar,
)
def slice_assign_scalar(
    data: TensorType, *, scalar: float = 0.0, begin: Dims, end: Dims, step: Dims = ()
) -> TensorType:
    """Return ``data`` with the slice ``begin:end:step`` filled with a number.

    Args:
        data: ``[*sizes]``, any dtype.
        scalar: The number.
        begin: As for ``slice``.
        end: As for ``slice``.
        step: As for ``slice``.

    Raises:
        ShapeError: ``data`` has fewer axes, or a step is 0.
    """
    _sliced_shape(data, begin, end, step)
    return data


def _check_window(size: int | None, length: int | None, offset: int, axis: str) -> None:
    """Raise :class:`ShapeError` unless ``offset`` and ``length`` lie within ``size``."""
    if length is not None and length < 1:
        raise ShapeError(f"the {axis} of the crop must be at least 1, got {length}")
    if size is not None and length is not None and not 0 <= offset <= size - length:
        raise ShapeError(
            f"a crop of {axis} {length} at offset {offset} exceeds the {axis} {size} of the image"
        )


def _grad_crop(saved: Saved, dy: Any) -> tuple[Any, ...]:
    data, *rest = saved.inputs
    return crop_backward(dy, data, **saved.params), *[None] * len(rest)


@operator("Crop", count="num_args", grad=_grad_crop)
def crop(
    *data: TensorType, offset: Shape = (0, 0), h_w: NonNegatives = (0, 0), center_crop: bool = False
) -> TensorType:
    """Return a window of each image.

    Args:
        data: Images ``[N, C, H, W]``, and optionally an array whose last two sizes are those of
            the window.
        offset: First row and column of the window.
        h_w: Height and width of the window, if no second array is given.
        center_crop: Center the window in the image instead of using ``offset``.

    Returns:
        ``[N, C, height, width]``.

    Raises:
        ShapeError: The window is not within the images.

    Example:
        >>> from hy_ndarray import nd
        >>> x = nd.array([[[[1, 2, 3], [4, 5, 6]]]])
        >>> nd.Crop(x, h_w=(1, 2), offset=(1, 0)).asnumpy()
        array([[[[4., 5.]]]], dtype=float32)
    """
    if not 1 <= len(data) <= 2 or len(offset) != 2 or len(h_w) != 2:
        raise ShapeError(
            f"Crop needs one or two arrays, two numbers as offset={offset} and two as h_w={h_w}; "
            f"got {len(data)} arrays"
        )
    images = data[0]
    for t in data:
        expect_rank(t, 4)
    height, width = data[1].shape[2:] if len(data) == 2 and data[1].shape else h_w
    if len(data) == 2 and data[1].shape is None:
        height = width = None
    if images.shape is None:
        return images.with_shape((None, None, height, width))
    for i, length in enumerate((height, width)):
        size = images.shape[2 + i]
        middle = 0 if size is None or length is None else max(size - length, 0) // 2
        axis = ("height", "width")[i]
        _check_window(size, length, middle if center_crop else offset[i], axis)
    return images.with_shape((*images.shape[:2], height, width))


@operator("_crop_backward", grad=gradient_by("Crop", 0), params_of=crop)
def crop_backward(dy: TensorType, data: TensorType, **params: Any) -> TensorType:
    """Return zeros in the shape of ``data`` with ``dy`` at the window."""
    like_result(dy, crop, data, dy, **params)
    return data.with_dtype(dy.dtype)
