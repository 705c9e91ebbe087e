"""Reuse: returns the same lowered graph for all types for which the recorded guards hold."""

from collections.abc import Sequence
from typing import TypeAlias

from hy_symbol.graph.node import Graph
from hy_symbol.infer.type_guards import GuardedTypes, TypeGuards, unguarded
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import Pass, applied, stages
from hy_symbol.passes.target import Target

__all__ = ["Lowering"]

_MAX_VARIANTS = 4
"""Number of cached results of the passes from one on for one graph, the latest ones."""
_MAX_GRAPHS = 64
"""Number of cached pairs of pass and graph; a full cache is emptied."""
_Variant: TypeAlias = tuple[TypeGuards, int, Graph]
"""Guards of a result, how many passes they are of, and the result."""


class Lowering:
    """Pass pipeline for one target that caches lowered graphs with guards on types.

    If all queries of types by passes give the same results as in an earlier call, the earlier
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
        self._cached: dict[tuple[Pass, Graph], list[_Variant]] = {}

    def __call__(self, typed: TypedGraph) -> TypedGraph:
        """Return the lowered graph; see :func:`lowered`."""
        passes, done = stages(self._passes, self._target), 0
        while done < len(passes):
            count, typed = self._until_change(passes[done:], typed)
            done += count
        return typed

    def _until_change(self, passes: Sequence[Pass], typed: TypedGraph) -> tuple[int, TypedGraph]:
        """Run passes until one changes the graph; return how many ran, and the new graph.

        Most passes change nothing, so one record of guards for all of them is cheaper to make, and
        to check for other types, than one for each pass.
        """
        # Simpler than dropping the oldest, and rarely needed.
        if len(self._cached) > _MAX_GRAPHS:
            self._cached.clear()
        cached = self._cached.setdefault((passes[0], typed.graph), [])
        for guards, count, graph in cached:
            # Equal answers to all queries of the passes mean an equal result.
            if guards.match(typed.types):
                return count, typed.rewritten(graph)
        guards, count = TypeGuards(), 0
        guarded = TypedGraph(typed.graph, GuardedTypes(typed.types, guards))
        result = guarded
        while result.graph is typed.graph and count < len(passes):
            result = applied(passes[count], guarded, self._target)
            count += 1
        cached.append((guards, count, result.graph))
        del cached[:-_MAX_VARIANTS]
        return count, TypedGraph(result.graph, unguarded(result.types))
