"""Handles: the numbers by which C interfaces speak of arrays, for programs that cast what they get.

A program written for MXNet makes an array of what a callback got: ``NDArray(ctypes.cast(array,
NDArrayHandle))``. No handle is followed as a pointer: it is looked up among living arrays.
"""

import ctypes
from typing import Any
from weakref import WeakValueDictionary

__all__ = ["array_of", "handle_of"]

# Weak: a handle does not keep its array alive.
_LIVING: "WeakValueDictionary[int, Any]" = WeakValueDictionary()


def handle_of(array: Any) -> int:
    """Return the handle of an array, valid as long as the array lives."""
    number = id(array)
    _LIVING[number] = array
    return number


def array_of(handle: Any) -> Any:
    """Return the array of a handle from :func:`handle_of`, None if it lives no more."""
    return _LIVING.get(handle.value or 0) if isinstance(handle, ctypes.c_void_p) else None
