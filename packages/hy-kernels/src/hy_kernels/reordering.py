"""Reordering: tracks the values of a graph that are in another layout."""

from collections.abc import Collection, Sequence

from hy_kernels.lowering import Graph, Node, Value

__all__ = ["Reordering"]


class Reordering:
    """Tracks which values are in another layout, and inserts transposes between the two layouts.

    Args:
        graph: The graph to rewrite.
        there: The permutation to the other layout, as for ``transpose``.
        back: The inverse permutation.
    """

    def __init__(self, graph: Graph, there: Sequence[int], back: Sequence[int]) -> None:
        self.graph = graph
        self._axes = {"last": tuple(there), "first": tuple(back)}
        self._last: set[Value] = set()
        self._reordered: dict[tuple[Value, str], Value] = {}

    @property
    def reordered(self) -> Collection[Value]:
        """Return the values that were transposed, to the other layout or back."""
        return [value for value, _ in self._reordered]

    def is_last(self, value: Value) -> bool:
        """Return whether a value is in the other layout."""
        return value in self._last

    def last(self, value: Value) -> Value:
        """Return the value in the other layout, transposed if necessary."""
        return value if self.is_last(value) else self._transposed(value, "last")

    def first(self, value: Value) -> Value:
        """Return the value in its original layout, transposed if necessary."""
        return self._transposed(value, "first") if self.is_last(value) else value

    def in_channels_last(self, node: Node) -> Sequence[Value]:
        """Record that the first result of a new node is in the other layout; return all results."""
        values = self.graph.values(node)
        self._last.add(values[0])
        return values

    def in_original_order(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the results of ``node`` on inputs in original layout; None if they all were."""
        firsts = tuple(map(self.first, inputs))
        return None if firsts == inputs else self.graph.values(self.graph.copy(node, firsts))

    def _transposed(self, value: Value, way: str) -> Value:
        # At most one transpose of a value in each direction, however many users it has.
        key = value, way
        if key not in self._reordered:
            graph, source = self.graph, self.graph.source(value)
            node = graph.add(
                "transpose",
                [value],
                {"axes": self._axes[way]},
                name=f"{graph.name(source)}_{way}",
                like=source,
                replaces=False,
            )
            self._reordered[key] = graph.values(node)[0]
        return self._reordered[key]
