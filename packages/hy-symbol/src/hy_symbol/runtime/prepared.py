"""PreparedValues: what follows from parameters alone, kept until one of these is overwritten."""

from collections.abc import Mapping, Sequence
from operator import is_

from hy_ndarray import Buffer, Device, NDArray
from hy_symbol.graph.node import Entry, Graph
from hy_symbol.passes.constants import evaluate

__all__ = ["PreparedValues"]


class _Kept:
    """What :attr:`Device.writes` was, what was read, and what follows from it, if computed."""

    __slots__ = ("buffers", "used", "values", "writes")

    def __init__(self, writes: int, buffers: list[Buffer], values: list[NDArray] | None) -> None:
        self.writes = writes
        self.buffers = buffers
        self.values = values
        self.used = False
        """Whether somebody asked for the values after they had been computed."""


class PreparedValues:
    """Entries that depend on parameters alone, and their values on each device.

    Args:
        entries: By name.

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> weight = nd.array([4, 9])
        >>> roots = PreparedValues({"root": sym.sqrt(sym.var("w")).graph.outputs[0]})
        >>> roots.prepare(weight.device, [weight], [weight.buffer])[0].asnumpy()
        array([2., 3.], dtype=float32)
        >>> roots.known(weight.device, [weight.buffer]) is not None
        True
        >>> weight[0] = 1
        >>> roots.known(weight.device, [weight.buffer]) is None
        True
    """

    def __init__(self, entries: Mapping[str, Entry]) -> None:
        self._entries = dict(entries)
        self.variables = [node.name for node in Graph(tuple(entries.values())).variables]
        """Names of the parameters, in the order in which arrays and buffers are given."""
        self._kept: dict[Device, _Kept] = {}

    def known(self, device: Device, buffers: Sequence[Buffer]) -> list[NDArray] | None:
        """What was computed from these buffers, if nothing was overwritten since then."""
        kept = self._of(device, buffers)
        if kept is None:
            return None
        kept.used = True
        return kept.values

    def pay(self, device: Device, buffers: Sequence[Buffer]) -> bool:
        """Whether values that are not known are worth being computed.

        They are not where parameters are overwritten before each use: not until the same buffers
        are met twice in a row. They never are where another library may write to them unseen.
        """
        if device.is_shared(buffers):
            return False
        last = self._kept.get(device)
        if last is None or (last.used and last.values is not None):
            return True
        if self._of(device, buffers) is not None:
            return True
        self._keep(device, buffers, None, self._watched(device, buffers))
        return False

    def _of(self, device: Device, buffers: Sequence[Buffer]) -> _Kept | None:
        kept = self._kept.get(device)
        if kept is None or kept.writes != device.writes:
            return None
        return kept if all(map(is_, kept.buffers, buffers)) else None

    def prepare(
        self, device: Device, arrays: Sequence[NDArray], buffers: Sequence[Buffer]
    ) -> list[NDArray]:
        """Compute the values, one for each entry, from the arrays, whose buffers these are."""
        writes = self._watched(device, buffers)
        # Arrays of its own: other threads may hand those over to other tables meanwhile.
        own = [type(x).from_buffer(y, device) for x, y in zip(arrays, buffers, strict=True)]
        known = dict(zip(self.variables, own, strict=True))
        values = list(evaluate(self._entries, known).values())
        self._keep(device, buffers, values, writes)
        return values

    def _watched(self, device: Device, buffers: Sequence[Buffer]) -> int:
        writes = device.writes  # before anything is read
        device.watch(self, buffers)
        return writes

    def _keep(
        self,
        device: Device,
        buffers: Sequence[Buffer],
        values: list[NDArray] | None,
        writes: int,
    ) -> None:
        for old in [old for old in self._kept if old.stale]:
            self._kept.pop(old, None)
        self._kept[device] = _Kept(writes, [*buffers], values)
