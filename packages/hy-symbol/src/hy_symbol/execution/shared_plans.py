"""SharedPlans: programs of one graph for many sizes, which share plans where guards hold."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, Self, TypeVar

from hy_symbol.graph.node import Graph
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import Pass
from hy_symbol.passes.reuse import Lowering
from hy_symbol.passes.target import Target

__all__ = ["SharedPlans"]

_MAX_PLANS = 4
"""Number of cached plans that can be reused for other signatures, the latest ones."""
_MIN_ARENA_BYTES = 1 << 20
"""Total bytes of all values below which an arena gains little."""
_MIN_ARENA_VALUE = 1 << 15
"""Bytes of the largest value below which an arena gains little."""


class _Likened(Protocol):
    def like(self, types: Types) -> Self | None: ...


P = TypeVar("P", bound=_Likened)


class SharedPlans(Generic[P]):
    """Programs of a graph for all signatures, in one mode on one device.

    A signature reuses the plan of an earlier one if its guards hold, else gets a new plan. The plan
    of the first signature, which often is the only one, has no guards and is never reused.

    Args:
        passes: The passes that lower the graph.
        target: The device and mode to lower for.
        build: ``build(lowered, light, serves)`` plans a lowered graph; ``light``: values are too
            small to profit from an arena; ``serves``: the plan needs guards to be reused.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        target: Target,
        build: Callable[[TypedGraph, bool, bool], P],
    ) -> None:
        self.lowered = Lowering(passes, target)
        """Function that lowers the graph."""
        self.is_shared = False
        """Whether the last plan was reused from an earlier signature, or can be reused."""
        self._build = build
        self._plans: defaultdict[bool, list[tuple[Graph, P]]] = defaultdict(list)
        self._count = 0

    def of(self, simple: TypedGraph) -> P:
        """Return the programs of a lowered graph, planned now if no plan fits."""
        return self.like(simple) or self._new_plan(simple)

    def like(self, simple: TypedGraph) -> P | None:
        """Return the programs of a lowered graph if another signature's plan fits, else None."""
        for graph, programs in self._plans[_is_light(simple)]:
            if graph is simple.graph:
                plan = programs.like(simple.types)
                if plan is not None:
                    self.is_shared = True
                    return plan
        return None

    def count(self) -> None:
        """Count a new signature; plans get guards from the second signature on."""
        self._count += 1

    def _new_plan(self, simple: TypedGraph) -> P:
        # The first signature is often the only one: its plan may fuse and overwrite by its sizes.
        light, serves = _is_light(simple), self._count > 1
        built = self._build(simple, light, serves)
        plans = self._plans[light]
        self.is_shared = serves and not plans
        if serves:
            self._plans[light] = [*plans[1 - _MAX_PLANS :], (simple.graph, built)]
        return built


def _is_light(typed: TypedGraph) -> bool:
    """Return whether a graph's values are too small to profit from an arena."""
    types, total, limit = typed.types, 0, 0
    for node in typed.graph.nodes:
        if node.op is not None:
            for entry in outputs_of(node):
                size = types.nbytes(entry)
                total += size
                limit = max(limit, size)
    # Small arrays come from the allocator's free lists, as fast as from an arena.
    return total < _MIN_ARENA_BYTES or limit < _MIN_ARENA_VALUE
