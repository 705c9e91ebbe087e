"""Dtype names, their numpy types, and MXNet's type flags."""

import re
from typing import Any

import ml_dtypes
import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import DTypeError
from hy_ndarray.suggestion import hint

DTypeLike = npt.DTypeLike | type[Any]

DTYPES: dict[str, type[np.generic]] = {
    "float32": np.float32,
    "float64": np.float64,
    "float16": np.float16,
    "uint8": np.uint8,
    "int32": np.int32,
    "int8": np.int8,
    "int64": np.int64,
    "bool": np.bool_,
    "bfloat16": ml_dtypes.bfloat16,
    "int16": np.int16,
    "uint16": np.uint16,
    "uint32": np.uint32,
    "uint64": np.uint64,
    "complex64": np.complex64,
    "complex128": np.complex128,
}
"""The numpy scalar type of each dtype name."""

CLASSIC = frozenset(list(DTYPES)[:9])
"""MXNet's dtypes, which operators support as in MXNet; for the others see :mod:`array_api`."""

FLOATING = ("float64", "float32", "bfloat16", "float16")
"""The floating dtypes, from wide to narrow."""

FLAGS: dict[str, int] = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "int16": 8,
    "uint16": 9,
    "uint32": 10,
    "uint64": 11,
    "bfloat16": 12,
}
"""The integer by which MXNet's files and graphs name a dtype; complex ones have none."""

BY_OBJECT: dict[Any, str] = {
    **{name: name for name in DTYPES},
    **{kind: name for name, kind in DTYPES.items()},
    **{np.dtype(kind): name for name, kind in DTYPES.items()},
    float: "float64",
    int: "int64",
    bool: "bool",
    complex: "complex128",
}
"""Dtype name by hashable dtype-like objects: names, numpy types and Python types."""
_NAME = re.compile(r"[<>=|]?[A-Za-z]{1,10}\d{0,3}")
_MAX_SHOWN = 80  # characters of a value in a message
_BY_FLAG = {flag: name for name, flag in FLAGS.items()}


def dtype_name(dtype: object) -> str:
    """Return the dtype's name, given a name, numpy or Python type, MXNet type flag, or array.

    An array, or whatever else has a ``dtype``, stands for it, as in ``numpy.dtype``.

    Raises:
        DTypeError: hy has no such dtype.

    Example:
        >>> dtype_name(np.float16), dtype_name("int8"), dtype_name(float)
        ('float16', 'int8', 'float64')
    """
    try:
        return BY_OBJECT[dtype]
    except (KeyError, TypeError):
        pass
    if isinstance(dtype, int) and dtype in _BY_FLAG:
        return _BY_FLAG[dtype]
    if not isinstance(dtype, type) and (kind := getattr(dtype, "dtype", None)) in BY_OBJECT:
        return BY_OBJECT[kind]
    if not isinstance(dtype, str) or _NAME.fullmatch(dtype):  # numpy reads others as Python
        anything: Any = dtype
        try:
            # In another order of bytes, as in files of IDX, it is the same dtype.
            return BY_OBJECT[np.dtype(anything).newbyteorder("=")]
        except (KeyError, TypeError, ValueError):
            pass
    shown = repr(dtype)
    shown = shown if len(shown) <= _MAX_SHOWN else shown[: _MAX_SHOWN - 3] + "..."
    raise DTypeError(f"unknown dtype {shown}; known: {', '.join(DTYPES)}{hint(dtype, DTYPES)}")


def numpy_type(dtype: object) -> type[np.generic]:
    """Return the numpy scalar type of ``dtype``, as ``NDArray.dtype`` returns it."""
    return DTYPES[dtype_name(dtype)]


def promoted_name(a: str, b: str) -> str:
    """Return the promoted dtype of two dtypes by the Array API standard.

    A floating dtype and integers, which the standard leaves open, meet in the floating one.

    Example:
        >>> promoted_name("int8", "uint8"), promoted_name("float16", "bfloat16")
        ('int16', 'float32')
    """
    if a == b:
        return a
    one, other = np.dtype(DTYPES[a]), np.dtype(DTYPES[b])
    wholes = one.kind in "biu", other.kind in "biu"
    if wholes == (True, False):
        return b
    if wholes == (False, True):
        return a
    if {a, b} == {"bfloat16", "float16"}:  # of which numpy does not know
        return "float32"
    return np.promote_types(one, other).name


def numbers_of_text(texts: npt.NDArray[Any], dtype: object = None) -> npt.NDArray[Any]:
    """Parse an array of strings as numbers: integers if all are, else float64.

    Args:
        texts: The texts.
        dtype: What is to be made of them; None for a float.

    Raises:
        ValueError: One of them is no number, or no integer where ``dtype`` is one of integers.

    Example:
        >>> numbers_of_text(np.array(["12", "3"]))
        array([12,  3])
    """
    try:
        return texts.astype(np.int64)
    except (ValueError, OverflowError):
        if dtype is not None and np.issubdtype(numpy_type(dtype), np.integer):
            raise
        return texts.astype(np.float64)
