"""Handles: the numbers by which C interfaces speak of arrays, for programs that cast what they get.

A program written for MXNet makes an array of what a callback got: ``NDArray(ctypes.cast(array,
NDArrayHandle))``. No handle is followed as a pointer: it is looked up among living arrays.
"""

import ctypes
from typing import Any
from weakref import WeakValueDictionary

__all__ = ["array_of", "handle_of"]

_LIVING: "WeakValueDictionary[int, Any]" = WeakValueDictionary()


def handle_of(array: Any) -> int:
    """The handle of an array, valid as long as the array lives."""
    number = id(array)
    _LIVING[number] = array
    return number


def array_of(handle: Any) -> Any:
    """The array of a handle that :func:`handle_of` gave, or None."""
    return _LIVING.get(handle.value or 0) if isinstance(handle, ctypes.c_void_p) else None
