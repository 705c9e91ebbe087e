"""What layers keep beside the memory that programs know of, until gradients ask for it."""

import threading
from itertools import count

from hy_kernels.torch._tensor import Tensor

__all__ = ["Kept", "Workspaces"]

Kept = tuple[Tensor, ...]
_NUMBERS = 1 << 24  # whole numbers that float32 can hold


class Workspaces:
    """The newest ones, each under a number that its gradient will know.

    Args:
        most: Bytes of all of them together.

    Example:
        >>> import torch
        >>> workspaces = Workspaces(100)
        >>> first, second = (workspaces.keep((torch.ones(20),)) for _ in range(2))
        >>> workspaces.take(first) is None, workspaces.take(second) is None  # 80 bytes each
        (True, False)
        >>> workspaces.take(second) is None
        True
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._kept: dict[int, Kept] = {}
        self._numbers = count()
        self._lock = threading.Lock()

    def keep(self, kept: Kept) -> int:
        """The number under which tensors are kept, until newer ones take their place."""
        number = next(self._numbers) % (_NUMBERS - 1) + 1
        with self._lock:
            self._drop(number)
            self._kept[number] = kept
            self._size += _bytes(kept)
            while self._size > self._most:
                self._drop(next(iter(self._kept)))
        return number

    def take(self, number: int) -> Kept | None:
        """What is kept under a number, which is not kept any more; None: it is not there."""
        with self._lock:
            return self._drop(number)

    def _drop(self, number: int) -> Kept | None:
        kept = self._kept.pop(number, None)
        self._size -= 0 if kept is None else _bytes(kept)
        return kept


def _bytes(kept: Kept) -> int:
    return sum(each.numel() * each.element_size() for each in kept)
