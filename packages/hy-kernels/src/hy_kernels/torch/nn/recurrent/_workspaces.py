"""Workspaces of libraries, kept from the forward pass of a layer for its gradient."""

import threading
from itertools import count

from hy_kernels.torch._tensor import Tensor

Saved = tuple[Tensor, ...]
_MAX_ELEMENTS = 1 << 24  # whole numbers that float32 can hold


class Workspaces:
    """The most recent workspaces, each with a number by which the gradient finds it.

    Args:
        limit: Largest total size, in bytes.

    Example:
        >>> import torch
        >>> workspaces = Workspaces(100)
        >>> first, second = (workspaces.keep((torch.ones(20),)) for _ in range(2))
        >>> workspaces.take(first) is None, workspaces.take(second) is None  # 80 bytes each
        (True, False)
        >>> workspaces.take(second) is None
        True
    """

    def __init__(self, limit: int) -> None:
        self._max_bytes = limit
        self._size = 0
        self._saved: dict[int, Saved] = {}
        self._numbers = count()
        self._lock = threading.Lock()

    def keep(self, keep: Saved) -> int:
        """Store tensors, dropping the oldest ones if necessary, and return their number."""
        # Never 0, which says that nothing was kept; below 2**24, as a float32 carries it.
        number = next(self._numbers) % (_MAX_ELEMENTS - 1) + 1
        with self._lock:
            self._drop(number)
            self._saved[number] = keep
            self._size += _bytes(keep)
            # Dictionaries keep their order: the oldest go first.
            while self._size > self._max_bytes:
                self._drop(next(iter(self._saved)))
        return number

    def take(self, number: int) -> Saved | None:
        """Remove and return the tensors with a number; None if they were dropped."""
        with self._lock:
            return self._drop(number)

    def _drop(self, number: int) -> Saved | None:
        keep = self._saved.pop(number, None)
        self._size -= 0 if keep is None else _bytes(keep)
        return keep


def _bytes(keep: Saved) -> int:
    return sum(each.numel() * each.element_size() for each in keep)
