"""HostMemory: allocates, copies and converts numpy arrays."""

import ctypes
import os
from functools import cache
from typing import Any

import ml_dtypes
import numpy as np

from hy_kernels._dlpack import Exporter
from hy_kernels.numpy._array import Array, address, aligned, contiguous, copied
from hy_kernels.numpy._copying import assign

_TRIM, _MAP = -1, -3  # glibc's mallopt: M_TRIM_THRESHOLD, M_MMAP_THRESHOLD
_HEAP_BLOCK_BYTES = 1 << 28, 1 << 25  # largest on the heap; older glibc takes the second alone


@cache
def _name(dtype: np.dtype[Any]) -> str:
    # Cached, because NumPy builds the name of a dtype in each call.
    return dtype.name


class HostMemory:
    """Memory interface of the numpy table: numpy arrays in host memory.

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
        """Return a contiguous array with uninitialized values."""
        return aligned(shape, dtype)

    def from_numpy(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """Return a contiguous copy of a numpy array or scalar; a scalar becomes a 0-d array."""
        return self.copy(np.asarray(array))

    def to_numpy(self, buffer: Array) -> Array:
        """Return the buffer itself."""
        return buffer

    def from_dlpack(self, array: Any, device: None = None) -> Array:  # noqa: ARG002
        """Return an array that shares the memory of ``array``, or a copy if that is read-only.

        A numpy array in another order of bytes is copied, too.
        """
        if isinstance(array, np.ndarray):
            order = array.dtype.newbyteorder("=")
            return array if array.dtype.isnative else array.astype(order)
        source = Exporter(array, bfloat16_as_bits=True)
        taken = np.from_dlpack(source)
        if not taken.flags.writeable:
            taken = taken.copy() if source.is_read_only else np.asarray(_Memory(taken))
        return taken.view(ml_dtypes.bfloat16) if source.is_bfloat else taken

    def contiguous(self, buffer: Array) -> Array:
        """Return the buffer itself if it is C-contiguous, else a contiguous copy."""
        return contiguous(buffer)

    def copy(self, buffer: Array) -> Array:
        """Return a contiguous copy."""
        return copied(buffer)

    def write(self, target: Array, value: Array) -> None:
        """Copy ``value`` to ``target``, broadcast and cast to its dtype as necessary."""
        if value.dtype is not target.dtype and value.shape == target.shape:
            assign(target, value)
        else:
            np.copyto(target, value, casting="unsafe")

    def span(self, buffer: Array) -> tuple[int, int]:
        """Return the addresses of a buffer's first byte and of the byte after its last."""
        if buffer.flags.c_contiguous:
            first = address(buffer)
            return first, first + buffer.nbytes
        low, high = np.lib.array_utils.byte_bounds(buffer)
        return int(low), int(high)

    def overlap(self, one: Array, other: Array) -> bool:
        """Return whether the address ranges of two buffers overlap."""
        return np.may_share_memory(one, other)

    def dtype(self, buffer: Array) -> str:
        """Return the name of a buffer's dtype."""
        return _name(buffer.dtype)

    def retain(self) -> None:
        """Tell the C library to keep freed memory in the process; see :func:`retain_memory`."""
        retain_memory()


class _Memory:
    """Array interface that exposes the memory of a read-only array as writable, and keeps it."""

    def __init__(self, array: Array) -> None:
        self.array = array
        # NumPy cannot make memory that it does not own writable, but trusts an array interface.
        address, _ = array.__array_interface__["data"]
        self.__array_interface__ = {**array.__array_interface__, "data": (address, False)}


@cache
def retain_memory() -> bool:
    """Make glibc keep freed memory in the process for reuse; return whether that succeeded.

    By default glibc returns large freed blocks to the system, which then zeroes each page of the
    next block: for arrays of some megabytes that takes longer than summing them. The setting is
    made once for the whole process. ``HY_RETAIN_MEMORY=0`` prevents it.
    """
    if os.environ.get("HY_RETAIN_MEMORY") == "0":
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):  # another C library
        return False
    # ResNet-18 in training, 8 images of 64 by 64, one thread: 24 MB fewer zeroed pages and 110 ms a
    # step instead of 130; with oneDNN, 16 images, first layer of 51 MB: 0.85 of the time. Programs
    # whose values all lie in an arena gain nothing.
    is_set = any(mallopt(_MAP, size) for size in _HEAP_BLOCK_BYTES)
    return is_set and bool(mallopt(_TRIM, 1 << 29))
