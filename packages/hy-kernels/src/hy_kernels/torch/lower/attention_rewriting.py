"""Replacement of matched attentions in a graph by fused steps."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

from hy_kernels.lowering import Graph, Node, Value
from hy_kernels.torch.lower.attention_pattern import Backward, Forward

__all__ = ["AttentionRewriting"]


class AttentionRewriting(ABC):
    """Base class of rewritings of attention; subclasses define the fused steps of a table.

    Args:
        graph: The graph.
        result: Its matched attentions, each with its gradients or None.
    """

    def __init__(self, graph: Graph, result: Sequence[tuple[Forward, Backward | None]]) -> None:
        self.graph = graph
        self._matches = {forward.root: (forward, back) for forward, back in result}
        self._roots = {
            node: (forward, back)
            for forward, back in result
            if back is not None
            for node in (back.dquery, back.dkey, back.dvalue)
        }
        self._now: dict[Value, Value] = {}
        self._gradients: dict[Node, Sequence[Value]] = {}

    def rewritten(self) -> Graph:
        """Return the graph with a fused step in place of each attention."""
        return self.graph.rewrite(self._rule) if self._matches else self.graph

    @abstractmethod
    def attention(self, forward: Forward, back: Backward | None) -> Value:
        """Add a fused step for an attention to the graph, and return its result."""

    @abstractmethod
    def gradients(self, forward: Forward, back: Backward) -> Sequence[Value]:
        """Add a fused step for the gradients, and return those to queries, keys and values."""

    def now(self, value: Value) -> Value:
        """Return the value in the rewritten graph for one of the original graph."""
        return self._now[value]

    def _rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """Return the new results of a node that is the root of a match or a gradient; else None."""
        self._now.update(zip(self.graph.inputs(node), inputs, strict=True))
        if node in self._matches:
            return [self.attention(*self._matches[node])]
        if node not in self._roots:
            return None
        forward, back = self._roots[node]
        # The three gradients are results of one step, which is made at the first of them.
        if forward.root not in self._gradients:
            self._gradients[forward.root] = self.gradients(forward, back)
        roots = (back.dquery, back.dkey, back.dvalue)
        return [self._gradients[forward.root][roots.index(node)]]
