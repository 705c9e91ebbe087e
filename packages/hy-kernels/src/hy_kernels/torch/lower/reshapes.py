"""Removal of reshapes that cancel, such as those between layers of different ranks."""

from collections import Counter
from collections.abc import Sequence

from hy_kernels.lowering import Graph, Node, Value
from hy_kernels.torch.lower._types import have_same_type

__all__ = ["with_fewer_reshapes"]

_RESHAPES = ("Reshape", "reshape_like")


def with_fewer_reshapes(graph: Graph) -> Graph:
    """Return the graph without pairs of reshapes that restore the original shape.

    Outputs of the graph are kept, because they must not share memory with other values.
    """
    read = Counter(value for node in graph.nodes for value in graph.inputs(node))
    origins: dict[Value, tuple[Value, Value]] = {}  # of what is reshaped: before and now

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) not in _RESHAPES:
            return None
        before, (result,) = graph.inputs(node)[0], graph.values(node)
        # A chain of reshapes keeps its first origin.
        origin, now = origins[result] = origins.get(before, (before, inputs[0]))
        is_output = read[result] < graph.uses(result)
        return [now] if not is_output and graph.ask(have_same_type, result, origin) else None

    return (
        graph.rewrite(rule) if any(graph.op(node) in _RESHAPES for node in graph.nodes) else graph
    )
