"""ShardedSums: sums of gradients over workers, each begun as soon as its gradients are there."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from operator import is_
from typing import Any

import numpy as np

from hy_gluon.kvstore.sharding import Shards
from hy_gluon.kvstore.workers import Workers
from hy_ndarray import NDArray

__all__ = ["ShardedSums"]

# Small enough that several are sent while a large net is differentiated; PyTorch's DDP has 25 MB.
_GROUP_BYTES = 8 << 20
"""Bytes of gradients whose sums begin together."""


@dataclass(slots=True)
class _Group:
    """Gradients whose sums begin together."""

    members: list[int] = field(default_factory=list)
    missing: set[int] = field(default_factory=set)
    """Members that are not computed yet."""


class ShardedSums:
    """Sums of gradients over workers, onto the workers that have their rows.

    Gradients form groups in the reverse order of their keys, as a backward pass computes those of
    later layers first. The sums of a group begin when all its gradients and all groups before it
    are there: so collectives have the same order on all workers, whatever the order in which each
    computes its gradients.

    Args:
        workers: The workers; all must sum the same gradients.
        shards: Rows of the parameters by worker.
        keys: Keys of the parameters.
        gradients: A gradient for each key, dense.
        scale: By which the optimizer multiplies the sums, the same on all workers.
    """

    def __init__(
        self,
        workers: Workers,
        shards: Shards,
        keys: Sequence[Any],
        gradients: Sequence[NDArray],
        scale: float,
    ) -> None:
        self._workers = workers
        self.shards = shards
        self.scale = scale
        self._keys = [*keys]
        self._gradients = [*gradients]
        self._groups: list[_Group] = []
        self._group_of: dict[int, _Group] = {}
        self._begun = 0
        self._pending: list[list[Callable[[], None]]] = [[] for _ in range(workers.count)]
        size = _GROUP_BYTES
        for i in reversed(range(len(gradients))):
            if size >= _GROUP_BYTES:
                self._groups.append(_Group())
                size = 0
            size += gradients[i].size * np.dtype(gradients[i].dtype).itemsize
            group = self._group_of[i] = self._groups[-1]
            group.members.append(i)
            group.missing.add(i)

    @property
    def is_pending(self) -> bool:
        """Return whether a sum has begun that nobody has waited for."""
        return any(self._pending)

    def are_of(self, keys: Sequence[Any], gradients: Sequence[NDArray]) -> bool:
        """Return whether these are the sums of such gradients."""
        return self._keys == [*keys] and all(map(is_, self._gradients, gradients))

    def add(self, number: int) -> None:
        """Note that a gradient is computed, and begin the sums that waited for it alone."""
        self._group_of[number].missing.discard(number)
        while self._begun < len(self._groups) and not self._groups[self._begun].missing:
            self._begin(self._groups[self._begun])
            self._begun += 1

    def add_all(self) -> None:
        """Note that all gradients are computed, and begin all sums that have not begun."""
        for number in range(len(self._gradients)):
            self.add(number)

    def finish(self, rank: int) -> None:
        """Wait for the sums onto a worker; on that worker, gradients then contain these."""
        pending, self._pending[rank] = self._pending[rank], []
        for finish in pending:
            finish()

    def finish_all(self) -> None:
        """Wait for all sums that have begun."""
        for rank in range(self._workers.count):
            self.finish(rank)

    def _begin(self, group: _Group) -> None:
        shards = Shards(tuple(self.shards.rows[i] for i in group.members))
        gradients = [self._gradients[i] for i in group.members]
        for rank, pending in enumerate(self._pending):
            rows = shards.of_worker(gradients, rank)
            pending.append(self._workers.begin_sum(rows, rank))
