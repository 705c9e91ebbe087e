"""Transposition, moving of axes and elements, triangles and diagonals."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import Linear, gradient_by
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import check_axis, expect_axes
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show
from hy_ndarray.ops.shaping.reshape import reshape_like


def _grad_transpose(saved: Saved, dy: Any) -> tuple[Any]:
    axes = saved.params["axes"]
    if not axes:
        return (np_transpose(dy),)
    order = [axis % len(axes) for axis in axes]
    return (np_transpose(dy, axes=tuple(order.index(i) for i in range(len(axes)))),)


def _back_transpose(
    inputs: Sequence[TensorType], outputs: Sequence[TensorType], params: Params
) -> None:
    shape, axes = outputs[0].shape, params["axes"]
    if shape is None:
        return
    order = [axis % len(shape) for axis in axes] if axes else [*reversed(range(len(shape)))]
    inputs[0].set_shape([shape[order.index(i)] for i in range(len(shape))])


@operator("_np_transpose", grad=_grad_transpose, back=_back_transpose)
def np_transpose(a: TensorType, *, axes: Shape | None = None) -> TensorType:
    """Return ``a`` with its axes permuted.

    Args:
        a: ``[*shape]``, any dtype.
        axes: The axis of ``a`` for each axis of the result; None reverses the axes.

    Raises:
        ShapeError: ``axes`` does not name each axis once.
    """
    if a.shape is None:
        return a.with_shape(None if not axes else [None] * len(axes))
    order = [check_axis(axis, a) for axis in axes] if axes else [*range(len(a.shape))][::-1]
    if sorted(i for i in order if i is not None) != list(range(len(a.shape))):
        raise ShapeError(
            f"axes={axes} must be a permutation of the axes of {a.label}{show(a.shape)}"
        )
    return a.with_shape(a.shape[i] for i in order if i is not None)


def _grad_moveaxis(saved: Saved, dy: Any) -> tuple[Any]:
    source, destination = saved.params["source"], saved.params["destination"]
    return (np_moveaxis(dy, source=destination, destination=source),)


@operator("_np_moveaxis", grad=_grad_moveaxis)
def np_moveaxis(a: TensorType, *, source: Shape, destination: Shape) -> TensorType:
    """Return ``a`` with some axes moved to other positions; the others keep their order.

    Args:
        a: ``[*shape]``, any dtype.
        source: The axes to move.
        destination: The new position of each.

    Raises:
        ShapeError: There is no such axis, one is named twice, or the lengths differ.
    """
    if len(source) != len(destination):
        raise ShapeError(f"source={source} and destination={destination} must have the same length")
    if a.shape is None:
        return a.with_shape(None)
    origins = [axis for axis in (check_axis(i, a) for i in source) if axis is not None]
    targets = [axis for axis in (check_axis(i, a) for i in destination) if axis is not None]
    if len({*origins}) != len(origins) or len({*targets}) != len(targets):
        raise ShapeError(f"source={source} and destination={destination} must not repeat an axis")
    order = [axis for axis in range(len(a.shape)) if axis not in origins]
    for target, origin in sorted(zip(targets, origins, strict=True)):
        order.insert(target, origin)
    return a.with_shape(a.shape[i] for i in order)


def _grad_roll(saved: Saved, dy: Any) -> tuple[Any]:
    shift = tuple(-n for n in saved.params["shift"] or (0,))
    return (np_roll(dy, shift=shift, axis=saved.params["axis"]),)


@operator("_np_roll", grad=_grad_roll)
def np_roll(
    data: TensorType, *, shift: Shape | None = None, axis: Shape | None = None
) -> TensorType:
    """Return the elements shifted cyclically along some axes.

    Args:
        data: ``[*shape]``, any dtype.
        shift: Number of elements to shift by: one for all axes, or one per axis.
        axis: The axes; None shifts the flattened array.

    Raises:
        ShapeError: There is no such axis, or the number of shifts is neither 1 nor that of axes.
    """
    if shift is None:
        raise ShapeError("required parameter shift is missing")
    for i in axis or ():
        check_axis(i, data)
    if axis is not None and 1 not in (len(shift), len(axis)) and len(shift) != len(axis):
        raise ShapeError(f"shift={shift} and axis={axis} must have the same length")
    return data


def _grad_rot90(saved: Saved, dy: Any) -> tuple[Any]:
    return (np_rot90(dy, k=-saved.params["k"], axes=saved.params["axes"]),)


@operator("_npi_rot90", grad=_grad_rot90)
def np_rot90(data: TensorType, *, k: int = 1, axes: Shape | None = None) -> TensorType:
    """Return the array rotated by multiples of 90° in the plane of two axes.

    Args:
        data: ``[*shape]``, any dtype.
        k: Number of times.
        axes: The two axes; the first two if None.

    Raises:
        ShapeError: ``axes`` are not two different axes.
    """
    pair = (0, 1) if axes is None else axes
    if data.shape is None:
        return data.with_shape(None)
    checked = [check_axis(axis, data) for axis in pair]
    if len(pair) != 2 or checked[0] == checked[1] or None in checked:
        raise ShapeError(f"axes={axes} must be two different axes")
    if k % 2 == 0:
        return data
    shape = list(data.shape)
    i, j = (axis for axis in checked if axis is not None)
    shape[i], shape[j] = shape[j], shape[i]
    return data.with_shape(shape)


@operator("_npi_flip", grad=gradient_by("_npi_flip"))
def np_flip(data: TensorType, *, axis: Shape | None) -> TensorType:
    """Return the elements in reverse order along some axes, or along all if None.

    An axis that is listed twice is reversed twice, as in MXNet.
    """
    for i in axis or ():
        check_axis(i, data)
    return data


_TRIL = Linear()


@operator("_npi_tril", grad=_TRIL.grad)
def np_tril(data: TensorType, *, k: int = 0) -> TensorType:
    """Return the lower triangle of matrices, with zeros above a diagonal.

    Args:
        data: ``[*batch, M, N]``, any dtype; ``[N]`` stands for ``N`` equal rows.
        k: The diagonal: 0 is the main one, positive ones are above it, negative ones below.
    """
    if data.shape is None:
        return data.with_shape(None)
    expect_axes(data, 1)
    return data.with_shape(data.shape * 2) if len(data.shape) == 1 else data


tril_backward = _TRIL.gradient_of(np_tril, "tril_backward", "_np_tril_backward")


def _diagonal_length(rows: int | None, columns: int | None, offset: int) -> int | None:
    """Return the length of the diagonal at ``offset``; None if a size is unknown."""
    if rows is None or columns is None:
        return None
    return max(min(rows, columns - offset) if offset >= 0 else min(rows + offset, columns), 0)


_DIAG = Linear()


@operator("_np_diag", grad=_DIAG.grad)
def np_diag(data: TensorType, *, k: int = 0) -> TensorType:
    """Return a diagonal of a matrix as a vector, or a matrix with a vector on a diagonal.

    Args:
        data: ``[N]`` or ``[M, N]``, any dtype.
        k: The diagonal: 0 is the main one, positive ones are above it, negative ones below.

    Raises:
        ShapeError: ``data`` has neither one nor two axes.
    """
    if data.shape is None:
        return data.with_shape(None)
    if len(data.shape) == 1:
        side = None if data.shape[0] is None else data.shape[0] + abs(k)
        return data.with_shape((side, side))
    if len(data.shape) != 2:
        raise ShapeError(f"{data.label}{show(data.shape)} must have 1 or 2 axes")
    return data.with_shape((_diagonal_length(*data.shape, k),))


np_diag_backward = _DIAG.gradient_of(np_diag, "np_diag_backward")


def _grad_diagflat(saved: Saved, dy: Any) -> tuple[Any]:
    return (reshape_like(np_diag(dy, **saved.params), saved.inputs[0]),)


@operator("_np_diagflat", grad=_grad_diagflat)
def np_diagflat(data: TensorType, *, k: int = 0) -> TensorType:
    """Return a matrix with the elements of ``data``, flattened, on a diagonal."""
    if data.sizes is None:
        return data.with_shape((None, None))
    count = 1
    for n in data.sizes:
        count *= n
    return data.with_shape((count + abs(k), count + abs(k)))


def _diagonals(data: TensorType, offset: int, axis1: int, axis2: int) -> PartialShape | None:
    i, j = check_axis(axis1, data), check_axis(axis2, data)
    if data.shape is None or i is None or j is None:
        return None
    if i == j:
        raise ShapeError(f"axis1={axis1} and axis2={axis2} must be different axes")
    rest = [n for axis, n in enumerate(data.shape) if axis not in (i, j)]
    return (*rest, _diagonal_length(data.shape[i], data.shape[j], offset))


_DIAGONAL = Linear()


@operator("_np_diagonal", grad=_DIAGONAL.grad)
def np_diagonal(data: TensorType, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorType:
    """Return the diagonals of the matrices along two axes, as a new last axis.

    Args:
        data: ``[*shape]``, two axes at least, any dtype.
        offset: The diagonal: 0 is the main one, positive ones are above it, negative ones below.
        axis1: The axis of rows.
        axis2: The axis of columns.

    Raises:
        ShapeError: There is no such axis, or both are the same.
    """
    return data.with_shape(_diagonals(data, offset, axis1, axis2))


diagonal_backward = _DIAGONAL.gradient_of(np_diagonal, "diagonal_backward", "_np_diagonal_backward")


_TRACE = Linear()


@operator("_np_trace", grad=_TRACE.grad)
def np_trace(data: TensorType, *, offset: int = 0, axis1: int = 0, axis2: int = 1) -> TensorType:
    """Return the sums of the diagonals of the matrices along two axes."""
    shape = _diagonals(data, offset, axis1, axis2)
    return data.with_shape(None if shape is None else shape[:-1])


trace_backward = _TRACE.gradient_of(np_trace, "trace_backward", "_np_trace_backward")
