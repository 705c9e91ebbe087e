"""Memory of the arrays that kernels have used, per device."""

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any
from weakref import ref

import numpy as np

from hy_ndarray._dtypes import DTYPES
from hy_ndarray.devices._protocols import Buffer, ServedContext

__all__ = ["Memory"]


class Memory:
    """Tracks the memory of buffers from their first use until they are freed.

    Views count as the buffers that own their memory. Not thread-safe.

    Args:
        clock: Function that returns the current time in nanoseconds.
    """

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._known: dict[int, tuple[Any, str, int]] = {}
        self._bytes: dict[str, int] = {}
        # The garbage collector may free a buffer anywhere, so what it calls only notes that.
        self._freed: deque[tuple[int, int]] = deque()

    def changes(self, device: ServedContext, buffers: Iterable[Any]) -> list[tuple[int, str, int]]:
        """Return the changes since the last call, as tuples of time, device and total bytes."""
        changes = self.releases()
        now = self._clock()
        where = f"{device.context.device_type}/{device.context.device_id}"
        owners = [_owner(x) for x in buffers if x.__class__ is device.buffer_type]
        for owner in owners:
            if id(owner) not in self._known:
                size = _nbytes(device, owner)
                self._known[id(owner)] = self._watched(owner), where, size
                self._bytes[where] = self._bytes.get(where, 0) + size
                changes.append((now, where, self._bytes[where]))
        return changes

    def _watched(self, owner: Buffer) -> Any:
        """Return a weak reference whose callback records when the buffer is freed."""
        freed, clock, key = self._freed, self._clock, id(owner)
        return ref(owner, lambda _: freed.append((clock(), key)))

    def releases(self) -> list[tuple[int, str, int]]:
        """Return the changes due to freed buffers since the last call, as :meth:`changes` does."""
        releases = []
        while self._freed:
            time, key = self._freed.popleft()
            _, where, size = self._known.pop(key)
            self._bytes[where] -= size
            releases.append((time, where, self._bytes[where]))
        return releases


def _owner(buffer: Buffer) -> Buffer:
    """Return the buffer that owns the memory of a view; ``buffer`` itself if it is not a view."""
    while True:
        base = getattr(buffer, "base", None)  # numpy's name
        base = getattr(buffer, "_base", None) if base is None else base  # torch's
        if base.__class__ is not buffer.__class__:
            return buffer
        buffer = base


def _nbytes(device: ServedContext, buffer: Buffer) -> int:
    count = 1
    for n in buffer.shape:
        count *= n
    return count * np.dtype(DTYPES[device.memory.dtype(buffer)]).itemsize
