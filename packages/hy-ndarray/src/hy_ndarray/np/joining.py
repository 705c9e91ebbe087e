"""Concatenation, stacking and splitting, on arrays and on symbols."""

from collections.abc import Sequence
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


def concatenate(seq: Sequence[A], axis: int | None = 0, out: Any = None) -> A:
    """Return the arrays concatenated along an axis, or flattened and concatenated.

    Example:
        >>> from hy_ndarray import np
        >>> np.concatenate([np.zeros((1, 2)), np.ones((1, 2))]).shape
        (2, 2)
    """
    arrays = operands(seq, "concatenate")
    joined: A = call("_npi_concatenate", *arrays, out=out, axis=axis)
    return joined


def append(arr: A, values: A, axis: int | None = None) -> A:
    """Return ``values`` appended to ``arr`` along an axis, or both flattened."""
    return concatenate([arr, values], axis)


def stack(arrays: Sequence[A], axis: int = 0, out: Any = None) -> A:
    """Return arrays of one shape stacked along a new axis."""
    joined: A = call("_npi_stack", *operands(arrays, "stack"), out=out, axis=axis)
    return joined


def vstack(arrays: Sequence[A], out: Any = None) -> A:
    """Return the arrays stacked vertically; one-dimensional ones are rows."""
    joined: A = call("_npi_vstack", *operands(arrays, "vstack"), out=out)
    return joined


row_stack = vstack


def hstack(arrays: Sequence[A]) -> A:
    """Return the arrays concatenated along the second axis, or the first of vectors."""
    joined: A = call("_npi_hstack", *operands(arrays, "hstack"))
    return joined


def dstack(arrays: Sequence[A]) -> A:
    """Return the arrays concatenated along the third axis."""
    joined: A = call("_npi_dstack", *operands(arrays, "dstack"))
    return joined


def column_stack(tup: Sequence[A]) -> A:
    """Return the arrays side by side; one-dimensional ones are columns."""
    joined: A = call("_npi_column_stack", *operands(tup, "column_stack"))
    return joined


def _split_parts(name: str, ary: Any, where: Any, axis: int) -> Any:
    if is_number(where):
        options = {"indices": (), "sections": int(where)}
    elif isinstance(where, list | tuple | set | onp.ndarray):
        options = {"indices": (0, *(int(i) for i in where)), "sections": 0}
    else:
        kind = type(where).__name__
        raise ArgumentError(f"split: indices_or_sections is a {kind}, not a number or a tuple")
    result = call(name, ary, axis=axis, squeeze_axis=False, **options)
    return result if isinstance(result, list) else [result]


def _known_shape(ary: Any) -> tuple[int, ...] | None:
    """Return the sizes of an array; None for a symbol, whose sizes are unknown."""
    return ary.shape if isinstance(ary, Array) else None


def _check_axes(function: str, ary: Any, min_rank: int) -> None:
    shape = _known_shape(ary)
    if shape is not None and len(shape) < min_rank:
        raise ShapeError(f"{function}: an array {shape} has not {min_rank} axes or more")


def split(ary: A, indices_or_sections: Any, axis: int = 0) -> list[A]:
    """Return parts along an axis: a number of equal ones, or those between indices.

    Args:
        ary: The array. Of a symbol, whose sizes are not known, parts may differ as those of
            :func:`array_split` do.
        indices_or_sections: How many, or where each but the first begins.
        axis: The axis.

    Returns:
        A list, also of a single part.

    Raises:
        AxisError: The array does not have the axis.
        ShapeError: The axis cannot be divided equally.
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
    """Return parts as :func:`split` does; sizes may differ by one, larger ones first.

    Example:
        >>> from hy_ndarray import np
        >>> [part.shape for part in np.array_split(np.arange(5), 3)]
        [(2,), (2,), (1,)]
    """
    parts: list[A] = _split_parts("_npi_split", ary, indices_or_sections, axis)
    return parts


def hsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Return parts along the second axis, or the first of a vector; as :func:`array_split`."""
    _check_axes("hsplit", ary, 1)
    parts: list[A] = _split_parts("_npi_hsplit", ary, indices_or_sections, 1)
    return parts


def vsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Return parts along the first of at least two axes; as :func:`split`."""
    _check_axes("vsplit", ary, 2)
    return split(ary, indices_or_sections, 0)


def dsplit(ary: A, indices_or_sections: Any) -> list[A]:
    """Return parts along the third axis; as :func:`split`."""
    _check_axes("dsplit", ary, 3)
    if _known_shape(ary) is not None:
        return split(ary, indices_or_sections, 2)
    parts: list[A] = _split_parts("_npi_dsplit", ary, indices_or_sections, 2)
    return parts
