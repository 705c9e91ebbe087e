"""OptimizedOp: a traced graph that predicts with a version optimized by backends."""

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
    """CachedOp with a second graph, optimized by backends, for predictions.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: See :class:`CachedOp`.
        plan: Function that optimizes the graph for a device; called on first use.
        planned: True if the optimized graph results from the lowering rules of the device's kernel
            table. The traced graph then predicts if the table has no rules, gradients are recorded,
            or a hook is set. False if the user selected the backends: hooks then see the optimized
            graph, and ``export`` writes it, except for regions run by backends, which are written
            as traced.
        early: Number of first predictions that run the traced graph, because optimizing and
            preparing the parameters costs more than several runs.
        inference_cache: See :class:`CachedOp`.
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
        """Whether parameters changed before each of the last predictions."""

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
        """Return a table of how the graph runs; in prediction mode, the optimized graph."""
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
        """Pass each output to ``callback``; with requested backends also of the optimized graph."""
        super().monitor(callback, monitor_all)
        if not self._planned:
            self.prediction().op.monitor(callback, monitor_all)

    @property
    def is_requested(self) -> bool:
        """Return whether the user selected the backends, rather than the kernel table's rules."""
        return not self._planned

    def prediction(self, device: Device | None = None) -> "_Prediction":
        """Return the optimized graph for a device, created on first use.

        Args:
            device: Device to run on; that of the current context if None.
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
        """Return whether this prediction still runs the traced graph, as the first few do.

        Each such call reduces the number of remaining ones.
        """
        if self._early <= 0:
            return False
        # Threads may both count one run here: one prediction more is early then.
        self._early -= 1
        return instrumentation.watch.observer is None and not self._options.captures(device)

    def _device_of(self, args: Sequence[NDArray]) -> Device:
        """Return the device that serves the context of the arrays in this thread."""
        if not args:
            return device_of(current_context())
        device = args[0].device
        return device if device.serves else device_of(device.context)

    def _predicts(self, args: Sequence[NDArray], device: Device) -> bool:
        """Return whether a call in the current mode runs the optimized graph."""
        if autograd.is_training():
            return False
        if not self._planned:
            return not (autograd.is_recording() and any(array.in_graph for array in args))
        # Monitors see the graph that the user wrote, not the lowered one.
        return not (self._monitor is not None or autograd.is_recording() or device.lowers is None)


class _Prediction:
    """The optimized graph with its runner and its prepared inputs."""

    def __init__(self, traced: CachedOp, plan: Optimized) -> None:
        self.symbol = Symbol(plan.graph)
        self._plan = plan
        self.left = plan.left
        """See :attr:`Explanation.left`."""
        names = traced.symbol.list_inputs()
        data = {names[i] for i in traced.varying}
        donated = {names[i] for i in traced.flags.get("donated", ())}
        inputs = self.symbol.list_inputs()
        flags = {
            **traced.flags,
            "data_indices": [i for i, name in enumerate(inputs) if name in data],
            "donated": [i for i, name in enumerate(inputs) if name in donated],
        }
        # Its own CachedOp: plans of the lowered graph are apart from those of the traced one.
        self.op = CachedOp(self.symbol, [*flags.items()], traced.inference_cache)
        self.inputs = PreparedInputs(names, plan)
        self.origins = plan.origins
        """See :attr:`Optimized.origins`."""

    def extra_arrays(self, arrays: Mapping[str, NDArray]) -> dict[str, NDArray]:
        """Return by name the arrays of the inputs that only the optimized graph has.

        Args:
            arrays: Values of the parameters, by name, from which they are computed.
        """
        known = {**arrays, **self._plan.arrays}
        return {**self._plan.arrays, **evaluate(self._plan.prepared, known)}
