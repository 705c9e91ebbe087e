"""Contexts of a graph's nodes, by groups named in ``group2ctx``."""

from collections.abc import Mapping

from hy_ndarray import Context
from hy_symbol._errors import GraphError
from hy_symbol.graph.node import Graph, Node

__all__ = ["contexts_of_nodes"]


def contexts_of_nodes(
    graph: Graph, ctx: Context, group2ctx: Mapping[str, Context] | None
) -> dict[Node, Context]:
    """Return the context of each node, from groups assigned to contexts as in MXNet.

    A node of a group has the context of the group. Any other node takes the context of its first
    input that has one, else of its last user.

    Args:
        graph: The graph; nodes name their group in the attribute ``ctx_group``.
        ctx: Context of nodes that no group determines.
        group2ctx: Contexts by group name.

    Raises:
        GraphError: A group is not named in ``group2ctx``.

    Example:
        >>> from hy_ndarray import cpu
        >>> from hy_symbol import AttrScope, sym
        >>> x = sym.var("x")
        >>> with AttrScope(ctx_group="second"):
        ...     y = sym.exp(x + 1, name="y")
        >>> found = contexts_of_nodes((y * 2).graph, cpu(0), {"second": cpu(1)})
        >>> {str(context) for context in found.values()}
        {'cpu(1)'}
    """
    if not group2ctx:
        return dict.fromkeys(graph.nodes, ctx)
    result: dict[Node, Context] = {}
    for node in graph.nodes:
        group = node.attrs.get("__ctx_group__")
        if group is None:
            # As in MXNet: a node without a group goes with its first input that has one.
            known = [result[source] for source, _ in node.inputs if source in result]
            if known:
                result[node] = known[0]
        elif group in group2ctx:
            result[node] = group2ctx[group]
        else:
            raise GraphError(
                f"group2ctx has no context for group {group!r} of node '{node.name}'; it has "
                f"{', '.join(group2ctx)}"
            )
    # A node without such an input goes with its last user.
    for node in reversed(graph.nodes):
        own = result.setdefault(node, ctx)
        for source, _ in node.inputs:
            result.setdefault(source, own)
    return result
