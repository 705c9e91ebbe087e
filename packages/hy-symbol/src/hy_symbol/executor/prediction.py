"""Predictions of an executor: the first on the original graph, later ones on an optimized graph."""

from collections.abc import Sequence
from dataclasses import replace

from hy_ndarray import Buffer, Device, NDArray, buffers_of, dtype_name
from hy_symbol.backends import FOLD, Optimized, optimize, prediction_choices
from hy_symbol.execution.cache import ExecutableCache
from hy_symbol.execution.constants import PreparedInputs
from hy_symbol.execution.own_programs import OwnPrograms
from hy_symbol.execution.report import CHANGES, Explanation, constants_why, explained
from hy_symbol.execution.setup_lock import release_stale, setup_lock
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Prediction"]


class Prediction:
    """Predicts on one device; from the second call on with values precomputed from parameters.

    The optimized graph has batch normalisation folded into layers, and convolutions lowered for the
    kernel table. Executors of one graph share all but the precomputed values and memory.

    Args:
        own: The programs of the original graph.
        device: The device on which it runs.
    """

    def __init__(self, own: OwnPrograms, device: Device) -> None:
        self._own = own
        self._executables = own.executables
        self._device = device
        self._is_first = True
        self._why: str | None = constants_why(1)
        """Reason why the last run had no precomputed values."""
        self._inputs: PreparedInputs | None = None
        self._later: OwnPrograms | None = None

    def run(self, arrays: Sequence[NDArray]) -> tuple[Buffer, ...]:
        """Return the outputs for one array per variable."""
        device = self._device
        # The first prediction runs as written: preparing weights is for those that come again.
        if self._is_first:
            self._is_first, self._why = False, constants_why(0)
        else:
            inputs = self._inputs or self._prepared()
            taken = None if inputs is None else inputs.of(arrays, device, always=False)
            self._why = CHANGES if inputs is not None and taken is None else None
            if taken is not None:
                own = self._of_other(taken)
                return own.program(device, False).run(buffers_of(taken, device)[1])
        return self._own.program(device, False).run(buffers_of(arrays, device)[1])

    def explain(self, arrays: Sequence[NDArray], *, profile: bool) -> Explanation:
        """Return an explanation of the last prediction, or of a first one if there was none."""
        device, inputs = self._device, self._inputs or self._prepared()
        if inputs is None or self._why is not None:
            buffers = buffers_of(arrays, device)[1] if profile else None
            explanation = explained(self._own.program(device, False), buffers)
            # A graph that gains nothing from constants is predicted with as it is.
            return replace(explanation, constants_why=None if inputs is None else self._why)
        taken = inputs.of(arrays, device)
        assert taken is not None
        plan, _ = self._executables.prepared[device]
        buffers = buffers_of(taken, device)[1] if profile else None
        program = self._of_other(taken).program(device, False)
        return explained(program, buffers).following(plan.origins)

    def _prepared(self) -> PreparedInputs | None:
        """Return the mapping of arrays to inputs of the optimized graph, None without one."""
        known, device = self._executables.prepared, self._device
        if device not in known:
            with setup_lock():
                release_stale(known)
                plan = _optimized(self._executables.typed, device)
                known[device] = plan and (plan, ExecutableCache(plan.graph))
        if known[device] is not None:
            names = [node.name for node in self._executables.typed.graph.variables]
            self._inputs = PreparedInputs(names, known[device][0])
        return self._inputs

    def _of_other(self, inputs: Sequence[NDArray]) -> OwnPrograms:
        """Return the programs of the optimized graph, typed by ``inputs`` in the first call."""
        if self._later is None:
            known = tuple([(x.shape, dtype_name(x.dtype)) for x in inputs])
            _, cache = self._executables.prepared[self._device]
            with setup_lock():
                self._later = OwnPrograms(cache.at(known), self._own.options)
        return self._later


def _optimized(typed: TypedGraph, device: Device) -> Optimized | None:
    """Return the graph optimized for prediction, None if no values can be precomputed."""
    # Values are computed from variables by name, so each name must be of one variable.
    names = [node.name for node in typed.graph.variables]
    if len(set(names)) < len(names):
        return None
    choices = prediction_choices(typed.graph) or (FOLD,)
    optimized = optimize(
        typed.graph, choices, types=typed.types, arrays={}, parameters=names, device=device
    )
    return optimized if optimized.prepared else None
