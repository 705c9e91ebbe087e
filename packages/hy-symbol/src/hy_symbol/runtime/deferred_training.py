"""Deferred training: a graph and its gradients computed node by node once, then as programs."""

import threading
from collections.abc import Sequence
from typing import Any

from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol.compile.arena import Pool
from hy_symbol.graph.node import Entry, topological
from hy_symbol.runtime.deferred import computed_once
from hy_symbol.runtime.differentiable import Differentiable, Saved
from hy_symbol.runtime.partition import Partition

__all__ = ["DeferredTraining"]

_MOST = 1 << 25  # bytes saved; with more of them, an arena from the beginning takes less memory


class DeferredTraining:
    """Computes a graph and its gradients.

    The first pass is made node by node, by the kernels of the programs, so that the results are
    the same; but not where there is to be an arena for large values. Several threads may go
    through it at once.

    Args:
        parts: The graph and its gradients, as they run on known types.
        pool: Give the programs one arena in its memory.
    """

    def __init__(self, parts: Partition, pool: Pool | None = None) -> None:
        assert parts.types is not None
        self.parts = parts
        self._types = parts.types
        self._pool = pool
        self._lock = threading.Lock()
        self._programs: Differentiable | None = None
        saved = 0 if pool is None else sum(map(parts.types.nbytes, parts.saved))
        self._defers = self._is_first = self._is_first_back = saved <= _MOST

    @property
    def programs(self) -> Differentiable:
        """The programs, planned now if they were not."""
        with self._lock:
            if self._programs is None:
                self._programs = Differentiable.of_partition(self.parts, pool=self._pool)
            return self._programs

    def run(self, inputs: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], Saved]:
        """As :meth:`Differentiable.run`."""
        programs = self._programs
        if programs is not None:
            return programs.run(inputs)
        with self._lock:
            is_first, self._is_first = self._is_first, False
        if is_first and instrumentation.watch.observer is None:
            outputs = self.parts.outputs
            found = self._once(self.parts.inputs, [*outputs, *self.parts.saved], [*inputs])
            return found[: len(outputs)], Saved(found[len(outputs) :])
        programs = self.programs
        if self._defers:  # they will run again
            programs.forward.compile()
            programs.backward.compile()
        return programs.run(inputs)

    def gradients(
        self,
        head_grads: Sequence[Buffer | None],
        inputs: Sequence[Buffer],
        saved: Saved,
        *,
        last: bool = False,
    ) -> tuple[Any, ...]:
        """As :meth:`Differentiable.gradients`."""
        programs = self._programs
        if programs is not None:
            return programs.gradients(head_grads, inputs, saved, last=last)
        with self._lock:
            is_first, self._is_first_back = self._is_first_back, False
        if is_first and instrumentation.watch.observer is None:
            parts = self.parts
            given = parts.operands(head_grads, inputs, saved)
            if last:
                saved.let_go()
            return parts.finished(self._once(parts.given, parts.gradients, given), inputs)
        return self.programs.gradients(head_grads, inputs, saved, last=last)

    def _once(
        self, inputs: Sequence[Entry], outputs: Sequence[Entry], buffers: list[Buffer]
    ) -> tuple[Buffer, ...]:
        nodes = topological(outputs, set(inputs).__contains__)
        parts = self.parts
        return computed_once(
            nodes, inputs, outputs, self._types, parts.device, buffers, is_train=parts.is_train
        )
