"""Gradients of interleaved attention projections: concatenated instead of padded and summed."""

from collections.abc import Sequence

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite

__all__ = ["with_joined_head_parts"]

_PLACE_PART = "_place_head_part"
_SUMS = "add_n", "elemwise_add", "broadcast_add", "_grad_add"


def with_joined_head_parts(graph: Graph) -> Graph:
    """Replace the sum of all zero-padded parts of a projection by ``_join_head_parts``.

    Such sums occur in the gradient of attention whose queries, keys and values are slices of one
    projection.

    Requires: nothing. Ensures: the same values, variables and names of outputs.

    Example:
        >>> from hy_symbol import sym
        >>> data, parts = sym.var("data"), [sym.var("k"), sym.var("v")]
        >>> how = {"heads": 2, "parts": 2}
        >>> k, v = (sym._place_head_part(x, data, part=i, **how) for i, x in enumerate(parts))
        >>> with_joined_head_parts((k + v).graph).outputs[0][0].op.name
        '_join_head_parts'
    """
    if not graph.has_op(_PLACE_PART):
        return graph

    values: dict[Node, Entry] = {}
    """The unpadded value of each part in the new graph."""

    def joined(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        if is_op(node, _PLACE_PART):
            values[node] = inputs[0]
        head_parts = _head_parts_of(node, graph) if is_op(node, *_SUMS) else None
        if head_parts is None or not _are_all(head_parts):
            return None
        parts = sorted(head_parts, key=lambda each: int(each.params["part"]))
        entries, heads = [values[part] for part in parts], parts[0].params["heads"]
        return [(new_node("_join_head_parts", entries, name=node.name, like=node, heads=heads), 0)]

    return rewrite(graph, joined)


def _are_all(parts: Sequence[Node]) -> bool:
    """Return whether the nodes are all parts of one projection, each once."""
    kinds = {(each.params["heads"], each.params["parts"]) for each in parts}
    numbers = sorted(each.params["part"] for each in parts)
    return len(kinds) == 1 and numbers == list(range(parts[0].params["parts"]))


def _head_parts_of(node: Node, graph: Graph) -> list[Node] | None:
    """Return the terms of nested sums if all are padded parts without other uses, else None."""
    parts: list[Node] = []
    for source, i in node.inputs:
        # With other uses, the padded part has to be computed anyway.
        if graph.uses((source, i)) != 1:
            return None
        if is_op(source, _PLACE_PART):
            parts.append(source)
            continue
        more = _head_parts_of(source, graph) if is_op(source, *_SUMS) else None
        if more is None:
            return None
        parts += more
    return parts
