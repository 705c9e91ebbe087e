"""Fusion of attention: two products with a softmax between them as one step, also its gradient.

Between the products there may be a scale, a mask (``where``, or added), lengths, and dropout, which
is kept as a seed. If other operators read the scores or weights, nothing is fused. Self-attention
without a gradient reads its interleaved projections directly.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.torch.lower.attention_pattern import Backward, Forward, Patterns
from hy_kernels.torch.lower.attention_rewriting import AttentionRewriting

__all__ = ["with_attention"]

_DTYPES = ("float32", "float16", "bfloat16")
_MAX_HEAD_SIZE = 256  # elements of a vector
_SEEDS = {"low": 0, "high": 2**31 - 1, "shape": (1,), "dtype": "int64"}
_ARRAYS = ("query", "key", "value")
_MORE = ("length", "mask", "seed")


def _more(params: Mapping[str, Any]) -> tuple[str, ...]:
    has = (params["with_length"], params["mask"] != "none", params["rate"] > 0)
    return tuple(name for name, operands in zip(_MORE, has, strict=True) if operands)


def _result_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (count, rows, size), dtype = types[0]
    heads = params["heads"]
    return ((rows, count // heads, heads * size) if heads else (count, rows, size)), dtype


_ATTENTION = PrivateOperator(
    name="_attention",
    kernel="attention",
    inputs=(*_ARRAYS, *_MORE),
    infer=_result_type,
    active=lambda params: (*_ARRAYS, *_more(params)),
    outputs=("output", "sums"),
    others=lambda types, _: [((*types[0][0][:2], 2), "float32")],
)
_BACKWARD_OPERANDS = ("dy", *_ARRAYS, "output", "sums")
_GRADIENTS = PrivateOperator(
    name="_attention_backward",
    kernel="attention_backward",
    inputs=(*_BACKWARD_OPERANDS, *_MORE),
    infer=lambda types, _: types[1],
    active=lambda params: (*_BACKWARD_OPERANDS, *_more(params)),
    outputs=("dquery", "dkey", "dvalue"),
    others=lambda types, _: [types[2], types[3]],
)


def _self_attention_type(types: Sequence[Type], _: Mapping[str, Any]) -> Type:
    ((steps, samples, width), dtype) = types[0]
    return (steps, samples, width // 3), dtype


_SELF_ATTENTION = PrivateOperator(
    name="_self_attention",
    kernel="self_attention",
    inputs=("queries_keys_values", "length"),
    infer=_self_attention_type,
    active=lambda params: ("queries_keys_values", "length")[: 1 + params["with_length"]],
)


def with_attention(graph: Graph) -> Graph:
    """Return the graph with each attention as one step, and its gradient as another.

    Args:
        graph: The graph, after ``with_fewer_reshapes`` and ``with_transposed_products``.
    """
    return _Rewriting(graph, Patterns(graph, _DTYPES, _MAX_HEAD_SIZE).matches()).rewritten()


class _Rewriting(AttentionRewriting):
    """Rewriting that inserts the fused steps."""

    def __init__(self, graph: Graph, result: Sequence[tuple[Forward, Backward | None]]) -> None:
        super().__init__(graph, result)
        self._replaced: dict[Node, tuple[list[Value], Sequence[Value]]] = {}
        """For the root of each attention: its optional operands, and the results."""

    def attention(self, forward: Forward, back: Backward | None) -> Value:
        graph, root = self.graph, forward.root
        optional = (forward.length, forward.mask)
        more = [self.now(value) for value in optional if value is not None]
        if back is None and _is_plain_self_attention(forward):
            data = self.now(forward.arrays[0].value)
            params = {"heads": forward.heads, "with_length": bool(more)}
            name = graph.name(root)
            added = graph.add(_SELF_ATTENTION, [data, *more], params, name=name, like=root)
            return graph.values(added)[0]
        # The seed is drawn by an operator of the graph: the gradient reads the same one, and no
        # mask of what was dropped is stored.
        if forward.rate:
            drawing = graph.add(
                "_random_randint", [], _SEEDS, name=f"{graph.name(root)}_seed", like=root,
                replaces=False,
            )  # fmt: skip
            more += graph.values(drawing)
        operands = [*self._arrays(forward), *more]
        added = graph.add(_ATTENTION, operands, forward.params, name=graph.name(root), like=root)
        results = graph.values(added)
        self._replaced[root] = more, results
        return results[0]

    def gradients(self, forward: Forward, back: Backward) -> Sequence[Value]:
        graph, (more, results) = self.graph, self._replaced[forward.root]
        operands = [self.now(back.dy), *self._arrays(forward), *results, *more]
        name = f"{graph.name(back.dquery)}_attention"
        added = graph.add(_GRADIENTS, operands, forward.params, name=name, like=back.dquery)
        return graph.values(added)

    def _arrays(self, forward: Forward) -> list[Value]:
        """Return queries, keys and values of an attention, each ``(N, L, D)``."""
        graph, result = self.graph, []
        for part in forward.arrays:
            value = self.now(part.value)
            if part.of is not None:
                heads, parts, k = part.of
                params = {"heads": heads, "parts": parts, "part": k}
                name = f"{graph.name(forward.root)}_part{k}"
                node = graph.add(
                    "_head_part", [value], params, name=name, like=forward.root, replaces=False
                )
                (value,) = graph.values(node)
            result.append(value)
        return result


def _is_plain_self_attention(forward: Forward) -> bool:
    """Return whether this is interleaved self-attention without scale, mask or dropout."""
    of = forward.arrays[0].of
    plain = not (forward.scales or forward.mask or forward.rate)
    return plain and of is not None and of[1] == len(_ARRAYS)
