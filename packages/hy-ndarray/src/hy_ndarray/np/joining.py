"""Several arrays joined, and one divided, on arrays and on symbols."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as onp

from hy_ndarray._errors import ArgumentError, AxisError, ShapeError
from hy_ndarray.np.calls import A, Arr, call, is_number, operands

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
    """Arrays one behind the other along an axis, flattened if None.

    Example:
        >>> from hy_ndarray import np
        >>> np.concatenate([np.zeros((1, 2)), np.ones((1, 2))]).shape
        (2, 2)
    """
    arrays = operands(seq, "concatenate")
    joined: A = call("_npi_concatenate", *arrays, out=out, axis=axis)
    return joined


def append(arr: A, values: A, axis: int | None = None) -> A:
    """``values`` behind ``arr`` along an axis, flattened if None."""
    return concatenate([arr, values], axis)


def stack(arrays: Sequence[A], axis: int = 0, out: Any = None) -> A:
    """Arrays of one shape along a new axis."""
    joined: A = call("_npi_stack", *operands(arrays, "stack"), out=out, axis=axis)
    return joined


def vstack(arrays: Sequence[A], out: Any = None) -> A:
    """Arrays one below the other; those of one axis are rows."""
    joined: A = call("_npi_vstack", *operands(arrays, "vstack"), out=out)
    return joined


row_stack = vstack


def hstack(arrays: Sequence[A]) -> A:
    """Arrays side by side: along the second axis, or the first if they have but one."""
    joined: A = call("_npi_hstack", *operands(arrays, "hstack"))
    return joined


def dstack(arrays: Sequence[A]) -> A:
    """Arrays along the third axis."""
    joined: A = call("_npi_dstack", *operands(arrays, "dstack"))
    return joined


def column_stack(tup: Sequence[A]) -> A:
    """Arrays side by side; those of one axis are columns."""
    joined: A = call("_npi_column_stack", *operands(tup, "column_stack"))
    return joined


def _check_axes(name: str, ary: Any, axis: int) -> None:
    """Check that an array has an axis.

    Raises:
        AxisError: It has not.
    """
    if hasattr(type(ary), "buffer") and not -ary.ndim <= axis < ary.ndim:
        raise AxisError(f"{name}: axis={axis} is outside the {ary.ndim} axes of {ary.shape}")


def _parts(name: str, ary: Any, where: Any, axis: int) -> Any:
    if is_number(where):
        options = {"indices": (), "sections": int(where)}
    elif isinstance(where, list | tuple | onp.ndarray):
        options = {"indices": (0, *(int(i) for i in where)), "sections": 0}
    else:
        kind = type(where).__name__
        raise ArgumentError(f"split: indices_or_sections is a {kind}, not a number or a tuple")
    result = call(name, ary, axis=axis, squeeze_axis=False, **options)
    return [result] if hasattr(type(result), "buffer") else result  # one part of an array


@overload
def split(ary: Arr, indices_or_sections: Any, axis: int = 0) -> list[Arr]: ...
@overload
def split(ary: A, indices_or_sections: Any, axis: int = 0) -> A: ...
def split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Parts along an axis: so many equal ones, or those between indices.

    Args:
        ary: The array.
        indices_or_sections: How many, or where each but the first begins.
        axis: The axis.

    Returns:
        A list of arrays; of a symbol one with several outputs.

    Raises:
        ShapeError: The axis cannot be divided equally.
    """
    _check_axes("split", ary, axis)
    return _parts("_npi_split", ary, indices_or_sections, axis)


@overload
def array_split(ary: Arr, indices_or_sections: Any, axis: int = 0) -> list[Arr]: ...
@overload
def array_split(ary: A, indices_or_sections: Any, axis: int = 0) -> A: ...
def array_split(ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """As :func:`split`, but the parts may differ by one in size, the first ones larger.

    Of a symbol, whose sizes are not known, they must be equal.
    """
    if not is_number(indices_or_sections) or not hasattr(type(ary), "buffer"):
        return split(ary, indices_or_sections, axis)
    _check_axes("array_split", ary, axis)
    size, count = ary.shape[axis], int(indices_or_sections)
    if count <= 0:
        raise ShapeError(f"array_split: {count} parts; give at least one")
    small, larger = divmod(size, count)
    ends = onp.cumsum([small + 1] * larger + [small] * (count - larger))
    return split(ary, tuple(int(end) for end in ends[:-1]), axis)


@overload
def hsplit(ary: Arr, indices_or_sections: Any) -> list[Arr]: ...
@overload
def hsplit(ary: A, indices_or_sections: Any) -> A: ...
def hsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts along the second axis, or the first if there is but one."""
    return _parts("_npi_hsplit", ary, indices_or_sections, 1)


@overload
def vsplit(ary: Arr, indices_or_sections: Any) -> list[Arr]: ...
@overload
def vsplit(ary: A, indices_or_sections: Any) -> A: ...
def vsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts along the first axis."""
    if getattr(ary, "ndim", 2) < 2 and hasattr(type(ary), "buffer"):  # noqa: PLR2004  # rows
        raise ShapeError(f"vsplit: an array {ary.shape} has no rows of its own; use split")
    return split(ary, indices_or_sections, 0)


@overload
def dsplit(ary: Arr, indices_or_sections: Any) -> list[Arr]: ...
@overload
def dsplit(ary: A, indices_or_sections: Any) -> A: ...
def dsplit(ary: Any, indices_or_sections: Any) -> Any:
    """Parts along the third axis."""
    return _parts("_npi_dsplit", ary, indices_or_sections, 2)
