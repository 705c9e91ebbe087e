"""Memory of captured graphs: a pool per device, and a limit of its size."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias
from weakref import finalize

import torch

from hy_kernels.torch.costs import COSTS

Handle: TypeAlias = Any
"""Torch's handle of a memory pool."""


class CaptureMemoryError(RuntimeError):
    """The memory limit of captured graphs is reached on a device."""


class CaptureMemory:
    """Memory pools of the captured graphs of one device.

    Graphs whose results are copied at once share a pool: each may overwrite the memory of the
    others, so they run one at a time. A graph that lends its results, which are read after other
    graphs ran, has a pool of its own.

    Args:
        device: The device.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device
        self._pool: Handle = None
        self._last: Any = None
        self._queue_lock = threading.Lock()
        self._graphs = 0
        self._shared = 0
        self._own = 0

    @property
    def reserved_bytes(self) -> int:
        """Bytes that captured graphs reserve."""
        return self._shared + self._own

    def check(self) -> None:
        """Raise an error if the memory limit is reached.

        Raises:
            CaptureMemoryError: Captured graphs reserve as much memory as they may.
        """
        limit = int(COSTS.memory.captured * torch.cuda.mem_get_info(self._device)[1])
        if self.reserved_bytes >= limit:
            raise CaptureMemoryError(
                f"captured graphs hold {self.reserved_bytes:,} bytes of {self._device}, "
                f"and may hold {limit:,}"
            )

    def pool(self) -> Handle:
        """Return the pool that graphs share, which run one at a time."""
        if self._pool is None:
            self._pool = torch.cuda.graph_pool_handle()
        return self._pool

    def add(self, graph: object, size: int, *, shared: bool) -> None:
        """Count the bytes that a graph reserved on the device, until the graph is freed."""
        if shared:
            self._shared += size
            self._graphs += 1
        else:
            self._own += size
        # At the end of the process nothing has to be counted any more.
        finalize(graph, self._forget, size, shared).atexit = False

    def _forget(self, size: int, shared: bool) -> None:
        if not shared:
            self._own -= size
            return
        self._graphs -= 1
        if not self._graphs:  # torch frees a pool that no graph has
            self._shared, self._pool = 0, None

    @contextmanager
    def queueing(self) -> Iterator[None]:
        """Scope for queuing a graph of the shared pool after the last one, also across streams."""
        with self._queue_lock:
            stream = torch.cuda.current_stream(self._device)
            if self._last is not None and self._last != stream:
                # The graph before may be copying its results out of the memory that this one
                # writes.
                stream.wait_stream(self._last)
            self._last = stream
            yield


_memories: dict[torch.device, CaptureMemory] = {}


def capture_memory(device: torch.device) -> CaptureMemory:
    """Return the memory of captured graphs of a device."""
    memory = _memories.get(device)
    # setdefault is atomic: two threads get the same object.
    return memory if memory is not None else _memories.setdefault(device, CaptureMemory(device))
