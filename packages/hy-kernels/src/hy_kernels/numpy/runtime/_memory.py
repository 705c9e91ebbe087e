"""HostMemory: makes, copies and converts numpy arrays."""

import ctypes
import os
from functools import cache
from typing import Any, ClassVar

import ml_dtypes
import numpy as np

from hy_kernels.numpy._array import Array, address, aligned, contiguous, copied

__all__ = ["HostMemory", "retain_memory"]

_TRIM, _MAP = -1, -3  # glibc's mallopt: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_LARGEST = 1 << 28, 1 << 25  # bytes of blocks on the heap; older glibc allows the second alone


@cache
def _name(dtype: np.dtype[Any]) -> str:
    return dtype.name  # numpy puts it together each time


class HostMemory:
    """Numpy arrays in host memory.

    Example:
        >>> memory = HostMemory()
        >>> x = memory.empty((2,), "float32")
        >>> memory.write(x, np.array([1, 2]))
        >>> x
        array([1., 2.], dtype=float32)
    """

    def empty(
        self,
        shape: tuple[int, ...],
        dtype: str,
        device: None = None,  # noqa: ARG002
    ) -> Array:
        """A contiguous array of any values."""
        return aligned(shape, dtype)

    def from_numpy(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """A contiguous array that owns its memory; a numpy scalar becomes a 0-d array."""
        return self.copy(np.asarray(array))

    def to_numpy(self, buffer: Array) -> Array:
        """The buffer itself."""
        return buffer

    def from_dlpack(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """The same memory as ``array``; copied where it is read-only or not on the CPU."""
        if isinstance(array, np.ndarray):
            return array
        source = _Exporter(array)
        taken = np.from_dlpack(source)
        if not taken.flags.writeable:
            taken = taken.copy() if source.versioned else np.asarray(_Memory(taken))
        return taken.view(ml_dtypes.bfloat16) if source.is_bfloat else taken

    def contiguous(self, buffer: Array) -> Array:
        """The buffer itself where it is contiguous."""
        return contiguous(buffer)

    def copy(self, buffer: Array) -> Array:
        """A contiguous copy."""
        return copied(buffer)

    def write(self, target: Array, value: Array) -> None:
        """``target[...] = value``."""
        np.copyto(target, value, casting="unsafe")

    def span(self, buffer: Array) -> tuple[int, int]:
        """Addresses of the first byte, and of the one behind the last."""
        if buffer.flags.c_contiguous:
            first = address(buffer)
            return first, first + buffer.nbytes
        low, high = np.lib.array_utils.byte_bounds(buffer)
        return int(low), int(high)

    def overlap(self, one: Array, other: Array) -> bool:
        """Whether their spans overlap."""
        return np.may_share_memory(one, other)

    def dtype(self, buffer: Array) -> str:
        """Dtype name."""
        return _name(buffer.dtype)

    def retain(self) -> None:
        """Tell the C library to keep freed memory in the process."""
        retain_memory()


class _Exporter:
    """An array of another library, and whether it speaks a DLPack that can say "read-only".

    Numpy takes all memory that comes without a version for read-only. But whoever cannot say it
    may not export read-only memory, so that it is writable. Of bfloat16 numpy is shown the bits,
    as integers.
    """

    _TENSOR_AT: ClassVar = ((b"dltensor", 0), (b"dltensor_versioned", 32))
    _CODE, _WHOLE, _BFLOAT = 20, 1, 4  # where the code of a dtype is, and two codes

    def __init__(self, array: Any) -> None:
        self.array = array
        self.versioned = False
        self.is_bfloat = False

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.array.__dlpack__(**options)
        api = ctypes.pythonapi
        api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        self.versioned = not api.PyCapsule_IsValid(capsule, b"dltensor")
        name, offset = self._TENSOR_AT[self.versioned]
        address = api.PyCapsule_GetPointer(capsule, name) + offset + self._CODE
        code = ctypes.c_uint8.from_address(address)
        if code.value == self._BFLOAT:
            self.is_bfloat, code.value = True, self._WHOLE
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class _Memory:
    """The memory of an array, offered for writing; keeps the array alive."""

    def __init__(self, array: Array) -> None:
        self.array = array
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


@cache
def retain_memory() -> bool:
    """Keep freed arrays' memory in the process, for the next ones; whether it does now.

    By default glibc gives large freed blocks back to the system, which then fills each page of the
    next block with zeros: for arrays of some megabytes that costs more than a sum. It is set for
    the whole process, once. ``HY_RETAIN_MEMORY=0`` forbids it.

    Measured with ResNet-18 in training, 8 images of 64x64 pixels, one thread: 24 MB less to be
    filled in each step, 110 against 130 ms. ResNet-18 by oneDNN, 16 images, whose first layer
    makes 51 MB: 0.85 of the time. Layers whose values all lie in arenas are as fast without.
    """
    if os.environ.get("HY_RETAIN_MEMORY") == "0":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    is_set = any(mallopt(_MAP, size) for size in _LARGEST)
    return is_set and bool(mallopt(_TRIM, 1 << 29))
