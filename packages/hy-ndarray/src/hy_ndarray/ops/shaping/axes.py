"""Permutation of axes, reversal, blocks moved between axes, and diagonals."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import Linear, gradient_by
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.ranges import Positive
from hy_ndarray.ops.record.rules import check_axis, expect_rank
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, show


def _input_axes(axes: Shape, data: TensorType, rank: int) -> tuple[int, ...]:
    """Return the input axis of each output axis."""
    if not axes:
        return tuple(range(rank))[::-1]
    order = tuple(axis % rank if -rank <= axis < rank else axis for axis in axes)
    if sorted(order) != list(range(rank)):
        raise ShapeError(
            f"axes={axes} must be a permutation of the {rank} axes of "
            f"{data.label}{show(data.shape)}"
        )
    return order


def _permuted(shape: PartialShape, order: Sequence[int]) -> PartialShape:
    return tuple(shape[i] for i in order)


def _inverse(order: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(range(len(order)), key=order.__getitem__))


def _back_transpose(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape = outputs[0].shape
    if shape is not None:
        order = _input_axes(params["axes"], inputs[0], len(shape))
        inputs[0].set_shape(_permuted(shape, _inverse(order)))


def _grad_transpose(saved: Saved, dy: Any) -> tuple[Any]:
    axes = saved.params["axes"]
    return (transpose(dy, axes=_inverse([axis % len(axes) for axis in axes])),)


def _rows(params: Params, axis: int, ranks: Sequence[int]) -> Sequence[int]:
    axes = params["axes"] or tuple(reversed(range(ranks[0])))
    return (0,) if axes[axis] % ranks[0] == axis else ()


@operator("transpose", grad=_grad_transpose, back=_back_transpose, traits=Traits(rows=_rows))
def transpose(data: TensorType, *, axes: Shape = ()) -> TensorType:
    """Return the array with its axes permuted.

    Args:
        data: ``[*sizes]``, any dtype.
        axes: The axis of ``data`` for each axis of the result; reversed order if empty.

    Raises:
        ShapeError: ``axes`` does not name every axis once.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.transpose(nd.zeros((2, 3, 4)), axes=(1, 0, 2)).shape
        (3, 2, 4)
    """
    if data.shape is None:
        return data.with_shape([None] * len(axes) if axes else None)
    return data.with_shape(_permuted(data.shape, _input_axes(axes, data, len(data.shape))))


def _swapped(shape: PartialShape, dim1: int, dim2: int, data: TensorType) -> PartialShape:
    sizes = list(shape)
    rank = len(sizes)
    for dim in (dim1, dim2):
        if not -rank <= dim < rank:
            raise ShapeError(f"axis {dim} is outside the {rank} axes of {data.label}{show(shape)}")
    sizes[dim1], sizes[dim2] = sizes[dim2], sizes[dim1]
    return tuple(sizes)


def _back_swapaxes(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    if outputs[0].shape is not None:
        inputs[0].set_shape(_swapped(outputs[0].shape, params["dim1"], params["dim2"], outputs[0]))


@operator(
    "SwapAxis", "swapaxes", "_npi_swapaxes", grad=gradient_by("SwapAxis"), back=_back_swapaxes
)
def swapaxes(data: TensorType, *, dim1: int = 0, dim2: int = 0) -> TensorType:
    """Return the array with two axes exchanged.

    Args:
        data: ``[*sizes]``, any dtype.
        dim1: One axis; a negative one counts from the end.
        dim2: The other axis; a negative one counts from the end.

    Raises:
        ShapeError: There is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.swapaxes(nd.zeros((2, 3, 4)), dim1=0, dim2=2).shape
        (4, 3, 2)
    """
    if data.shape is None:
        return data.with_shape(None)
    return data.with_shape(_swapped(data.shape, dim1, dim2, data))


@operator("reverse", "flip", grad=gradient_by("reverse"))
def reverse(data: TensorType, *, axis: Shape) -> TensorType:
    """Return the elements in reverse order along some axes.

    Args:
        data: ``[*sizes]``, any dtype.
        axis: The axes; negative ones count from the end. One that is listed twice is reversed
            twice, as in MXNet.

    Raises:
        ShapeError: There is no such axis.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.flip(nd.array([[1, 2], [3, 4]]), axis=1).asnumpy()
        array([[2., 1.],
               [4., 3.]], dtype=float32)
    """
    for i in axis:
        check_axis(i, data)
    return data


def _divide(size: int | None, parts: int, data: TensorType, axis: int) -> int | None:
    if size is not None and size % parts:
        raise ShapeError(
            f"axis {axis} of {data.label}{show(data.shape)} must be a multiple of {parts}"
        )
    return None if size is None else size // parts


def _multiply(size: int | None, factor: int) -> int | None:
    return None if size is None else size * factor


@operator("depth_to_space", grad=gradient_by("space_to_depth"))
def depth_to_space(data: TensorType, *, block_size: Positive) -> TensorType:
    """Return channels rearranged to blocks of pixels, of height and width ``B``.

    Args:
        data: ``[N, B * B * C, H, W]``, any dtype.
        block_size: ``B``, the height and width of a block.

    Returns:
        ``[N, C, H * B, W * B]``.

    Raises:
        ShapeError: ``data`` is not 4-dimensional, or its channels are not a multiple of ``B * B``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.depth_to_space(nd.array([[[[1]], [[2]], [[3]], [[4]]]]), block_size=2).asnumpy()
        array([[[[1., 2.],
                 [3., 4.]]]], dtype=float32)
    """
    expect_rank(data, 4)
    if data.shape is None:
        return data.with_shape((None, None, None, None))
    n, c, h, w = data.shape
    channels = _divide(c, block_size * block_size, data, 1)
    return data.with_shape((n, channels, _multiply(h, block_size), _multiply(w, block_size)))


@operator("space_to_depth", grad=gradient_by("depth_to_space"))
def space_to_depth(data: TensorType, *, block_size: Positive) -> TensorType:
    """Return blocks of pixels rearranged to channels; the inverse of ``depth_to_space``.

    Args:
        data: ``[N, C, H * B, W * B]``, any dtype.
        block_size: ``B``, the height and width of a block.

    Returns:
        ``[N, B * B * C, H, W]``.

    Raises:
        ShapeError: ``data`` is not 4-dimensional, or its height or width is no multiple of ``B``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.space_to_depth(nd.zeros((1, 2, 4, 6)), block_size=2).shape
        (1, 8, 2, 3)
    """
    expect_rank(data, 4)
    if data.shape is None:
        return data.with_shape((None, None, None, None))
    n, c, h, w = data.shape
    rows, columns = _divide(h, block_size, data, 2), _divide(w, block_size, data, 3)
    return data.with_shape((n, _multiply(c, block_size * block_size), rows, columns))


def _diagonal(data: TensorType, k: int, axis1: int, axis2: int) -> PartialShape | None:
    shape = data.shape
    if shape is None:
        return None
    if len(shape) == 1:
        return (None, None) if shape[0] is None else (shape[0] + abs(k),) * 2
    a, b = check_axis(axis1, data), check_axis(axis2, data)
    assert a is not None
    assert b is not None
    if a == b:
        raise ShapeError(f"axis1={axis1} and axis2={axis2} must be different axes")
    rows, columns = shape[a], shape[b]
    length = None
    if rows is not None and columns is not None:
        if not -rows <= k <= columns:
            sizes = f"{rows} rows and {columns} columns"
            raise ShapeError(f"k={k} is outside {data.label}{show(shape)} with {sizes}")
        length = max(0, min(rows + min(k, 0), columns - max(k, 0)))
    return (*(n for i, n in enumerate(shape) if i not in (a, b)), length)


_DIAG = Linear()


@operator("diag", grad=_DIAG.grad)
def diag(data: TensorType, *, k: int = 0, axis1: int = 0, axis2: int = 1) -> TensorType:
    """Return a diagonal of an array, or a matrix with a vector on a diagonal.

    Args:
        data: ``[N]`` or ``[*sizes]``, any dtype.
        k: The diagonal: above the main one if positive, below it if negative.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Returns:
        ``[N + |k|, N + |k|]`` for a vector; else the other axes of ``data``, then the diagonal.

    Raises:
        ShapeError: The axes are equal, there are no such axes, or the array has no diagonal ``k``.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.diag(nd.array([[1, 2], [3, 4]])).asnumpy(), nd.diag(nd.array([1, 2])).asnumpy()
        (array([1., 4.], dtype=float32), array([[1., 0.],
               [0., 2.]], dtype=float32))
    """
    return data.with_shape(_diagonal(data, k, axis1, axis2))


diag_backward = _DIAG.gradient_of(diag, "diag_backward")
