"""WorkerStore: base class of stores of several workers."""

from collections.abc import Sequence

from hy_gluon.kvstore.interface import KVStoreBase
from hy_gluon.kvstore.workers import Workers

__all__ = ["WorkerStore"]


class WorkerStore(KVStoreBase):
    """Base class of stores of several workers, which all call the same methods in one order."""

    _workers: Workers

    @property
    def rank(self) -> int:
        """Index of this worker, from 0."""
        return self._workers.rank

    @property
    def num_workers(self) -> int:
        """Number of workers."""
        return self._workers.count

    def any_of_workers(self, flags: Sequence[bool]) -> list[bool]:
        """Return for each flag whether it is set on any worker; all workers must call it."""
        self._workers.agree(("flags", len(flags)))
        return [bool(flag) for flag in self._workers.any(flags)]

    def barrier(self) -> None:
        """Wait until all workers reach this call."""
        self._workers.agree("barrier")
