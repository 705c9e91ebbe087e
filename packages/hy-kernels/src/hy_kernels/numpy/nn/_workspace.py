"""Scratch memory that a thread keeps from call to call: fresh pages cost more than sums."""

import threading
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["workspace"]

_KEPT = 1 << 24  # bytes; what is larger is made for one call


class _Buffers(threading.local):
    def __init__(self) -> None:
        self.by_name: dict[str, Array] = {}


_buffers = _Buffers()


def workspace(name: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array of any content, whose memory the next call with ``name`` in this thread reuses."""
    size = prod(shape) * dtype.itemsize
    if size > _KEPT:
        return np.empty(shape, dtype)
    buffer = _buffers.by_name.get(name)
    if buffer is None or buffer.size < size:
        buffer = _buffers.by_name[name] = np.empty(size, np.uint8)
    return buffer[:size].view(dtype).reshape(shape)
