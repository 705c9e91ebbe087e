"""Functions that change shapes or combine arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as onp

from hy_ndarray._errors import ArgumentError, AxisError, ShapeError
from hy_ndarray.array_api._promotion import same_dtype
from hy_ndarray.array_api._routes import CLASSIC, Route
from hy_ndarray.np import ndarray

__all__ = [
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "expand_dims",
    "flip",
    "moveaxis",
    "permute_dims",
    "repeat",
    "reshape",
    "roll",
    "squeeze",
    "stack",
    "tile",
    "unstack",
]

Axes = int | tuple[int, ...]

_broadcast_to = Route("broadcast_to", CLASSIC)
_concatenate = Route("concatenate", CLASSIC)
_expand_dims = Route("expand_dims", CLASSIC)
_flip = Route("flip", CLASSIC)
_moveaxis = Route("moveaxis", CLASSIC)
_transpose = Route("transpose", CLASSIC)
_repeat = Route("repeat", CLASSIC)
_reshape = Route("reshape", CLASSIC)
_roll = Route("roll", CLASSIC)
_squeeze = Route("squeeze", CLASSIC)
_stack = Route("stack", CLASSIC)
_tile = Route("tile", CLASSIC)


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that arrays of the given shapes broadcast to.

    Raises:
        ShapeError: The shapes do not broadcast.
    """
    try:
        return onp.broadcast_shapes(*shapes)
    except ValueError as error:
        raise ShapeError(f"broadcast_shapes: {error}") from None


def broadcast_to(x: ndarray, /, shape: tuple[int, ...]) -> ndarray:
    """Return the array broadcast to a shape."""
    return _broadcast_to(x, tuple(shape))


def broadcast_arrays(*arrays: ndarray) -> tuple[ndarray, ...]:
    """Return all arrays broadcast to one shape."""
    shape = broadcast_shapes(*(x.shape for x in arrays))
    return tuple([broadcast_to(x, shape) for x in arrays])


def concat(arrays: Sequence[ndarray], /, *, axis: int | None = 0) -> ndarray:
    """Return the arrays concatenated along an axis, or flattened and concatenated.

    Args:
        arrays: At least one array; dtypes are promoted.
        axis: The axis; None flattens the arrays first.
    """
    parts = same_dtype("concat", *arrays)
    if axis is None:
        parts, axis = [reshape(x, (-1,)) for x in parts], 0
    return _concatenate(parts, axis)


def stack(arrays: Sequence[ndarray], /, *, axis: int = 0) -> ndarray:
    """Return arrays of one shape stacked along a new axis."""
    return _stack(same_dtype("stack", *arrays), axis)


def unstack(x: ndarray, /, *, axis: int = 0) -> tuple[ndarray, ...]:
    """Return the slices of an array along an axis, without that axis."""
    rows = moveaxis(x, axis, 0)
    return tuple(rows[i] for i in range(rows.shape[0]))


def expand_dims(x: ndarray, /, axis: Axes = 0) -> ndarray:
    """Return the array with axes of size 1 inserted at positions of the result.

    Raises:
        AxisError: The result has no such axis, or one is named twice.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    rank = x.ndim + len(axes)
    is_inside = all(-rank <= one < rank for one in axes)
    if not is_inside or len({one % rank for one in axes}) < len(axes):
        raise AxisError(f"expand_dims: axis={axis} is outside the {rank} axes of the result")
    result = x
    for one in sorted(each % rank for each in axes):
        result = _expand_dims(result, one)
    return result


def squeeze(x: ndarray, /, axis: Axes) -> ndarray:
    """Return the array without some axes of size 1.

    Raises:
        ShapeError: One of the axes is not of size 1.
    """
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    for one in axes:
        if not -x.ndim <= one < x.ndim or x.shape[one] != 1:
            raise ShapeError(f"squeeze: axis {one} of an array {x.shape} must have size 1")
    if not axes:
        return x
    return _squeeze(x, axes)


def flip(x: ndarray, /, *, axis: Axes | None = None) -> ndarray:
    """Return the elements in reverse order along some axes, all by default."""
    return _flip(x, axis)


def moveaxis(x: ndarray, source: Axes, destination: Axes, /) -> ndarray:
    """Return the array with some axes moved to other positions."""
    return _moveaxis(x, source, destination)


def permute_dims(x: ndarray, /, axes: tuple[int, ...]) -> ndarray:
    """Return the array with its axes permuted."""
    return _transpose(x, tuple(axes))


def repeat(x: ndarray, repeats: Any, /, *, axis: int | None = None) -> ndarray:
    """Return the array with each element repeated.

    Args:
        x: The elements.
        repeats: Number of repetitions: an integer, or an array of one for each position.
        axis: The axis; None flattens the array first.
    """
    is_array = isinstance(repeats, ndarray)
    return (_repeat.on_host if is_array else _repeat)(x, repeats, axis)


def reshape(x: ndarray, /, shape: tuple[int, ...], *, copy: bool | None = None) -> ndarray:
    """Return the elements in another shape; one size may be -1.

    Args:
        x: The array.
        shape: The sizes.
        copy: True always copies; False raises an error if a copy is necessary.

    Raises:
        ArgumentError: ``copy`` is False, but a copy is necessary.
    """
    if copy is False:
        raise ArgumentError("reshape: copy=False is not supported; leave it out")
    result: ndarray = _reshape(x, tuple(shape))
    return result.copy() if copy else result


def roll(x: ndarray, /, shift: Axes, *, axis: Axes | None = None) -> ndarray:
    """Return the elements shifted cyclically along some axes, or in the flattened array."""
    return _roll(x, shift, axis)


def tile(x: ndarray, repetitions: tuple[int, ...], /) -> ndarray:
    """Return the array repeated along each axis."""
    return _tile(x, tuple(repetitions))
