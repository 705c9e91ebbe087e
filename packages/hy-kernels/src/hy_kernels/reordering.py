"""Reordering: which values of a graph that is rewritten have their axes in another order."""

from collections.abc import Collection, Sequence

from hy_kernels.lowering import Graph, Node, Value

__all__ = ["Reordering"]


class Reordering:
    """Remembers what is held in the other order, and changes the order of what is not.

    Each value is reordered at most once in each direction.

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
        """Return the values that were reordered, in either direction."""
        return [value for value, _ in self._reordered]

    def is_last(self, value: Value) -> bool:
        """Whether a value is held in the other order."""
        return value in self._last

    def last(self, value: Value) -> Value:
        """The value in the other order."""
        return value if self.is_last(value) else self._turn(value, "last")

    def first(self, value: Value) -> Value:
        """The value in the order it had."""
        return self._turn(value, "first") if self.is_last(value) else value

    def in_channels_last(self, node: Node) -> Sequence[Value]:
        """The results of a new node, the first of which is held in the other order."""
        values = self.graph.values(node)
        self._last.add(values[0])
        return values

    def settled(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """A node that minds the order, on inputs that have theirs; None if they all had."""
        firsts = tuple(map(self.first, inputs))
        return None if firsts == inputs else self.graph.values(self.graph.copy(node, firsts))

    def _turn(self, value: Value, way: str) -> Value:
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
