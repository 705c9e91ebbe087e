"""Following: cache of values computed from buffers, valid until a buffer is overwritten."""

from collections.abc import Sequence
from operator import is_
from typing import Generic, TypeVar

from hy_ndarray import Buffer, Device

__all__ = ["Following"]

V = TypeVar("V")


class _Cached(Generic[V]):
    """Cached value with its source buffers, and the write count up to which it is valid."""

    __slots__ = ("buffers", "used", "values", "writes")

    def __init__(self, writes: int, buffers: list[Buffer], values: V | None) -> None:
        self.writes = writes
        """:attr:`Device.writes` when it was last checked that no buffer has been overwritten."""
        self.buffers = buffers
        self.values = values
        self.used = False
        """Whether the value was used since it was computed."""


class Following(Generic[V]):
    """Cache, per device, of a value computed from buffers; invalid once a buffer is overwritten.

    To compute a value, call :meth:`watched` before reading the buffers, and :meth:`keep`
    afterwards.

    Example:
        >>> from hy_ndarray import nd
        >>> weight = nd.array([4, 9])
        >>> sums: Following[float] = Following()
        >>> writes = sums.watched(weight.device, [weight.buffer])
        >>> sums.keep(weight.device, [weight.buffer], 13.0, writes)
        >>> sums.known(weight.device, [weight.buffer])
        13.0
        >>> weight[0] = 1
        >>> sums.known(weight.device, [weight.buffer]) is None
        True
    """

    def __init__(self) -> None:
        self._cached: dict[Device, _Cached[V]] = {}

    def known(self, device: Device, buffers: Sequence[Buffer]) -> V | None:
        """Return the cached value of these buffers, None if missing or a buffer was overwritten."""
        cached = self._of(device, buffers)
        if cached is None:
            return None
        cached.used = True
        return cached.values

    def last(self, device: Device) -> V | None:
        """Return the value that was cached last, even if it is no longer valid."""
        cached = self._cached.get(device)
        return None if cached is None else cached.values

    def is_profitable(self, device: Device, buffers: Sequence[Buffer]) -> bool:
        """Return whether recomputing a missing value is worth its cost.

        False while parameters are overwritten before each use, until two calls in a row find the
        same buffers. Always False if another library may write to the buffers unnoticed.
        """
        if device.is_shared(buffers):
            # Another library may write to this memory unseen.
            return False
        last = self._cached.get(device)
        # Recomputed at once only if the last value was used; else when the same buffers are seen
        # again.
        if last is None or (last.used and last.values is not None):
            return True
        if self._of(device, buffers) is not None:
            return True
        self.keep(device, buffers, None, self.watched(device, buffers))
        return False

    def _of(self, device: Device, buffers: Sequence[Buffer]) -> _Cached[V] | None:
        cached = self._cached.get(device)
        # By identity: an array with other memory is another value.
        if cached is None or not all(map(is_, cached.buffers, buffers)):
            return None
        writes = device.writes
        if cached.writes != writes:
            if device.wrote_since(cached.writes, buffers):
                return None
            cached.writes = writes  # it was other memory
        return cached

    def watched(self, device: Device, buffers: Sequence[Buffer]) -> int:
        """Start watching buffers; return the device's write count, to pass to :meth:`keep`."""
        writes = device.writes  # before anything is read
        device.watch(self, buffers)
        return writes

    def keep(
        self, device: Device, buffers: Sequence[Buffer], values: V | None, writes: int
    ) -> None:
        """Cache a computed value; with None, record its buffers only."""
        # Devices of tables that were replaced are forgotten.
        for old in [old for old in self._cached if old.stale]:
            self._cached.pop(old, None)
        self._cached[device] = _Cached(writes, [*buffers], values)
