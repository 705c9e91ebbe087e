"""Scratch memory of a thread, reused by later calls."""

import threading
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.costs import COSTS


class Scratch:
    """Named pieces of scratch memory, each as large as the largest array requested so far."""

    def __init__(self) -> None:
        self._by_name: dict[str, Array] = {}
        self.generation = 0
        """Number of times that memory was replaced by a larger piece."""

    def array(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """Return an uninitialized array, whose memory the next call with ``name`` reuses."""
        # The system zeroes new pages, which takes longer than one pass over them; but very large
        # memory would stay allocated for the thread's lifetime.
        size = prod(shape) * dtype.itemsize
        if size > COSTS.memory.workspace:
            return aligned(shape, dtype)
        buffer = self._by_name.get(name)
        if buffer is None or buffer.size < size:
            buffer = self._by_name[name] = aligned((size,), np.uint8)
            self.generation += 1
        return buffer[:size].view(dtype).reshape(shape)


class _Local(threading.local):
    def __init__(self) -> None:
        self.scratch = Scratch()


_local = _Local()


def scratch() -> Scratch:
    """Return the scratch memory of the running thread."""
    return _local.scratch


def workspace(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """Return an uninitialized array, whose memory this thread's next call with ``name`` reuses."""
    return _local.scratch.array(name, shape, dtype)
