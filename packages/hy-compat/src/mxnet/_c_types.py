"""Types of C, and arrays of them, for programs that call C libraries of their own."""

import array
import ctypes
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import DTypeError

__all__ = [
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_str",
    "c_str_array",
    "ctypes2buffer",
    "ctypes2numpy_shared",
    "mx_float",
    "mx_float_p",
    "mx_int",
    "mx_int64",
    "mx_uint",
    "py_str",
]

mx_uint = ctypes.c_uint
mx_int = ctypes.c_int
mx_int64 = ctypes.c_int64
mx_float = ctypes.c_float
mx_float_p = ctypes.POINTER(ctypes.c_float)


def py_str(x: bytes | str) -> str:
    """The text that bytes are in UTF-8; text, as callbacks get it here, stays as it is."""
    return x if isinstance(x, str) else x.decode("utf-8")


def c_str(string: str) -> ctypes.c_char_p:
    """A text as ``char *``."""
    return ctypes.c_char_p(string.encode("utf-8"))


def c_str_array(strings: Iterable[str]) -> "ctypes.Array[ctypes.c_char_p]":
    """Texts as ``char **``."""
    encoded = [string.encode("utf-8") for string in strings]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Values as an array of a type of C; a copy.

    Example:
        >>> c_array(mx_uint, [1, 2])[:]
        [1, 2]
    """
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: "array.array[Any]") -> Any:
    """The memory of an ``array.array`` as an array of a type of C."""
    return (ctype * len(buf)).from_buffer(buf)


def c_handle_array(objs: Iterable[Any]) -> "ctypes.Array[ctypes.c_void_p]":
    """The pointers that objects have as ``handle``."""
    handles = [ctypes.c_void_p(getattr(o.handle, "value", o.handle)) for o in objs]
    return (ctypes.c_void_p * len(handles))(*handles)


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """A copy of the bytes behind a ``char *``.

    Raises:
        DTypeError: ``cptr`` is no pointer to char.
    """
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise DTypeError(f"ctypes2buffer: expected char pointer, not {type(cptr).__name__}")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> npt.NDArray[np.float32]:
    """The memory behind a ``float *`` as an array, which does not own it.

    Args:
        cptr: A pointer to float.
        shape: ``[*S]``: how much is behind it.

    Raises:
        DTypeError: ``cptr`` is no pointer to float.
    """
    if not isinstance(cptr, mx_float_p):
        raise DTypeError(f"ctypes2numpy_shared: expected float pointer, not {type(cptr).__name__}")
    return np.ctypeslib.as_array(cptr, shape=tuple(shape))
