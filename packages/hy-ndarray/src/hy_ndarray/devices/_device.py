"""Device: a context together with the kernel table that runs its operators."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from hy_ndarray.devices import instrumentation
from hy_ndarray.devices._carrying import carrying_note, shares_buffers
from hy_ndarray.devices._compositions import COMPOSITION
from hy_ndarray.devices._context import Context
from hy_ndarray.devices._index_checks import CheckedTable
from hy_ndarray.devices._kernels import Calls, Kernels
from hy_ndarray.devices._lowering import LoweringTable
from hy_ndarray.devices._protocols import (
    Buffer,
    CapturingTable,
    FusingTable,
    KernelTable,
    LimitedTable,
    Limits,
    PinningMemory,
    ThreadedTable,
)
from hy_ndarray.devices._waiting import is_asked_for
from hy_ndarray.devices._watch import watch_of

KINDS = {"cpu": "cpu", "cpu_pinned": "cpu", "cpu_shared": "cpu", "gpu": "gpu"}
"""Device type that a table must support to serve each type of context."""


def _first_with(tables: Sequence[KernelTable], part: str) -> Any:
    """Return the first table that has the optional attribute ``part``; None if none has."""
    return next((table for table in tables if hasattr(table, part)), None)


def _pinning(memory: Any) -> Any:
    """Return the memory if it supports page-locked buffers, else None."""
    return memory if hasattr(memory, "pinned") else None


@dataclass(frozen=True)
class Unplanned:
    """Limits of a table that states none: no arenas, no fusion, no splitting of batches."""

    threads: int = 1
    dtypes: tuple[str, ...] = ()
    alignment: int = 1
    small_bytes: int = 0
    fusion_size: int = 0
    fusion_steps: int = 1
    split_bytes: int = sys.maxsize
    split_rows: int = 1
    share_bytes: int = sys.maxsize


class Device:
    """Context together with a kernel table.

    A context has one device for each table that some thread uses. Arrays and programs of a device
    stay valid when another table is selected; eager calls look kernels up in :attr:`calls`, which
    raises :class:`StaleTableError` if another table serves the thread.

    Args:
        context: The context.
        tables: The table, then its fallbacks.
        serving: Returns the device that serves a context in the calling thread.
    """

    __slots__ = (
        "__weakref__",
        "_serving",
        "_threaded",
        "_watch",
        "buffer_type",
        "calls",
        "captures",
        "context",
        "fuses",
        "handle",
        "kernels",
        "limits",
        "lowers",
        "memory",
        "pins",
        "stale",
        "stream",
        "table",
    )

    def __init__(
        self,
        context: Context,
        tables: tuple[KernelTable, ...],
        serving: Callable[[Context], "Device"],
    ) -> None:
        self.context = context
        self._serving = serving
        self.table = tables[0]
        self.memory = self.table.memory
        # Without it, each call's results are freed to the system and faulted in again: 13,000 page
        # faults and 33 ms of 240 in an eager training step of ResNet-18 (16 images of 64 by 64).
        self.memory.retain()
        self.pins: PinningMemory | None = _pinning(self.memory)
        """The memory, if it supports page-locked buffers."""
        self.handle = self.table.device(KINDS[context.device_type], context.device_id)
        # Fusion, capture and rewriting exchange buffers with the kernels of this table.
        sharing = [table for table in tables if shares_buffers(self.table, table)]
        waits = is_asked_for()
        wait = partial(self.table.synchronize, self.handle)
        checks = isinstance(self.table, CheckedTable)
        self.kernels = Kernels(
            tables, wait if waits else None, checks=checks, handle=self.handle, watched=self
        )
        """All kernels, for compiled programs."""
        self.calls = Calls(self.kernels, context, serving)
        """All kernels, for eager calls, while the table serves the calling thread."""
        # With HY_DEBUG=sync each kernel is waited for, so that nothing may be fused or captured.
        self.fuses: FusingTable | None = None if waits else _first_with(sharing, "fuse")
        """The table that fuses pointwise steps, if there is one."""
        self.captures: CapturingTable | None = None if waits else _first_with(sharing, "capture")
        """The table that captures work for replay, as CUDA graphs do, if there is one."""
        if self.captures and KINDS[context.device_type] not in self.captures.capture_types:
            self.captures = None
        self.lowers: LoweringTable | None = _first_with(sharing, "rewritings")
        """The table that rewrites graphs, if there is one."""
        limited: LimitedTable | None = _first_with(sharing, "limits")
        self.limits: Limits = Unplanned() if limited is None else limited.limits
        """Hardware limits by which graphs are planned."""
        self._threaded: ThreadedTable | None = _first_with(sharing, "together")
        self.buffer_type = self.table.buffer_type
        self.stream: Any = None
        """The random generator, created on the first draw; see :mod:`hy_ndarray.random`."""
        self.stale = False
        """Whether no thread uses the table any more; programs compiled for it may be dropped."""
        self._watch = watch_of(context)
        instrumentation.subscribe(self)

    def observe(self, observer: instrumentation.Observer | None) -> None:
        """Wrap all kernels by an observer from now on; None: stop wrapping them."""
        if observer is None:
            self.kernels.wrap(None)
        else:
            self.kernels.wrap(lambda kernel, name: observer.eager(kernel, name, self))
        # Its functions were taken from self.kernels before they were wrapped.
        self.calls.clear()

    @property
    def writes(self) -> int:
        """Return a counter that changes whenever a watched buffer is overwritten."""
        return self._watch.writes

    def wrote_since(self, writes: int, buffers: Sequence[Buffer]) -> bool:
        """Return whether these buffers were written since :attr:`writes` had the given value."""
        spans = [self.memory.span(buffer) for buffer in buffers]
        return self._watch.wrote_since(writes, spans)

    def watch(self, watcher: object, buffers: Sequence[Buffer]) -> None:
        """Count writes to the memory of these buffers in :attr:`writes`, while ``watcher`` lives.

        They replace the buffers that ``watcher`` watched before.
        """
        self._watch.add(watcher, [self.memory.span(buffer) for buffer in buffers])

    def share(self, buffer: Buffer) -> None:
        """Record that another library shares a buffer's memory, and may write to it unnoticed."""
        owner: Any = buffer
        # The owner of the memory lives as long as any view of it, the buffer perhaps not.
        for name in ("base", "_base"):  # of numpy's views, and of torch's
            while hasattr(parent := getattr(owner, name, None), "__dlpack__"):
                owner = parent
        self._watch.share(owner, self.memory.span(buffer))
        self.wrote(buffer)

    def is_shared(self, buffers: Sequence[Buffer]) -> bool:
        """Return whether one of these buffers shares memory with another library."""
        return self._watch.is_shared([self.memory.span(buffer) for buffer in buffers])

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run independent tasks, in parallel if the table supports it; return their results."""
        if self._threaded is None:
            return [task() for task in tasks]
        return self._threaded.together(tasks)

    def write(self, target: Buffer, value: Buffer) -> None:
        """Overwrite the content of ``target`` with ``value``, broadcast and cast to fit."""
        self.memory.write(target, value)
        # After the write, so that reading first the counter and then the content misses no change.
        self.wrote(target)

    def wrote(self, *targets: Buffer) -> None:
        """Record that buffers were overwritten, for caches that watch them."""
        watch = self._watch
        # Most programs watch nothing, and to find the span of a buffer takes longer than to ask.
        if watch.spans is None:
            return
        for target in targets:
            watch.note(*self.memory.span(target))

    def source(self, kernel: str) -> str:
        """Return the name of the table whose kernel runs on this device, or ``"composition"``."""
        return COMPOSITION if self.kernels.is_composed(kernel) else self._source(kernel).name

    def borrowed(self, kernel: str, dtypes: Sequence[str]) -> str:
        """Return a note on the table to which a kernel is delegated; empty if it is not."""
        if self.kernels.is_composed(kernel):
            return ""
        table: Any = self._source(kernel)
        if not shares_buffers(self.table, table):
            return carrying_note(table)
        if not hasattr(table, "borrowed"):
            return ""
        reason: str = table.borrowed(kernel, KINDS[self.context.device_type], dtypes)
        return reason

    def _source(self, kernel: str) -> KernelTable:
        self.kernels[kernel]  # raises the error that names the tables tried
        return next(t for t in self.kernels.tables if t.find(kernel) is not None)

    @property
    def serves(self) -> bool:
        """Return whether the device's table serves the context in this thread or task."""
        return not self.calls.guarded or self.calls.serve()

    def __reduce__(self) -> tuple[Any, ...]:
        return self._serving, (self.context,)  # unpickled as the device serving the context there

    def __repr__(self) -> str:
        return f"<Device {self.context} on table {self.table.name!r}>"
