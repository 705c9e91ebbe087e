"""Reshaping, transposing and slicing of arrays and of symbols."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as onp

from hy_ndarray._errors import ArgumentError, ShapeError, UnsupportedError
from hy_ndarray.foreign import kind_of
from hy_ndarray.np.calls import A, call, is_number, is_operand, sizes_of

__all__ = [
    "argsort",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "copy",
    "delete",
    "diag",
    "diagflat",
    "diagonal",
    "diff",
    "ediff1d",
    "expand_dims",
    "flip",
    "fliplr",
    "flipud",
    "insert",
    "moveaxis",
    "pad",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "rot90",
    "sort",
    "squeeze",
    "swapaxes",
    "take",
    "tile",
    "trace",
    "transpose",
    "tril",
]


def reshape(a: A, newshape: Any, order: str = "C", out: Any = None) -> A:
    """Return the elements in another shape; one size may be -1.

    Args:
        a: The array.
        newshape: The sizes; an integer for one axis.
        order: Only ``"C"`` is supported.
        out: Array to write to.
    """
    return call("_np_reshape", a, out=out, newshape=sizes_of(newshape), order=order)


@overload
def ravel(x: A, order: str = ...) -> A: ...


@overload
def ravel(x: float, order: str = ...) -> onp.ndarray: ...


def ravel(x: Any, order: str = "C") -> Any:
    """Return the array flattened to one axis."""
    if order not in ("C", "K", "A"):
        raise UnsupportedError(f"ravel: order={order!r}; only 'C' is supported")
    return onp.ravel(x) if is_number(x) else call("_npx_reshape", x, newshape=(-1,))


def transpose(a: A, axes: Sequence[int] | None = None, **unknown: Any) -> A:
    """Return the array with its axes permuted, reversed by default."""
    return call("_np_transpose", a, axes=None if axes is None else tuple(axes), **unknown)


def swapaxes(a: A, axis1: int, axis2: int) -> A:
    """Return the array with two axes exchanged."""
    return call("_npi_swapaxes", a, dim1=axis1, dim2=axis2)


def moveaxis(a: A, source: Any, destination: Any) -> A:
    """Return the array with some axes moved to other positions."""
    return call("_np_moveaxis", a, source=sizes_of(source), destination=sizes_of(destination))


def roll(a: A, shift: Any, axis: Any = None, **unknown: Any) -> A:
    """Return the elements rolled along some axes, or of the flattened array."""
    return call("_np_roll", a, shift=shift, axis=axis, **unknown)


def rot90(m: A, k: int = 1, axes: Sequence[int] = (0, 1)) -> A:
    """Return the array rotated ``k`` times by 90 degrees, in the plane of two axes."""
    return call("_npi_rot90", m, k=k, axes=tuple(axes))


@overload
def flip(m: A, axis: Any = ..., out: Any = ...) -> A: ...


@overload
def flip(m: float, axis: Any = ..., out: Any = ...) -> Any: ...


def flip(m: Any, axis: Any = None, out: Any = None) -> Any:
    """Return the elements in reverse order along some axes, all by default."""
    if is_number(m):
        return onp.flip(m, axis)
    return call("_npi_flip", m, out=out, axis=axis)


def flipud(m: A) -> A:
    """Return the elements in reverse order along the first axis."""
    return flip(m, 0)


def fliplr(m: A) -> A:
    """Return the elements in reverse order along the second axis."""
    return flip(m, 1)


def expand_dims(a: A, axis: int) -> A:
    """Return the array with a new axis of size 1 at ``axis``."""
    return call("_npi_expand_dims", a, axis=axis)


def squeeze(a: A, axis: Any = None, out: Any = None, **unknown: Any) -> A:
    """Return the array without axes of size 1."""
    return call("_np_squeeze", a, out=out, axis=axis, **unknown)


def broadcast_to(array: A, shape: Any) -> A:
    """Return the array broadcast to a shape."""
    return call("_npi_broadcast_to", array, shape=sizes_of(shape))


@overload
def tile(A: A, reps: Any) -> A: ...  # noqa: N803  # numpy's name


@overload
def tile(A: float, reps: Any) -> onp.ndarray: ...  # noqa: N803


def tile(A: Any, reps: Any) -> Any:  # noqa: N803  # numpy's name
    """Return the whole array repeated along its axes."""
    return onp.tile(A, reps) if is_number(A) else call("_npi_tile", A, reps=sizes_of(reps))


def repeat(a: A, repeats: int, axis: int | None = None, **unknown: Any) -> A:
    """Return the array with each element repeated along an axis, or flattened."""
    return call("_np_repeat", a, repeats=repeats, axis=axis, **unknown)


def diag(array: A, k: int = 0, **unknown: Any) -> A:
    """Return a diagonal of a matrix, or the matrix with a vector as its diagonal."""
    return call("_np_diag", array, k=k, **unknown)


def diagflat(array: A, k: int = 0, **unknown: Any) -> A:
    """Return the matrix with the flattened elements on a diagonal."""
    return call("_np_diagflat", array, k=k, **unknown)


def diagonal(a: A, offset: int = 0, axis1: int = 0, axis2: int = 1, **unknown: Any) -> A:
    """Return the diagonals of the matrices in two axes, along a new last axis."""
    return call("_np_diagonal", a, offset=offset, axis1=axis1, axis2=axis2, **unknown)


def trace(
    a: A, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None, **unknown: Any
) -> A:
    """Return the sums of the diagonals of the matrices in two axes."""
    return call("_np_trace", a, out=out, offset=offset, axis1=axis1, axis2=axis2, **unknown)


def tril(m: A, k: int = 0) -> A:
    """Return the lower triangle of matrices, with zeros above the ``k``-th diagonal."""
    return call("_npi_tril", m, k=k)


def copy(a: A, out: Any = None, **unknown: Any) -> A:
    """Return a copy of the array."""
    return call("_np_copy", a, out=out, **unknown)


@overload
def atleast_1d(ary: A, /, **unknown: Any) -> A: ...


@overload
def atleast_1d(first: A, second: A, /, *others: A, **unknown: Any) -> list[A]: ...


def atleast_1d(*arys: Any, **unknown: Any) -> Any:
    """Return an array with at least one axis; a list of arrays for several arguments."""
    return call("_np_atleast_1d", *arys, num_args=len(arys), **unknown)


@overload
def atleast_2d(ary: A, /, **unknown: Any) -> A: ...


@overload
def atleast_2d(first: A, second: A, /, *others: A, **unknown: Any) -> list[A]: ...


def atleast_2d(*arys: Any, **unknown: Any) -> Any:
    """Return an array with at least two axes; a list of arrays for several arguments."""
    return call("_np_atleast_2d", *arys, num_args=len(arys), **unknown)


@overload
def atleast_3d(ary: A, /, **unknown: Any) -> A: ...


@overload
def atleast_3d(first: A, second: A, /, *others: A, **unknown: Any) -> list[A]: ...


def atleast_3d(*arys: Any, **unknown: Any) -> Any:
    """Return an array with at least three axes; a list of arrays for several arguments."""
    return call("_np_atleast_3d", *arys, num_args=len(arys), **unknown)


def sort(a: A, axis: int | None = -1, kind: Any = None, order: Any = None) -> A:
    """Return the elements sorted along an axis, or of the flattened array."""
    _no_order("sort", order)
    return call("_npi_sort", a, axis=axis, is_ascend=True)


def argsort(a: A, axis: int | None = -1, kind: Any = None, order: Any = None) -> A:
    """Return the int64 indices that sort the elements along an axis."""
    _no_order("argsort", order)
    return call("_npi_argsort", a, axis=axis, is_ascend=True, dtype="int64")


def _no_order(function: str, order: Any) -> None:
    if order is not None:
        raise UnsupportedError(
            f"{function}: order={order!r} is not supported, because arrays have no fields"
        )


def take(a: A, indices: Any, axis: int | None = None, mode: str = "raise", out: Any = None) -> A:
    """Return the elements at ``indices`` along an axis, or of the flattened array.

    Args:
        a: The array.
        indices: Integers of any shape.
        axis: The axis.
        mode: Handling of indices out of bounds: ``"raise"``, ``"clip"`` or ``"wrap"``.
        out: Array to write to.
    """
    if mode not in ("raise", "clip", "wrap"):
        raise UnsupportedError(f"take: mode={mode!r} must be 'raise', 'clip' or 'wrap'")
    if axis is None:
        a, axis = ravel(a), 0
    return call("_npi_take", a, indices, out=out, axis=axis, mode=mode)


def pad(x: A, pad_width: Any = None, mode: str = "constant", **kwargs: Any) -> A:
    """Return the array padded before and after each axis.

    Args:
        x: The array.
        pad_width: The number of elements before and after: a pair per axis, or one pair for all.
        mode: ``"constant"``, ``"edge"``, ``"reflect"``, ``"symmetric"``, ``"maximum"`` or
            ``"minimum"``.
        kwargs: ``constant_values``, one number; ``reflect_type``, ``"even"``.

    Raises:
        ArgumentError: The mode or an argument is not supported.
    """
    value = kwargs.pop("constant_values", 0)
    options = {"reflect_type": kwargs.pop("reflect_type", "even")} if mode == "reflect" else {}
    if kwargs or not is_number(value):
        raise ArgumentError(
            f"pad: {', '.join(kwargs) or 'an array as constant_values'} is not supported"
        )
    pairs = _width_pairs(pad_width, x)
    return call("_npi_pad", x, pad_width=pairs, mode=mode, constant_value=float(value), **options)


def _width_pairs(width: Any, operand: Any) -> tuple[tuple[int, int], ...]:
    """Return a pair of pad widths for each axis; for a symbol the argument must have them all."""
    widths = onp.asarray(width)
    if widths.ndim == 2 and not hasattr(type(operand), "buffer"):  # noqa: PLR2004  # pairs
        return tuple((int(a), int(b)) for a, b in widths)
    try:
        pairs = onp.broadcast_to(widths, (operand.ndim, 2))
    except ValueError:
        raise ShapeError(
            f"pad: pad_width={width} must broadcast to a pair for each of {operand.ndim} axes"
        ) from None
    return tuple((int(a), int(b)) for a, b in pairs)


def diff(a: A, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> A:
    """Return the ``n``-th discrete difference along an axis."""
    if prepend is not None or append is not None:
        raise UnsupportedError("diff: prepend and append are not supported; use np.concatenate")
    return call("_npi_diff", a, n=n, axis=axis)


def ediff1d(ary: A, to_end: Any = None, to_begin: Any = None) -> A:
    """Return the differences of consecutive elements of the flattened array.

    Args:
        ary: The array.
        to_end: A number or an array to append.
        to_begin: A number or an array to prepend.
    """
    inputs, options = [ary], {}
    for side, value in (("to_begin", to_begin), ("to_end", to_end)):
        if is_number(value):
            options[f"{side}_scalar"] = float(value)
        elif value is not None:
            inputs.append(value)
            options[f"{side}_arr_given"] = True
    return call("_npi_ediff1d", *inputs, **options)


def _check_indices(function: str, obj: Any) -> None:
    if not is_operand(obj):
        raise ArgumentError(
            f"{function}: obj must be an index, a slice or an array, got {kind_of(obj)}; use "
            "np.array(...)"
        )


def _index_params(obj: Any) -> dict[str, Any]:
    """Return the parameters of ``delete`` and ``insert`` for an index or a slice."""
    if isinstance(obj, slice):
        return {"start": obj.start, "stop": obj.stop, "step": 1 if obj.step is None else obj.step}
    return {"int_ind": int(obj)}


def delete(arr: A, obj: Any, axis: int | None = None) -> A:
    """Return the array without the elements at ``obj`` along an axis, or of the flattened array.

    Args:
        arr: The array.
        obj: An index, a slice, or an array of indices, of which negative ones and those past the
            end are ignored.
        axis: The axis.
    """
    if isinstance(obj, slice) or is_number(obj):
        return call("_npi_delete", arr, axis=axis, **_index_params(obj))
    _check_indices("delete", obj)
    return call("_npi_delete", arr, obj, axis=axis)


def insert(arr: A, obj: Any, values: Any, axis: int | None = None) -> A:
    """Return the array with values inserted along an axis, or into the flattened array.

    Args:
        arr: The array.
        obj: The positions to insert before: an index, a slice, or an array of indices.
        values: A number or an array.
        axis: The axis.
    """
    number = {"val": float(values)} if is_number(values) else {}
    operands = () if number else (values,)
    if is_number(obj):
        return call("_npi_insert_scalar", arr, *operands, axis=axis, **number, **_index_params(obj))
    if isinstance(obj, slice):
        return call("_npi_insert_slice", arr, *operands, axis=axis, **number, **_index_params(obj))
    _check_indices("insert", obj)
    return call("_npi_insert_tensor", arr, *operands, obj, axis=axis, **number)
