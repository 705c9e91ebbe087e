"""Recent: an LRU cache."""

from collections.abc import Iterator
from itertools import count
from typing import Generic, TypeVar

__all__ = ["Recent"]

K = TypeVar("K")
V = TypeVar("V")
_ticks = count()


class _Entry(Generic[V]):
    __slots__ = ("used", "value")

    def __init__(self, value: V) -> None:
        self.value = value
        self.used = next(_ticks)


class Recent(Generic[K, V]):
    """LRU cache: a mapping that drops the least recently used value when it is full.

    Any thread may read without a lock; callers of :meth:`add` hold the setup lock.

    Args:
        limit: Maximal number of values.

    Example:
        >>> recent = Recent(2)
        >>> recent.add("a", 1); recent.add("b", 2)
        >>> recent.get("a")
        1
        >>> recent.add("c", 3)
        >>> recent.get("b"), list(recent.values())
        (None, [1, 3])
    """

    __slots__ = ("_entries", "_last", "_limit")

    def __init__(self, limit: int) -> None:
        self._entries: dict[K, _Entry[V]] = {}
        self._limit = limit
        self._last: _Entry[V] | None = None

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        last = self._last
        if entry is not last:  # one that is used again and again needs no note of it
            # The previous entry's last use is recorded now, as repeated uses of one entry are not.
            if last is not None:
                last.used = next(_ticks)
            entry.used = next(_ticks)
            self._last = entry
        return entry.value

    def add(self, key: K, value: V) -> None:
        """Add a value, dropping the least recently used one if the cache is full."""
        if self._last is not None:
            self._last.used = next(_ticks)
        if key not in self._entries and len(self._entries) >= self._limit:
            # Linear time, but only when a value was created, which takes longer; in return reading
            # needs no lock and no reordering.
            oldest = min(self._entries, key=lambda k: self._entries[k].used)
            del self._entries[oldest]
        self._entries[key] = self._last = _Entry(value)

    def values(self) -> Iterator[V]:
        """Return all values; the caller holds the setup lock."""
        return (entry.value for entry in self._entries.values())
