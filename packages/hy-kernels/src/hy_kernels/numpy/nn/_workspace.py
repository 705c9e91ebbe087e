"""Scratch memory that a thread keeps from call to call: fresh pages cost more than sums."""

import threading
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.costs import COSTS

__all__ = ["Scratch", "scratch", "workspace"]


class Scratch:
    """A piece of memory for each name."""

    def __init__(self) -> None:
        self._by_name: dict[str, Array] = {}
        self.generation = 0
        """How often a piece was replaced by a larger one."""

    def array(self, name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
        """An array of any content, whose memory the next call with ``name`` reuses."""
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
    """The running thread's."""
    return _local.scratch


def workspace(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array of any content, whose memory the next call with ``name`` in this thread reuses."""
    return _local.scratch.array(name, shape, dtype)
