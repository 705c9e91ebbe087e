"""Attention as one step: two products with a softmax between them, and their gradients.

Between the products there may be a factor of the scores, a mask (``where``, or added), lengths, and
a dropout, of which a seed is kept. What else reads scores or weights keeps it all as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.triton.lower.attention_pattern import Backward, Forward, Patterns

__all__ = ["with_attention"]

_SEEDS = {"low": 0, "high": 2**31 - 1, "shape": (1,), "dtype": "int64"}
_ARRAYS = ("query", "key", "value")
_MORE = ("length", "mask", "seed")


def _more(params: Mapping[str, Any]) -> tuple[str, ...]:
    has = (params["with_length"], params["mask"] != "none", params["rate"] > 0)
    return tuple(name for name, given in zip(_MORE, has, strict=True) if given)


def _result(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (count, rows, size), dtype = types[0]
    heads = params["heads"]
    return ((rows, count // heads, heads * size) if heads else (count, rows, size)), dtype


_ATTENTION = PrivateOperator(
    "_attention",
    "attention",
    (*_ARRAYS, *_MORE),
    _result,
    active=lambda params: (*_ARRAYS, *_more(params)),
    outputs=("output", "sums"),
    others=lambda types, _: [((*types[0][0][:2], 2), "float32")],
)
_GIVEN = ("dy", *_ARRAYS, "output", "sums")
_GRADIENTS = PrivateOperator(
    "_attention_backward",
    "attention_backward",
    (*_GIVEN, *_MORE),
    lambda types, _: types[1],
    active=lambda params: (*_GIVEN, *_more(params)),
    outputs=("dquery", "dkey", "dvalue"),
    others=lambda types, _: [types[2], types[3]],
)


def with_attention(graph: Graph) -> Graph:
    """The graph with one step for each attention, and one for its gradients."""
    found = Patterns(graph).found()
    return graph.rewrite(_Rewriting(graph, found).rule) if found else graph


class _Rewriting:
    """Puts in the steps."""

    def __init__(self, graph: Graph, found: Sequence[tuple[Forward, Backward | None]]) -> None:
        self._graph = graph
        self._forward = {each.root: each for each, _ in found}
        self._roots = {
            node: (forward, back)
            for forward, back in found
            if back is not None
            for node in (back.dquery, back.dkey, back.dvalue)
        }
        self._now: dict[Value, Value] = {}
        """What values have become that nodes so far read."""
        self._made: dict[Node, tuple[list[Value], list[Value]]] = {}
        """For the root of each attention operands behind the others, and results."""
        self._gradients: dict[Node, Sequence[Value]] = {}

    def rule(self, node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        """The results of a root."""
        self._now.update(zip(self._graph.inputs(node), inputs, strict=True))
        if node in self._forward:
            return self._attention(self._forward[node])[:1]
        if node in self._roots:
            forward, back = self._roots[node]
            roots = (back.dquery, back.dkey, back.dvalue)
            return [self._slopes(forward, back)[roots.index(node)]]
        return None

    def _arrays(self, forward: Forward) -> list[Value]:
        """Queries, keys and values, each ``(N, L, D)``."""
        graph, found = self._graph, []
        for part in forward.arrays:
            value = self._now[part.value]
            if part.of is not None:
                heads, parts, k = part.of
                params = {"heads": heads, "parts": parts, "part": k}
                name = f"{graph.name(forward.root)}_part{k}"
                node = graph.add(
                    "_head_part", [value], params, name=name, like=forward.root, replaces=False
                )
                (value,) = graph.values(node)
            found.append(value)
        return found

    def _attention(self, forward: Forward) -> list[Value]:
        graph, root = self._graph, forward.root
        given = (forward.length, forward.mask)
        more = [self._now[value] for value in given if value is not None]
        if forward.rate:
            drawing = graph.add(
                "_random_randint", [], _SEEDS, name=f"{graph.name(root)}_seed", like=root,
                replaces=False,
            )  # fmt: skip
            more += graph.values(drawing)
        operands = [*self._arrays(forward), *more]
        made = graph.add(_ATTENTION, operands, forward.params, name=graph.name(root), like=root)
        results = [*graph.values(made)]
        self._made[root] = more, results
        return results

    def _slopes(self, forward: Forward, back: Backward) -> Sequence[Value]:
        found = self._gradients.get(forward.root)
        if found is None:
            graph, (more, results) = self._graph, self._made[forward.root]
            operands = [self._now[back.dy], *self._arrays(forward), *results, *more]
            name = f"{graph.name(back.dquery)}_attention"
            made = graph.add(_GRADIENTS, operands, forward.params, name=name, like=back.dquery)
            found = self._gradients[forward.root] = graph.values(made)
        return found
