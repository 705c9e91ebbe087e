"""Reuse: returns the same lowered graph for all types for which the recorded guards hold."""

from collections.abc import Sequence

from hy_symbol.graph.node import Graph
from hy_symbol.infer.type_guards import GuardedTypes, TypeGuards
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import Pass, applied, stages
from hy_symbol.passes.target import Target

__all__ = ["Lowering"]

_MAX_VARIANTS = 4
"""Number of cached results of a pass for one graph, the latest ones."""
_MAX_GRAPHS = 64
"""Number of cached pairs of pass and graph; a full cache is emptied."""


class Lowering:
    """Pass pipeline for one target that caches lowered graphs with guards on types.

    If all of a pass's queries of types give the same results as in an earlier call, the earlier
    graph is returned, so that plans for different types share its nodes.

    Args:
        passes: As for :func:`lowered`.
        target: As for :func:`lowered`.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> from hy_symbol.passes import PREDICT
        >>> graph = sym.dot(sym.transpose(sym.var("x")), sym.var("y")).graph
        >>> lowering = Lowering(PREDICT, Target(device_of(cpu())))
        >>> def made(rows):
        ...     known = [((rows, 4), "float32"), ((rows, 5), "float32")]
        ...     return lowering(TypedGraph.of(graph, known)).graph
        >>> made(2) is made(3), made(1) is made(2)
        (True, False)
    """

    def __init__(self, passes: Sequence[Pass], target: Target) -> None:
        self._passes = passes
        self._target = target
        self._cached: dict[tuple[Pass, Graph], list[tuple[TypeGuards, Graph]]] = {}

    def __call__(self, typed: TypedGraph) -> TypedGraph:
        """Return the lowered graph; see :func:`lowered`."""
        for one in stages(self._passes, self._target):
            typed = typed.rewritten(self._after(one, typed))
        return typed

    def _after(self, one: Pass, typed: TypedGraph) -> Graph:
        # Simpler than dropping the oldest, and rarely needed.
        if len(self._cached) > _MAX_GRAPHS:
            self._cached.clear()
        cached = self._cached.setdefault((one, typed.graph), [])
        for guards, graph in cached:
            # Equal answers to all queries of the pass mean an equal result.
            if guards.match(typed.types):
                return graph
        guards = TypeGuards()
        guarded = TypedGraph(typed.graph, GuardedTypes(typed.types, guards))
        graph = applied(one, guarded, self._target).graph
        cached.append((guards, graph))
        del cached[:-_MAX_VARIANTS]
        return graph
