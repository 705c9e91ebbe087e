"""TypedGraph: a graph with the types of all its entries."""

from collections.abc import Sequence
from dataclasses import dataclass

from hy_symbol.graph.node import Entry, Graph
from hy_symbol.infer.engine import Known, Types, types_of
from hy_symbol.infer.inference_cache import InferenceCache

__all__ = ["TypedGraph"]


@dataclass(frozen=True, slots=True)
class TypedGraph:
    """Graph with the shape and dtype of each of its entries.

    Passes take a typed graph and return one; entries that a pass did not change keep their types.

    Example:
        >>> from hy_symbol import rewrite, sym
        >>> net = sym.relu(sym.sum(sym.var("x"), axis=0))
        >>> typed = TypedGraph.of(net.graph, [((2, 3), "float32")])
        >>> typed.types.get(net.graph.outputs[0])
        ((3,), 'float32')
    """

    graph: Graph
    types: Types

    @classmethod
    def of(
        cls, graph: Graph, known: Sequence[Known], inference_cache: InferenceCache | None = None
    ) -> "TypedGraph":
        """Return a graph with types inferred from those of its variables.

        Args:
            graph: The graph.
            known: Shape and dtype of each of ``graph.variables``.
            inference_cache: Cached results of type rules, from this or other graphs.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        return cls(graph, types_of(graph, graph.variables, known, inference_cache))

    def rewritten(self, graph: Graph) -> "TypedGraph":
        """Return ``graph``, a rewritten form of this one, with types inferred for new entries.

        Raises:
            ShapeError, DTypeError: The types contradict each other; names the node.
        """
        return self if graph is self.graph else TypedGraph(graph, self.types.extended(graph))

    def copied(self, graph: Graph) -> "TypedGraph":
        """Return ``graph``, of the same structure as this one, with the same types."""
        return TypedGraph(graph, self.types.copied(graph))

    @property
    def known(self) -> list[Known]:
        """Return shape and dtype of each variable."""
        return [self.types.get((node, 0)) for node in self.graph.variables]

    @property
    def inputs(self) -> list[Entry]:
        """Return the entries of the variables."""
        return [(node, 0) for node in self.graph.variables]
