"""Bulk size of MXNet's engine, which is stored but has no effect."""

import threading
from typing import Self

from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = ["bulk", "set_bulk_size"]


class _Sizes(threading.local):
    size = 0


_sizes = _Sizes()


def set_bulk_size(size: int) -> int:
    """Set the bulk size of this thread, and return the previous one.

    MXNet puts that number of operators into one task of its engine. hy has no such queue: operators
    run immediately, and hybridized blocks as one program.

    Returns:
        The previous bulk size.

    Example:
        >>> set_bulk_size(10), set_bulk_size(0)
        (0, 10)
    """
    before, _sizes.size = _sizes.size, size
    return before


class _BulkScope:
    """Scope that sets the bulk size, and restores the previous one."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._before = 0

    def __enter__(self) -> Self:
        self._before = set_bulk_size(self._size)
        return self

    def __exit__(self, *_: object) -> None:
        set_bulk_size(self._before)


def bulk(size: int) -> _BulkScope:
    """Return a scope in which :func:`set_bulk_size` is ``size``.

    Example:
        >>> with bulk(10):
        ...     set_bulk_size(10)
        10
    """
    return _BulkScope(size)


_suggest_members(globals())
