"""Prepared values: computed from parameters only, and cached until a parameter is overwritten."""

from collections.abc import Mapping, Sequence

from hy_ndarray import Buffer, Device, NDArray, buffers_of
from hy_symbol.execution.setup_lock import release_stale, setup_lock
from hy_symbol.graph.node import Entry, Graph
from hy_symbol.passes.backends import Optimized
from hy_symbol.passes.constants import evaluate
from hy_symbol.regions.following import Following

__all__ = ["PreparedInputs", "PreparedValues"]


class PreparedValues(Following[list[NDArray]]):
    """Values that depend on parameters only, cached for each device.

    Args:
        entries: The graph entries to compute, by name.

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
        super().__init__()
        self._entries = dict(entries)
        self.variables = [node.name for node in Graph(tuple(entries.values())).variables]
        """Names of the parameters, in the order in which arrays and buffers are given."""

    def prepare(
        self, device: Device, arrays: Sequence[NDArray], buffers: Sequence[Buffer]
    ) -> list[NDArray]:
        """Compute and cache the values on a device, and watch the buffers for writes.

        Args:
            device: The device, whose later calls of :meth:`known` find the values.
            arrays: The parameters, in the order of :attr:`variables`.
            buffers: The buffer of each parameter on ``device``.

        Returns:
            The values, in the order of the entries.
        """
        # Watched before they are read: a write while values are computed counts as one after.
        writes = self.watched(device, buffers)
        # New arrays on the same buffers, as other threads may move the originals to other tables
        # meanwhile.
        own = [type(x).from_buffer(y, device) for x, y in zip(arrays, buffers, strict=True)]
        known = dict(zip(self.variables, own, strict=True))
        values = list(evaluate(self._entries, known).values())
        self.keep(device, buffers, values, writes)
        return values


class PreparedInputs:
    """Inputs of an optimized graph, computed from those of the original graph.

    Values that depend on parameters are recomputed after a write to an array of the device. If
    writes happen before every call, nothing is prepared until two calls in a row find the same
    buffers.

    Args:
        names: Names of the inputs of the original graph, in order.
        plan: The optimized graph, with the values it needs.
    """

    def __init__(self, names: Sequence[str], plan: Optimized) -> None:
        self._arrays = plan.arrays
        position = {name: i for i, name in enumerate((*names, *plan.arrays, *plan.prepared))}
        self._order = [position[node.name] for node in plan.graph.variables]
        self.values = PreparedValues(plan.prepared)
        self._taken = [position[name] for name in self.values.variables]
        self._fixed: dict[Device, list[NDArray]] = {}

    def of(
        self, arrays: Sequence[NDArray], device: Device, *, always: bool = True
    ) -> list[NDArray] | None:
        """Return the inputs of the optimized graph on a device, from those of the original graph.

        Args:
            arrays: One array for each input of the original graph.
            device: The device on which the graph runs.
            always: If False, return None where parameters change before every call, so that
                preparing values does not pay off.
        """
        fixed = self._fixed_on(device) if self._arrays else []
        arguments = [*arrays, *fixed]
        if self._taken:
            taken = [arguments[i] for i in self._taken]
            values = self._prepared_values(taken, buffers_of(taken, device)[1], device, always)
            if values is None:
                return None
            arguments += values
        return [arguments[i] for i in self._order]

    def _fixed_on(self, device: Device) -> list[NDArray]:
        fixed = self._fixed.get(device)
        if fixed is None:
            with setup_lock():
                release_stale(self._fixed)
                fixed = [x.as_in_context(device.context) for x in self._arrays.values()]
                self._fixed[device] = fixed
        return fixed

    def _prepared_values(
        self, taken: Sequence[NDArray], buffers: Sequence[Buffer], device: Device, always: bool
    ) -> list[NDArray] | None:
        values = self.values.known(device, buffers)
        if values is not None:
            return values
        with setup_lock():  # what is watched and what is cached belong together
            # Another thread may have computed them while this one waited.
            values = self.values.known(device, buffers)
            if values is None and (always or self.values.is_profitable(device, buffers)):
                values = self.values.prepare(device, taken, buffers)
            return values
