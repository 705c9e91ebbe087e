"""Concatenation, stacking and splitting of arrays."""

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.record.params import Count, Shape
from hy_ndarray.ops.record.rules import check_axis, expect_axes, numbered, same_dtype, same_shape
from hy_ndarray.ops.record.schema import Saved, operator, synonym
from hy_ndarray.ops.record.types import PartialShape, TensorType, element_count, show
from hy_ndarray.ops.shaping import joining


def _joined_type(
    data: Sequence[TensorType], shapes: Sequence[PartialShape], axis: int
) -> TensorType:
    """Return the type of arrays of the given shapes concatenated along ``axis``."""
    rank = len(shapes[0])
    if any(len(shape) != rank for shape in shapes):
        shown = ", ".join(show(shape) for shape in shapes)
        raise ShapeError(f"all operands must have the same number of axes, got {shown}")
    at = check_axis(axis, TensorType(shapes[0]))
    assert at is not None
    others = TensorType([None] * rank)
    for shape in shapes:
        others.set_shape((*shape[:at], None, *shape[at + 1 :]))
    sizes = [shape[at] for shape in shapes]
    known = [n for n in sizes if n is not None]
    assert others.shape is not None
    result = list(others.shape)
    result[at] = sum(known) if len(known) == len(sizes) else None
    return data[0].with_shape(result)


def _rule(
    data: Sequence[TensorType], as_seen: Callable[[PartialShape], PartialShape], axis: int | None
) -> TensorType:
    """Return the type of the concatenation of arrays that ``as_seen`` reshapes first."""
    same_dtype(*data)
    shapes = [t.shape for t in data]
    if any(shape is None for shape in shapes):
        return data[0].with_shape(None)
    seen = [as_seen(shape) for shape in shapes if shape is not None]
    along = int(len(seen[0]) > 1) if axis is None else axis
    joined = _joined_type(data, seen, along)
    assert joined.shape is not None
    at = along % len(joined.shape)
    for t, shape in zip(data, seen, strict=True):
        if shape == t.shape:  # seen as it is: what the others say of its axes holds
            t.set_shape((*joined.shape[:at], shape[at], *joined.shape[at + 1 :]))
    return joined


def _grad_along(axis: int | None) -> Callable[..., tuple[Any, ...]]:
    def grad(saved: Saved, dy: Any) -> tuple[Any, ...]:
        count = len(saved.inputs)
        parts = join_backward(dy, *saved.inputs, axis=axis, parts=count)
        return (parts,) if count == 1 else tuple(parts[i] for i in range(count))

    return grad


def _grad_concatenate(saved: Saved, dy: Any) -> tuple[Any, ...]:
    return _grad_along(saved.params["axis"] or 0)(saved, dy)  # flattened arrays have one axis


@operator("_npi_concatenate", count="num_args", outputs=("out",), grad=_grad_concatenate)
def np_concatenate(*data: TensorType, axis: int | None = 0) -> TensorType:
    """Return the arrays concatenated along an existing axis.

    Args:
        data: ``[*left, n_i, *right]`` with ``n_i`` at ``axis``; all of one dtype.
        axis: The axis; None flattens the arrays first.

    Raises:
        ShapeError: The other axes differ, or there is no such axis.
    """
    if axis is None:
        return _rule(data, lambda shape: (element_count(shape),), 0)
    return _rule(data, lambda shape: shape, axis)


def _grad_parts(saved: Saved, *dparts: Any) -> tuple[Any, ...]:
    dy, *data = saved.inputs
    axis = saved.params["axis"]
    return join_like(dy, *dparts, axis=axis), *[None] * len(data)


@operator("_np_join_backward", outputs=lambda params: numbered(params["parts"]), grad=_grad_parts)
def join_backward(dy: TensorType, *data: TensorType, axis: int | None = 0, parts: Count = 1) -> Any:
    """Return ``dy`` split along ``axis`` into arrays of the shapes of ``data``.

    ``axis=None`` means the second axis, or the first if there is only one.
    """
    _check_parts(dy, data, axis)
    return tuple(t.with_dtype(dy.dtype) for t in data)


def _grad_join_like(saved: Saved, dy: Any) -> tuple[Any, ...]:
    _, *data = saved.inputs
    count = len(data)
    parts = join_backward(dy, *data, axis=saved.params["axis"], parts=count)
    return (None, parts) if count == 1 else (None, *(parts[i] for i in range(count)))


@operator("_np_join_like", grad=_grad_join_like)
def join_like(*data: TensorType, axis: int | None = 0) -> TensorType:
    """Return all arrays but the first concatenated, in the shape of the first."""
    _check_parts(data[0], data[1:], axis)
    same_dtype(*data[1:])
    return data[0].with_dtype(data[-1].dtype)


def _check_parts(whole: TensorType, parts: Sequence[TensorType], axis: int | None) -> None:
    """Check that the sizes of ``parts`` along ``axis`` sum to that of ``whole``."""
    expect_axes(whole, 1)
    at = check_axis((whole.rank or 0) > 1 if axis is None else axis, whole)
    sizes = [t.sizes for t in parts]
    if whole.sizes is None or at is None or None in sizes:
        return
    each = prod(whole.sizes[:at] + whole.sizes[at + 1 :])
    counts = [prod(size or ()) for size in sizes]
    if sum(counts) != prod(whole.sizes) or any(each and n % each for n in counts):
        shown = ", ".join(map(show, sizes))
        raise ShapeError(f"{shown} cannot be concatenated along axis {at} to {whole!r}")


@operator("_npi_vstack", count="num_args", grad=_grad_along(0))
def np_vstack(*data: TensorType) -> TensorType:
    """Return the arrays stacked vertically; 1-dimensional arrays are rows."""
    return _rule(data, lambda shape: (1,) * (2 - len(shape)) + shape, 0)


@operator("_npi_hstack", count="num_args", outputs=("out",), grad=_grad_along(None))
def np_hstack(*data: TensorType, dim: int = 1) -> TensorType:
    """Return the arrays concatenated along the second axis; 1-dimensional ones along the first."""
    return _rule(data, lambda shape: shape or (1,), None)


@operator("_npi_dstack", count="num_args", outputs=("out",), grad=_grad_along(2))
def np_dstack(*data: TensorType, dim: int = 1) -> TensorType:
    """Return the arrays concatenated along the third axis, reshaped to three axes if necessary."""

    def deep(shape: PartialShape) -> PartialShape:
        return ((1, 1, 1), (1, *shape, 1), (*shape, 1))[len(shape)] if len(shape) < 3 else shape

    return _rule(data, deep, 2)


@operator("_npi_column_stack", count="num_args", grad=_grad_along(1))
def np_column_stack(*data: TensorType) -> TensorType:
    """Return the arrays concatenated horizontally; 1-dimensional arrays are columns."""

    def wide(shape: PartialShape) -> PartialShape:
        return shape if len(shape) > 1 else (*(shape or (1,)), 1)

    return _rule(data, wide, 1)


def _grad_stack(saved: Saved, dy: Any) -> tuple[Any, ...]:
    return _grad_along(saved.params["axis"])(saved, dy)


@operator("_npi_stack", count="num_args", grad=_grad_stack)
def np_stack(*data: TensorType, axis: int = 0) -> TensorType:
    """Return arrays of one shape stacked along a new axis.

    Args:
        data: ``[*shape]`` each, of one dtype.
        axis: Position of the new axis in the result.

    Raises:
        ShapeError: The shapes differ, or ``axis`` is out of range.
    """
    same_shape(*data)
    same_dtype(*data)
    shape = data[0].shape
    if shape is None:
        return data[0].with_shape(None)
    at = check_axis(axis, TensorType((*shape, 1)))
    assert at is not None
    return data[0].with_shape((*shape[:at], len(data), *shape[at:]))


def _grad_hsplit(saved: Saved, *dys: Any) -> tuple[Any]:
    return (join_like(saved.inputs[0], *dys, axis=None),)


@operator("_npi_hsplit", outputs=joining.split_v2.op.outputs, grad=_grad_hsplit)
def np_hsplit(
    data: TensorType,
    *,
    indices: Shape,
    axis: int = 1,
    squeeze_axis: bool = False,
    sections: Count = 0,
) -> Any:
    """Return an array split along the second axis; a 1-dimensional one along the first.

    Args:
        data: ``[*shape]``, any dtype.
        indices: Start index of each part; the first is 0.
        axis: Accepted and ignored.
        squeeze_axis: Accepted and ignored.
        sections: Number of parts, instead of ``indices``; 0 if ``indices`` is given.

    Raises:
        ShapeError: ``data`` has no axis, or there are no parts.
    """
    along = 0 if data.rank == 1 else 1
    return joining.split_v2.op.rule(data, indices=indices, axis=along, sections=sections)


synonym("_npi_dsplit", of=joining.split_v2)
