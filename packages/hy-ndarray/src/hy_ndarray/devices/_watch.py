"""Watches: counters of writes to memory, by which caches of derived values are invalidated."""

import threading
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import count
from math import inf
from typing import TypeAlias
from weakref import ref

from hy_ndarray.devices._context import Context

_Span: TypeAlias = tuple[int, int]
_MAX_WATCHED = 1 << 12
"""Maximal number of spans whose last write is remembered."""


class Watch:
    """Set of watched address ranges (spans), and a counter of writes to them.

    All kernel tables that use the memory share one watch: a write by any of them counts.
    """

    __slots__ = (
        "_changes",
        "_floor",
        "_lock",
        "_shared",
        "_watchers",
        "_written",
        "spans",
        "writes",
    )

    def __init__(self) -> None:
        self._written: dict[_Span, int] = {}
        """The counter value of the last recorded write to each span."""
        self._floor: float = 0
        """Counter value before which writes are forgotten."""
        self.writes = 0
        """Counter that changes when a watched span is written to."""
        self.spans: tuple[list[int], list[int]] | None = None
        """Sorted starts and ends of disjoint watched ranges; None: nothing is watched."""
        self._changes = count(1)
        self._lock = threading.Lock()
        self._watchers: dict[ref[object], list[_Span]] = {}
        self._shared: dict[int, tuple[ref[object], _Span]] = {}

    def add(self, watcher: object, spans: list[_Span]) -> None:
        """Watch spans while ``watcher`` lives; they replace its former ones."""
        with self._lock:  # concurrent calls must not drop each other's watchers
            # References to one object are equal, so that the new spans replace those of the
            # watcher.
            alive = {who: old for who, old in self._watchers.items() if who() is not None}
            self._watchers = {**alive, ref(watcher): spans}
            merged = _merged(span for each in self._watchers.values() for span in each)
            starts, ends = [start for start, _ in merged], [end for _, end in merged]
            # Assigned as a whole, never changed in place: note() reads it without the lock.
            self.spans = (starts, ends) if starts else None

    def note(self, start: int, end: int) -> bool:
        """Count a write to an address range if part of it is watched; return whether it is."""
        spans = self.spans  # read once, as another thread may replace it
        if spans is None:
            return False
        starts, ends = spans
        # Spans are sorted and disjoint, so that those which overlap the range are consecutive.
        last = bisect_left(starts, end)
        first = bisect_right(ends, start)
        if first >= last:
            return False
        number = next(self._changes)  # unique, also between threads
        self._written.update({(starts[k], ends[k]): number for k in range(first, last)})
        self.writes = number  # set last: whoever sees the new value finds the spans
        if len(self._written) > _MAX_WATCHED:
            self._forget()
        return True

    def _forget(self) -> None:
        """Forget all recorded writes; concurrent queries then report a write."""
        # Infinity meanwhile: a query between the next two lines must not miss a forgotten write.
        self._floor = inf
        self._written = {}
        self._floor = next(self._changes)

    def wrote_since(self, number: int, spans: Iterable[_Span]) -> bool:
        """Return whether one of these spans was written since :attr:`writes` was ``number``.

        Also True if writes of that time are forgotten.
        """
        # A copy, as other threads add entries during the loop below.
        written = self._written.copy()
        if number < self._floor:  # read after the copy: it is raised before writes are forgotten
            return True
        later = [span for span, last in written.items() if last > number]
        return any(a < end and start < b for start, end in spans for a, b in later)

    def share(self, owner: object, span: _Span) -> None:
        """Record that another library may write to memory unnoticed, while ``owner`` lives.

        After that the memory belongs to the other library alone, or has been freed.
        """
        shared, key = self._shared, id(owner)  # numpy's arrays have no hash
        shared[key] = ref(owner, lambda _: shared.pop(key, None)), span

    def is_shared(self, spans: Iterable[_Span]) -> bool:
        """Return whether another library may write to part of these address ranges."""
        shared = [span for _, span in self._shared.copy().values()]
        return any(a < end and start < b for start, end in spans for a, b in shared)


def _merged(spans: Iterable[_Span]) -> list[_Span]:
    """Return the union of spans as sorted, disjoint spans."""
    merged: list[_Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(merged[-1][1], end)
        else:
            merged.append((start, end))
    return merged


_watches: dict[tuple[str, int], Watch] = {}


def watch_of(context: Context) -> Watch:
    """Return the watch of a context's memory; all CPU contexts share one."""
    key = ("gpu", context.device_id) if context.device_type == "gpu" else ("cpu", 0)
    # setdefault is atomic: threads that ask at once get the same watch.
    return _watches.setdefault(key, Watch())
