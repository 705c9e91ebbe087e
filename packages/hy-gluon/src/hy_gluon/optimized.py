"""OptimizedOp: a traced graph, with another one for prediction that backends made of it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_gluon._setup import setup_lock
from hy_gluon.cached_op import CachedOp
from hy_ndarray import Buffer, Device, NDArray, autograd
from hy_symbol import Explanation, Node, Symbol
from hy_symbol.backends import Optimized
from hy_symbol.passes import evaluate

__all__ = ["OptimizedOp", "PlannedOp"]

_Kept = tuple[int, list[Buffer], list[NDArray]]


class OptimizedOp(CachedOp):
    """Trains with a graph, and predicts with what backends made of it.

    Values that the optimized graph needs and that follow from parameters are computed again only
    after some array of the device was overwritten.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: As for :class:`CachedOp`.
        plan: What backends made of it.
    """

    def __init__(self, sym: Symbol, flags: Sequence[tuple[str, Any]], plan: Optimized) -> None:
        super().__init__(sym, flags)
        self.optimized = Symbol(plan.graph)
        names = sym.list_inputs()
        position = {name: i for i, name in enumerate(names)}
        self._plan = plan
        self._setup = _setup(plan)
        self._fixed: dict[Device, list[NDArray]] = {}
        self._kept: dict[Device, _Kept] = {}
        own = {node.name for node in self._setup_variables()}
        self._used = [position[name] for name in names if name in own]
        last = len(names)
        for name in (*plan.arrays, *plan.prepared):
            position[name] = last
            last += 1
        wanted = self.optimized.list_inputs()
        self._order = [position[name] for name in wanted]
        data = {names[i] for i in self._varying}
        chosen = [i for i, name in enumerate(wanted) if name in data]
        self._prediction = CachedOp(self.optimized, [*flags, ("data_indices", chosen)])

    def __call__(self, *args: NDArray) -> Any:
        """Outputs for one array per input; see :class:`CachedOp`."""
        if autograd.is_training() or (
            autograd.is_recording() and any(array.in_graph for array in args)
        ):
            return super().__call__(*args)
        values = [*args, *self._extra(args)]
        return self._prediction(*[values[i] for i in self._order])

    def explain(self, *args: NDArray, profile: bool = False) -> Explanation:
        """As of :class:`CachedOp`; in prediction of the optimized graph."""
        if autograd.is_training() or (
            autograd.is_recording() and any(array.in_graph for array in args)
        ):
            return super().explain(*args, profile=profile)
        values = [*args, *self._extra(args)]
        return self._prediction.explain(*[values[i] for i in self._order], profile=profile)

    def monitor(
        self, callback: Callable[[str, str, NDArray], None], monitor_all: bool = False
    ) -> None:
        """As of :class:`CachedOp`; in prediction it is shown the optimized graph."""
        super().monitor(callback, monitor_all)
        self._prediction.monitor(callback, monitor_all)

    def extra_arrays(self, arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Values, by name, of the inputs that only the optimized graph has.

        Args:
            arrays: Values of the parameters by name.
        """
        known = {**arrays, **self._plan.arrays}
        return {**self._plan.arrays, **evaluate(self._plan.prepared, known)}

    # --- values that follow from parameters -------------------------------------------------

    def _setup_variables(self) -> list[Node]:
        return [] if self._setup is None else list(self._setup.symbol.graph.variables)

    def _extra(self, args: Sequence[NDArray]) -> list[NDArray]:
        """The arrays behind ``args``: fixed ones, and those that follow from parameters."""
        if not self._plan.arrays and self._setup is None:
            return []
        device = args[0].device
        fixed = self._fixed.get(device)
        if fixed is None:
            arrays = self._plan.arrays.values()
            fixed = self._fixed[device] = [x.as_in_context(device.context) for x in arrays]
        if self._setup is None:
            return fixed
        return [*fixed, *self._prepared(device, args, fixed)]

    def _prepared(
        self, device: Device, args: Sequence[NDArray], fixed: Sequence[NDArray]
    ) -> list[NDArray]:
        buffers = [args[i].buffer for i in self._used]
        values = self._kept_values(device, buffers)
        if values is None:
            with setup_lock():  # what is watched and what is kept belong together
                values = self._kept_values(device, buffers)
                if values is None:
                    values = self._prepare(device, args, fixed, buffers)
        return values

    def _kept_values(self, device: Device, buffers: Sequence[Buffer]) -> list[NDArray] | None:
        """What was computed from these buffers, if nothing was overwritten since then."""
        kept = self._kept.get(device)
        if kept is None or kept[0] != device.writes or not all(map(_same, kept[1], buffers)):
            return None
        return kept[2]

    def _prepare(
        self,
        device: Device,
        args: Sequence[NDArray],
        fixed: Sequence[NDArray],
        buffers: list[Buffer],
    ) -> list[NDArray]:
        writes = device.writes  # before anything is read
        device.watch(self, buffers)
        assert self._setup is not None
        by_name = dict(zip(self._plan.arrays, fixed, strict=True))
        by_name |= {name: args[i] for i, name in self._names()}
        found = self._setup(*[by_name[node.name] for node in self._setup_variables()])
        values = [found] if isinstance(found, NDArray) else list(found)
        self._kept[device] = writes, buffers, values
        return values

    def _names(self) -> list[tuple[int, str]]:
        names = self.symbol.list_inputs()
        return [(i, names[i]) for i in self._used]


class PlannedOp(CachedOp):
    """Predicts with a graph that was planned for the kernels of the device, made when first needed.

    In training, where gradients are recorded, and where a hook watches, the traced graph runs.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: As for :class:`CachedOp`.
        plan: Makes the other graph.
        needed: Name of a kernel that the other graph needs.
    """

    def __init__(
        self,
        sym: Symbol,
        flags: Sequence[tuple[str, Any]],
        plan: Callable[[], Optimized],
        needed: str,
    ) -> None:
        super().__init__(sym, flags)
        self._plan = plan
        self._needed = needed
        self._planned: OptimizedOp | None = None

    def __call__(self, *args: NDArray) -> Any:
        """Outputs for one array per input; see :class:`CachedOp`."""
        if (
            self._monitor is not None
            or autograd.is_training()
            or autograd.is_recording()
            or args[0].device.table.find(self._needed) is None
        ):
            return super().__call__(*args)
        if self._planned is None:
            with setup_lock():
                if self._planned is None:
                    self._planned = OptimizedOp(self.symbol, [*self.flags.items()], self._plan())
        return self._planned(*args)

    def explain(self, *args: NDArray, profile: bool = False) -> Explanation:
        """As of :class:`CachedOp`; in prediction of the planned graph."""
        if self._planned is None or autograd.is_training() or autograd.is_recording():
            return super().explain(*args, profile=profile)
        return self._planned.explain(*args, profile=profile)


def _same(a: Buffer, b: Buffer) -> bool:
    return a is b


def _setup(plan: Optimized) -> CachedOp | None:
    """What computes the prepared values, if there are any."""
    return CachedOp(Symbol.of(*plan.prepared.values())) if plan.prepared else None
