"""OptimizedOp: a traced graph that predicts with a graph optimized by backends."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hy_gluon.execution.cached_op import CachedOp
from hy_ndarray import (
    Device,
    LoweringTable,
    NDArray,
    autograd,
    current_context,
    device_of,
)
from hy_ndarray.devices import instrumentation
from hy_symbol import Explanation, InferenceCache, PreparedInputs, Symbol, setup_lock
from hy_symbol.backends import Optimized
from hy_symbol.execution.report import CHANGES, constants_why
from hy_symbol.passes import evaluate

__all__ = ["OptimizedOp"]


class OptimizedOp(CachedOp):
    """Traced graph for training, and the graph that backends optimized for prediction.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: As for :class:`CachedOp`.
        plan: Makes the other graph for a device, when it is first needed.
        planned: Whether the other graph follows from the rules of the device's kernel table, one
            for each; where a table has none, gradients are recorded or a hook watches, the traced
            graph predicts. If not, the user chose the backends: the other graph is what hooks see,
            and what ``export`` writes, but for parts that backends run, which are written as they
            were.
        early: Number of predictions that the traced graph makes first: to make the other one, and
            what it computes once from parameters, costs more than several runs.
        inference_cache: As for :class:`CachedOp`.
    """

    def __init__(
        self,
        sym: Symbol,
        flags: Sequence[tuple[str, Any]],
        plan: Callable[[Device], Optimized],
        *,
        planned: bool = False,
        early: int = 0,
        inference_cache: InferenceCache | None = None,
    ) -> None:
        super().__init__(sym, flags, inference_cache)
        self._plan = plan
        self._planned = planned
        self._early = early
        # By table: weights that torch packs are no use to numpy.
        self._predictions: dict[LoweringTable | None, _Prediction] = {}
        # While parameters change before each prediction (training with validation in between),
        # preparing them each time costs more than it saves.
        self._changes = False
        """Whether parameters changed before the last prediction, as before those around it."""

    def __call__(self, *args: NDArray, out: Any = None, device: Device | None = None) -> Any:
        """Return the outputs for one array per input; see :class:`CachedOp`."""
        # A scope of `use_kernels` may end in another thread during the call.
        if device is None:
            device = self._device_of(args)
        if out is None and self._predicts(args, device) and not self._defers_on(device):
            prediction = self.prediction(device)
            inputs = prediction.inputs.of(args, device, always=not self._planned)
            self._changes = inputs is None
            if inputs is not None:
                return prediction.op(*inputs, device=device)
        return super().__call__(*args, out=out, device=device)

    def explain(self, *args: NDArray, profile: bool = False) -> Explanation:
        """Return a table of how the graph runs; in prediction of the optimized one."""
        device = self._device_of(args)
        if self._predicts(args, device):
            why = constants_why(self._early) if self._early > 0 else None
            if self._changes:
                why = CHANGES
            if why is not None:
                # Explains what ran, which was the traced graph.
                return replace(super().explain(*args, profile=profile), constants_why=why)
            prediction = self.prediction(device)
            inputs = prediction.inputs.of(args, device)
            assert inputs is not None
            explanation = prediction.op.explain(*inputs, profile=profile).following(
                prediction.origins
            )
            return replace(explanation, left={**prediction.left, **explanation.left})
        return super().explain(*args, profile=profile)

    def monitor(
        self, callback: Callable[[str, str, NDArray], None], monitor_all: bool = False
    ) -> None:
        """Call ``callback`` with each value; in prediction of the optimized graph."""
        super().monitor(callback, monitor_all)
        if not self._planned:
            self.prediction().op.monitor(callback, monitor_all)

    @property
    def is_requested(self) -> bool:
        """Return whether the user requested the backends."""
        return not self._planned

    def prediction(self, device: Device | None = None) -> "_Prediction":
        """Return the optimized graph with its runner.

        Args:
            device: Where it will run; where the current context is, if None.
        """
        target = device_of(current_context()) if device is None else device
        table = target.lowers if self._planned else None
        prediction = self._predictions.get(table)
        if prediction is None:
            with setup_lock():
                # Double-checked, as plans are.
                prediction = self._predictions.get(table)
                if prediction is None:
                    prediction = self._predictions[table] = _Prediction(self, self._plan(target))
        return prediction

    def _defers_on(self, device: Device) -> bool:
        """Return whether an early prediction runs the original graph, without optimizing it."""
        if self._early <= 0:
            return False
        # Threads may both count one run here: one prediction more is early then.
        self._early -= 1
        return instrumentation.watch.observer is None and not self._options.captures(device)

    def _device_of(self, args: Sequence[NDArray]) -> Device:
        """Return the device that serves the arrays in this thread."""
        if not args:
            return device_of(current_context())
        device = args[0].device
        return device if device.serves else device_of(device.context)

    def _predicts(self, args: Sequence[NDArray], device: Device) -> bool:
        """Return whether a call runs the optimized graph."""
        if autograd.is_training():
            return False
        if not self._planned:
            return not (autograd.is_recording() and any(array.in_graph for array in args))
        # Monitors see the graph that the user wrote, not the lowered one.
        return not (self._monitor is not None or autograd.is_recording() or device.lowers is None)


class _Prediction:
    """Graph optimized by backends for prediction, and the arrays that only this graph takes."""

    def __init__(self, traced: CachedOp, plan: Optimized) -> None:
        self.symbol = Symbol(plan.graph)
        self._plan = plan
        self.left = plan.left
        """As of :class:`Explanation`."""
        names = traced.symbol.list_inputs()
        data = {names[i] for i in traced.varying}
        varying = [i for i, name in enumerate(self.symbol.list_inputs()) if name in data]
        # Its own CachedOp: plans of the lowered graph are apart from those of the traced one.
        self.op = CachedOp(
            self.symbol, [*traced.flags.items(), ("data_indices", varying)], traced.inference_cache
        )
        self.inputs = PreparedInputs(names, plan)
        self.origins = plan.origins
        """As of :class:`Optimized`."""

    def extra_arrays(self, arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Return by name the values of inputs that only this graph has.

        Args:
            arrays: Values of the parameters by name.
        """
        known = {**arrays, **self._plan.arrays}
        return {**self._plan.arrays, **evaluate(self._plan.prepared, known)}
