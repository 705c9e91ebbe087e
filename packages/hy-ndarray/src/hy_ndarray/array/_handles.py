"""Integer handles of arrays, as MXNet's C API has, for programs that cast them by ctypes.

A program written for MXNet may convert a callback's argument to an array by
``NDArray(ctypes.cast(array, NDArrayHandle))``. A handle is never dereferenced: it is looked up
among the arrays that are alive.
"""

import ctypes
from typing import Any
from weakref import WeakValueDictionary

# Weak references: a handle does not keep its array alive.
_LIVING: "WeakValueDictionary[int, Any]" = WeakValueDictionary()


def handle_of(array: Any) -> int:
    """Return the handle of an array, which is valid during the array's lifetime."""
    number = id(array)
    _LIVING[number] = array
    return number


def array_of(handle: Any) -> Any:
    """Return the array of a handle from :func:`handle_of`; None if it no longer exists."""
    return _LIVING.get(handle.value or 0) if isinstance(handle, ctypes.c_void_p) else None
