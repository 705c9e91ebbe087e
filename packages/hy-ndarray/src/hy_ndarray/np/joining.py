"""Concatenation, stacking and splitting, on arrays and on symbols."""

from collections.abc import Iterable
from typing import Any

import numpy as onp

from hy_ndarray._errors import ArgumentError, AxisError, ShapeError
from hy_ndarray.core._array import Array
from hy_ndarray.np.calls import A, call, is_number, operands

__all__ = [
    "append",
    "array_split",
    "column_stack",
    "concatenate",
    "dsplit",
    "dstack",
    "hsplit",
    "hstack",
    "row_stack",
    "split",
    "stack",
    "vsplit",
    "vstack",
]


def concatenate(seq: Iterable[A], axis: int | None = 0, out: Any = None) -> A:
    """Concatenate arrays along an axis; flattened if the axis is None.

    Example:
        >>> from hy_ndarray import np
        >>> np.concatenate([np.zeros((1, 2)), np.ones((1, 2))]).shape
        (2, 2)
    """
    arrays = operands(seq, "concatenate")
    joined: A = call("_npi_concatenate", *arrays, out=out, axis=axis)
    return joined


def append(arr: A, values: A, axis: int | None = None) -> A:
    """Append ``values`` to ``arr`` along an axis; both flattened if the axis is None."""
    return concatenate([arr, values], axis)


def stack(arrays: Iterable[A], axis: int = 0, out: Any = None) -> A:
    """Stack arrays of one shape along a new axis."""
    joined: A = call("_npi_stack", *operands(arrays, "stack"), out=out, axis=axis)
    return joined


def vstack(arrays: Iterable[A], out: Any = None) -> A:
    """Stack arrays vertically; vectors are rows."""
    joined: A = call("_npi_vstack", *operands(arrays, "vstack"), out=out)
    return joined


row_stack = vstack


def hstack(arrays: Iterable[A]) -> A:
    """Concatenate arrays along the second axis; vectors along the first."""
    joined: A = call("_npi_hstack", *operands(arrays, "hstack"))
    return joined


def dstack(arrays: Iterable[A]) -> A:
    """Concatenate arrays along the third axis, which is added if missing."""
    joined: A = call("_npi_dstack", *operands(arrays, "dstack"))
    return joined


def column_stack(tup: Iterable[A]) -> A:
    """Place arrays side by side; vectors are columns."""
    joined: A = call("_npi_column_stack", *operands(tup, "column_stack"))
    return joined


def _split_parts(name: str, ary: Any, where: Any, axis: int) -> Any:
    if is_number(where):
        options = {"indices": (), "sections": int(where)}
    elif isinstance(where, list | tuple | set | onp.ndarray):
        options = {"indices": (0, *(int(i) for i in where)), "sections": 0}
    else:
        kind = type(where).__name__
        raise ArgumentError(f"split: indices_or_sections must be a number or a tuple, got {kind}")
    result = call(name, ary, axis=axis, squeeze_axis=False, **options)
    return result if isinstance(result, list) else [result]


def _known_shape(ary: Any) -> tuple[int, ...] | None:
    """Return the shape of an array; None for a symbol, whose shape is unknown."""
    return ary.shape if isinstance(ary, Array) else None


def _check_axes(function: str, ary: Any, min_rank: int) -> None:
    shape = _known_shape(ary)
    if shape is not None and len(shape) < min_rank:
        raise ShapeError(f"{function}: an array {shape} must have at least {min_rank} axes")


def split(ary: A, indices_or_sections: Any, axis: int = 0) -> list[A]:
    """Split along an axis into a number of equal parts, or at the given indices.

    Args:
        ary: The array. For a symbol, whose shape is unknown, sizes of parts may differ as for
            :func:`array_split`.
        indices_or_sections: The number of parts, or the index where each part but the first begins.
        axis: The axis.

    Returns:
        A list of arrays, also for a single part.

    Raises:
        AxisError: The array does not have the axis.
        ShapeError: The axis cannot be divided into equal parts.
    """
    shape = _known_shape(ary)
    if shape is not None and not -len(shape) <= axis < len(shape):
        raise AxisError(f"split: axis={axis} is outside the {len(shape)} axes of {shape}")
    if is_number(indices_or_sections) and shape is not None:
        count = int(indices_or_sections)
        if count > 0 and shape[axis] % count:
            raise ShapeError(
                f"split: axis {axis} of an array {shape} cannot be divided into {count} equal "
                "parts; use array_split"
            )
    parts: list[A] = _split_parts("_npi_split", ary, indices_or_sections, axis)
    return parts


def array_split(ary: A, indices_or_sections: Any, axis: int = 0) -> list[A]:
    """Split as :func:`split`; if sizes do not divide evenly, the first parts are larger by one.

    Example:
        >>> from hy_ndarray import np
        >>> [part.shape for part in np.array_split(np.arange(5), 3)]
        [(2,), (2,), (1,)]
    """
    parts: list[A] = _split_parts("_npi_split", ary, indices_or_sections, axis)
    return parts


def hsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Split along the second axis, or a vector along the first, as :func:`array_split`."""
    _check_axes("hsplit", ary, 1)
    parts: list[A] = _split_parts("_npi_hsplit", ary, indices_or_sections, 1)
    return parts


def vsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Split along the first axis of an array of at least two axes, as :func:`split`."""
    _check_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Split along the third axis, as :func:`split`."""
    _check_axes("dsplit", ary, 3)
    if _known_shape(ary) is not None:
        return split(ary, indices_or_sections, 2)
    parts: list[A] = _split_parts("_npi_dsplit", ary, indices_or_sections, 2)
    return parts
