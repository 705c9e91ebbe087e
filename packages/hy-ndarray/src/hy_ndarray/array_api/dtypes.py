"""Dtypes, and functions that query or convert them."""

from typing import Any, NamedTuple

import ml_dtypes
import numpy as onp

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError
from hy_ndarray.array_api._devices import moved
from hy_ndarray.array_api._promotion import KINDS, DType, as_dtype, name_of, result_type
from hy_ndarray.np import ndarray

__all__ = [
    "astype",
    "bfloat16",
    "can_cast",
    "complex64",
    "complex128",
    "finfo",
    "finfo_object",
    "float16",
    "float32",
    "float64",
    "iinfo",
    "iinfo_object",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "result_type",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]

int8 = as_dtype("int8")
int16 = as_dtype("int16")
int32 = as_dtype("int32")
int64 = as_dtype("int64")
uint8 = as_dtype("uint8")
uint16 = as_dtype("uint16")
uint32 = as_dtype("uint32")
uint64 = as_dtype("uint64")
float16 = as_dtype("float16")
bfloat16 = as_dtype("bfloat16")
float32 = as_dtype("float32")
float64 = as_dtype("float64")
complex64 = as_dtype("complex64")
complex128 = as_dtype("complex128")


class finfo_object(NamedTuple):  # noqa: N801  # the standard's name
    """Object that :func:`finfo` returns; its numbers are Python floats."""

    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    dtype: DType


class iinfo_object(NamedTuple):  # noqa: N801  # the standard's name
    """Object that :func:`iinfo` returns."""

    bits: int
    max: int
    min: int
    dtype: DType


def _dtype_name(x: Any) -> str:
    return name_of(x) if isinstance(x, ndarray) else dtype_name(x)


def finfo(type: DType | ndarray, /) -> finfo_object:
    """Return the limits of a floating dtype; of a complex dtype, those of its real dtype.

    Args:
        type: A dtype, or an array of it.

    Raises:
        DTypeError: The dtype is neither floating nor complex.
    """
    name = _dtype_name(type)
    if name not in KINDS["real floating"] + KINDS["complex floating"]:
        raise DTypeError(f"finfo: {name} is not a floating dtype; use iinfo for integers")
    of: Any = ml_dtypes.finfo if name == "bfloat16" else onp.finfo
    info = of(as_dtype(name))
    return finfo_object(
        bits=int(info.bits),
        eps=float(info.eps),
        max=float(info.max),
        min=float(info.min),
        smallest_normal=float(info.smallest_normal),
        dtype=onp.dtype(info.dtype),
    )


def iinfo(type: DType | ndarray, /) -> iinfo_object:
    """Return the limits of an integer dtype.

    Args:
        type: A dtype, or an array of it.

    Raises:
        DTypeError: The dtype is not an integer dtype.
    """
    name = _dtype_name(type)
    if name not in KINDS["integral"]:
        raise DTypeError(f"iinfo: {name} is not an integer dtype; use finfo for floating dtypes")
    kind: Any = as_dtype(name)
    info = onp.iinfo(kind)
    return iinfo_object(info.bits, info.max, info.min, kind)


def isdtype(dtype: DType, kind: DType | str | tuple[DType | str, ...]) -> bool:
    """Return whether a dtype equals another dtype or belongs to a kind.

    Args:
        dtype: The dtype.
        kind: A dtype, the name of one of :data:`KINDS`, or several of these.

    Raises:
        ArgumentError: There is no such kind.
    """
    if isinstance(kind, tuple):
        return any(isdtype(dtype, one) for one in kind)
    name = dtype_name(dtype)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ArgumentError(f"isdtype: unknown kind {kind!r}; known: {', '.join(KINDS)}")
        return name in KINDS[kind]
    return name == dtype_name(kind)


def can_cast(from_: DType | ndarray, to: DType, /) -> bool:
    """Return whether a dtype can be cast to another without loss."""
    return dtype_name(result_type(from_, to)) == dtype_name(to)


def astype(x: ndarray, dtype: DType, /, *, copy: bool = True, device: Any = None) -> ndarray:
    """Return the array converted to another dtype.

    Args:
        x: The array.
        dtype: The dtype of the result.
        copy: False returns the array itself if nothing changes.
        device: Device of the result; that of ``x`` if None.

    Raises:
        DTypeError: A complex array would become real; see :func:`real` and :func:`abs`.
    """
    own, name = name_of(x), dtype_name(dtype)
    complexes = KINDS["complex floating"]
    if own in complexes and name not in complexes:
        raise DTypeError(
            f"astype: converting {own} to {name} would discard the imaginary part; use real(x) or "
            "abs(x)"
        )
    return moved(x.astype(name, copy=copy), device)
