"""SharedPlans: programs of one graph for many sizes, made from shared plans."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from hy_symbol.graph.node import Graph
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.pipeline import Pass
from hy_symbol.passes.reuse import Lowering
from hy_symbol.passes.target import Target

__all__ = ["SharedPlans"]

_MAX_PLANS = 4
"""Programs that others are made like: those planned last."""
_MIN_ARENA_BYTES = 1 << 20
"""Bytes of all values below which memory that is laid out in advance gains little."""
_MIN_ARENA_VALUE = 1 << 15
"""Bytes of the largest value below which it does as well: there is always room for one more."""


class _Likened(Protocol):
    def like(self, types: Types) -> object: ...


P = TypeVar("P", bound=_Likened)


class SharedPlans(Generic[P]):
    """Programs of a graph for all signatures, in one mode on one device.

    A signature is planned for itself, or where a plan of another one fits, made like that. The
    first may be the only one: its plan serves no other.

    Args:
        passes: What the graph goes through before it runs.
        target: What it runs on.
        build: Plans a lowered graph; gets whether it is light, so that an arena gains little,
            and whether others are to be made like it.
    """

    def __init__(
        self,
        passes: Sequence[Pass],
        target: Target,
        build: Callable[[TypedGraph, bool, bool], P],
    ) -> None:
        self.lowered = Lowering(passes, target)
        """Gives the graph as it runs."""
        self.is_shared = False
        """Whether the last signature shared the plan of one before, or is to share its own."""
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
                plan: P | None = programs.like(simple.types)  # type: ignore[assignment]
                if plan is not None:
                    self.is_shared = True
                    return plan
        return None

    def count(self) -> None:
        """Count one more signature."""
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
