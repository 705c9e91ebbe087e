"""Reordering: keeps track of the values of a graph that have another order of axes."""

from collections.abc import Collection, Sequence

from hy_kernels.lowering import Graph, Node, Value

__all__ = ["Reordering"]


class Reordering:
    """Values in another order of axes, and the transposes between both orders.

    Args:
        graph: The graph that is rewritten.
        there: The axes of the other order, as ``transpose`` takes them.
        back: Those of the way back.
    """

    def __init__(self, graph: Graph, there: Sequence[int], back: Sequence[int]) -> None:
        self.graph = graph
        self._axes = {"last": tuple(there), "first": tuple(back)}
        self._last: set[Value] = set()
        self._reordered: dict[tuple[Value, str], Value] = {}

    @property
    def reordered(self) -> Collection[Value]:
        """Return the values that were transposed, to the other order or back."""
        return [value for value, _ in self._reordered]

    def is_last(self, value: Value) -> bool:
        """Return whether a value is in the other order."""
        return value in self._last

    def last(self, value: Value) -> Value:
        """Return the value in the other order, transposed if need be."""
        return value if self.is_last(value) else self._transposed(value, "last")

    def first(self, value: Value) -> Value:
        """Return the value in its original order of axes, transposed if necessary."""
        return self._transposed(value, "first") if self.is_last(value) else value

    def in_channels_last(self, node: Node) -> Sequence[Value]:
        """Return the results of a new node, the first of which is in the other order."""
        values = self.graph.values(node)
        self._last.add(values[0])
        return values

    def in_original_order(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the results of a node on inputs in their original order; None if all were."""
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
