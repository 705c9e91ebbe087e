"""Reordering: which entries of a graph that is rewritten have their axes in another order."""

from collections.abc import Sequence

from hy_symbol.graph import Entry, Node
from hy_symbol.rewriting import new_node

__all__ = ["Reordering"]


class Reordering:
    """Remembers what is held in the other order, and changes the order of what is not.

    Each entry is turned at most once in each direction.

    Args:
        there: The axes of the other order, as ``transpose`` takes them.
        back: Those of the way back.
    """

    def __init__(self, there: Sequence[int], back: Sequence[int]) -> None:
        self._axes = {"last": tuple(there), "first": tuple(back)}
        self._last: set[Entry] = set()
        self._turned: dict[tuple[Entry, str], Entry] = {}

    def is_last(self, entry: Entry) -> bool:
        """Whether an entry is held in the other order."""
        return entry in self._last

    def last(self, entry: Entry) -> Entry:
        """The entry in the other order."""
        return entry if self.is_last(entry) else self._turn(entry, "last")

    def first(self, entry: Entry) -> Entry:
        """The entry in the order it had."""
        return self._turn(entry, "first") if self.is_last(entry) else entry

    def held_last(self, node: Node) -> Sequence[Entry]:
        """The outputs of a new node, the first of which is held in the other order."""
        self._last.add((node, 0))
        return self.held(node)

    def held(self, node: Node) -> Sequence[Entry]:
        """The outputs of a new node."""
        return [(node, i) for i in range(node.num_outputs)]

    def settled(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """A node that minds the order, on inputs that have theirs; None if they all had."""
        firsts = tuple(map(self.first, inputs))
        return None if firsts == inputs else self.held(node.copy(inputs=firsts))

    def _turn(self, entry: Entry, way: str) -> Entry:
        source = entry[0]
        key = entry, way
        if key not in self._turned:
            axes = self._axes[way]
            name = f"{source.name}_{way}"
            node = new_node("transpose", [entry], name=name, beside=source, axes=axes)
            self._turned[key] = (node, 0)
        return self._turned[key]
