"""FlatArrays: arrays moved into one contiguous buffer, so that one kernel call updates all."""

from collections.abc import Sequence
from math import prod

import numpy as np

from hy_ndarray import Buffer, NDArray, dtype_name, refill

__all__ = ["MAX_ELEMENTS", "FlatArrays"]

# On one core, Adam: above 2**16 elements the work (80 µs) hides the cost of a call (4 µs).
MAX_ELEMENTS = 1 << 16
"""Elements of the largest arrays stored together; larger ones amortize their own kernel call."""


_NARROWEST = 2
"""Bytes of the narrowest floats; offsets in elements are then aligned for all dtypes."""


class FlatArrays:
    """Moves arrays of one dtype and device into one buffer; the array objects stay valid.

    Each array starts at a multiple of the device's alignment; padding is initially 0.

    Args:
        arrays: Contiguous arrays.

    Example:
        >>> from hy_ndarray import nd
        >>> a, b = nd.ones((2, 2)), nd.ones((3,))
        >>> flat = FlatArrays([a, b])
        >>> flat.whole[:] = flat.whole * 2
        >>> a.asnumpy().tolist(), b.asnumpy().tolist(), flat.holds([a, b])
        ([[2.0, 2.0], [2.0, 2.0]], [2.0, 2.0, 2.0], True)
    """

    def __init__(self, arrays: Sequence[NDArray]) -> None:
        first = arrays[0]
        device, memory = first.device, first.device.memory
        dtype, alignment = dtype_name(first.dtype), device.limits.alignment
        itemsize = np.dtype(first.dtype).itemsize
        # Alignment in elements of the narrowest dtype, so that states of float32 begin where
        # weights of float16 do.
        each = max(alignment // _NARROWEST, 1)
        starts, end = [], 0
        for array in arrays:
            starts.append(end)
            end += -(-array.size // each) * each
        # One alignment more than needed, as the allocator promises less than the kernels want.
        allocation = memory.empty((end + each,), dtype, device.handle)
        begin = -memory.span(allocation)[0] % alignment // itemsize
        flat = allocation[begin : begin + end]
        # Padding is zero: an update runs over it as well, and must find finite numbers there.
        memory.write(flat, memory.from_numpy(np.zeros((end,), first.dtype), device.handle))
        self.whole: NDArray = NDArray.from_buffer(flat, device)
        """One-dimensional array of the whole buffer, including padding."""
        self.buffers: list[Buffer] = []
        """Buffer views of the arrays, in order."""
        for array, start in zip(arrays, starts, strict=True):
            view = flat[start : start + prod(array.shape)].reshape(array.shape)
            memory.write(view, array.buffer)
            # `refill` keeps the array object: parameters, views of users and autograd refer to it.
            moved = refill(array, type(array).from_buffer(view, device))
            assert moved, f"{array!r} cannot be moved"
            self.buffers.append(view)

    def holds(self, arrays: Sequence[NDArray]) -> bool:
        """Return whether each of ``arrays`` still is a view of this buffer."""
        # By identity of buffers: a cast or a reset gives an array a new buffer, and the layout is
        # rebuilt.
        return all(x.buffer is view for x, view in zip(arrays, self.buffers, strict=True))
