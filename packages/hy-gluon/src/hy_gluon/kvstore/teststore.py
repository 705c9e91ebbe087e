"""TestStore: a minimal store, as an example for user-defined ones."""

from hy_gluon.kvstore.interface import (
    KVStoreBase,
    Values,
    checked_capability,
    listed,
    summed,
)
from hy_ndarray import autograd

__all__ = ["TestStore"]


@KVStoreBase.register
class TestStore(KVStoreBase):
    """Minimal store that sums over contexts and stores nothing."""

    def broadcast(self, key: object, value: Values, out: Values, priority: int = 0) -> None:  # noqa: ARG002  # the base's
        """Copy ``value`` into every array of ``out``."""
        with autograd.pause():
            for target in listed(out):
                value.copyto(target)

    def pushpull(self, key: object, value: Values, out: Values = None, priority: int = 0) -> None:  # noqa: ARG002
        """Write the sum of ``value`` into every array of ``out``, or of ``value`` if None."""
        values = listed(value)
        with autograd.pause():
            total = summed(values)
            for target in values if out is None else listed(out):
                total.copyto(target)

    @staticmethod
    def is_capable(capability: str) -> bool:
        """Return False: the store has no capabilities."""
        checked_capability(capability)
        return False

    @property
    def type(self) -> str:
        """Name of the kind of store."""
        return "teststore"

    @property
    def rank(self) -> int:
        """Index of this worker: 0."""
        return 0

    @property
    def num_workers(self) -> int:
        """Number of workers: 1."""
        return 1
