"""Buffers: memory of batches, reused when nothing refers to a batch any more."""

import sys
from collections import deque
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Buffers"]

_UNUSED = 2
"""References to a buffer that only this module has: a variable and an argument."""


class Buffers:
    """Pool of arrays of one shape and dtype, reused when nothing else refers to them.

    The operating system clears each page of new memory on the first write, which takes longer than
    writing a batch to used memory.

    Args:
        shape: The shape.
        dtype: The dtype.
        max_buffers: Maximum number of arrays.
    """

    def __init__(self, shape: tuple[int, ...], dtype: npt.DTypeLike, max_buffers: int) -> None:
        self._shape = shape
        self._dtype = np.dtype(dtype)
        self._buffers: deque[npt.NDArray[Any]] = deque()
        self._max_buffers = max_buffers

    def take(self) -> npt.NDArray[Any]:
        """Return an uninitialized array."""
        # Single steps of a deque need no lock, which a forked process could find locked.
        for _ in range(len(self._buffers)):
            try:
                array = self._buffers.popleft()
            except IndexError:
                break
            if sys.getrefcount(array) == _UNUSED:
                return array
            self._buffers.append(array)
        return np.empty(self._shape, self._dtype)

    def keep(self, array: npt.NDArray[Any]) -> None:
        """Add an array for reuse once nothing else refers to it."""
        if len(self._buffers) < self._max_buffers:
            self._buffers.append(array)
