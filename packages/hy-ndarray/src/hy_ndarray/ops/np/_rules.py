"""Type rules of NumPy: mixed dtypes are promoted, and arrays may be 0-dimensional."""

from collections.abc import Sequence
from typing import Any

from hy_ndarray._dtypes import CLASSIC
from hy_ndarray._errors import DTypeError
from hy_ndarray.ops.elementwise.broadcast import sum_like
from hy_ndarray.ops.elementwise.casting import cast_like
from hy_ndarray.ops.record.rules import broadcast_shapes, normalized_axes
from hy_ndarray.ops.record.types import TensorType

_FLOATING = ("float16", "bfloat16", "float32", "float64")
_INEXACT = frozenset((*_FLOATING, "complex64", "complex128"))
_INTEGERS = ("bool", "int8", "uint8", "int32", "int64")
_SIGNS = {"int8", "uint8"}


def is_floating(dtype: str | None) -> bool:
    """Return whether a dtype is floating or complex; False for None."""
    return dtype in _INEXACT


def wider(a: str, b: str) -> str:
    """Return the dtype to which two dtypes are promoted.

    This is the wider one of two floating or two integer dtypes, else the floating one.

    Raises:
        DTypeError: No dtype of MXNet's holds both, as for int8 and uint8 or float16 and bfloat16,
            or one of them is not a dtype of MXNet's.
    """
    if a == b:
        return a
    if not {a, b} <= CLASSIC:
        raise DTypeError(
            f"{a} and {b} are promoted to a common dtype only in the Array API namespace; cast one "
            "of them with astype"
        )
    if {a, b} in (_SIGNS, {"float16", "bfloat16"}):
        raise DTypeError(f"no dtype of MXNet holds both {a} and {b}; cast one of them with astype")
    if is_floating(a) != is_floating(b):
        return a if is_floating(a) else b
    order = _FLOATING if is_floating(a) else _INTEGERS
    return max(a, b, key=order.index)


def promoted(*types: TensorType) -> str | None:
    """Return the promoted dtype of operands, and set unknown dtypes to it."""
    dtype = None
    for t in types:
        if t.dtype is not None:
            dtype = t.dtype if dtype is None else wider(dtype, t.dtype)
    for t in types:
        if t.dtype is None:
            t.set_dtype(dtype)
    return dtype


def broadcast_all(*types: TensorType) -> Any:
    """Return the shape that all operands broadcast to."""
    shape = types[0].shape
    for t in types[1:]:
        shape = broadcast_shapes(shape, t.shape)
    return shape


def axes_of(axes: Sequence[int] | int | None, data: TensorType) -> tuple[int, ...] | None:
    """Return ``axes`` as non-negative numbers, all if None; None if the rank is unknown.

    As in NumPy, a 0-dimensional array may be reduced along 0 or -1, which has no effect.

    Raises:
        ShapeError: ``data`` has no such axis.
    """
    named = (axes,) if isinstance(axes, int) else axes
    if data.rank == 0 and named is not None and len(named) == 1 and named[0] in (0, -1):
        return ()
    return normalized_axes(named, data)


def reduced(
    data: TensorType, axes: Sequence[int] | int | None, *, keepdims: bool = False
) -> TensorType:
    """Return the type of ``data`` reduced over ``axes``: all if None, none for ``()``."""
    if axes == () or data.shape is None:
        return data if axes == () else data.with_shape(None)
    reduced_axes = axes_of(axes, data)
    assert reduced_axes is not None
    if keepdims:
        return data.with_shape(1 if i in reduced_axes else n for i, n in enumerate(data.shape))
    return data.with_shape(n for i, n in enumerate(data.shape) if i not in reduced_axes)


def fitted(dy: Any, like: Any) -> Any:
    """Return ``dy`` summed to the shape of ``like`` and converted to its dtype."""
    return cast_like(sum_like(dy, like), like)
