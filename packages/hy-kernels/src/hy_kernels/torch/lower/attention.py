"""Fusion of attention into one step, and of its gradients into another, by torch's functions.

Torch's functions draw dropout from their own random stream, not the context's: attention with
dropout is left as it is. So is attention whose masked scores are replaced by a number large enough
to leave them a weight.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.lower.attention_pattern import Backward, Forward, Patterns
from hy_kernels.torch.lower.attention_rewriting import AttentionRewriting
from hy_kernels.torch.lower.masks import by_sample, is_binary
from hy_kernels.torch.lower.transposed_products import PRODUCTS

__all__ = ["with_attention"]

_ARRAYS = ("query", "key", "value")
_MASKED_SCORE = -1e4
"""A score whose weight is 0 beside others: exp underflows 104 below the largest score."""
_PRODUCTS = (*PRODUCTS, "_contrib_interleaved_matmul_selfatt_valatt",
             "_contrib_interleaved_matmul_encdec_valatt")  # fmt: skip


def _masks(params: Mapping[str, Any]) -> tuple[str, ...]:
    return () if params["mask"] == "none" else ("mask",)


def _vectors_shape(type_: Type, part: Sequence[int]) -> tuple[int, int, int]:
    """Return ``(N * heads, L, D)`` for queries, keys or values; ``part``: see :class:`Part`."""
    first, second, size = type_[0]
    if not part:
        return first, second, size
    return second * part[0], first, size // (part[0] * part[1])


def _output_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    count, rows, size = _vectors_shape(types[0], params["parts"][0])
    heads = params["heads"]
    shape = (rows, count // heads, heads * size) if heads else (count, rows, size)
    return shape, types[0][1]


def _sums_type(types: Sequence[Type], params: Mapping[str, Any]) -> Sequence[Type]:
    dtype = types[0][1]
    count, rows, _ = _vectors_shape(types[0], params["parts"][0])
    return [((count, rows), dtype if dtype == "float64" else "float32")]


def _gradient_types(types: Sequence[Type], params: Mapping[str, Any]) -> list[Type]:
    arrays = zip(types[1:4], params["parts"], strict=True)
    return [(_vectors_shape(type_, part), type_[1]) for type_, part in arrays]


_ATTENTION = PrivateOperator(
    name="_dot_product_attention",
    kernel="dot_product_attention",
    inputs=(*_ARRAYS, "mask"),
    infer=_output_type,
    active=lambda params: (*_ARRAYS, *_masks(params)),
)
_WITH_SUMS = PrivateOperator(
    name="_dot_product_attention_with_sums",
    kernel="dot_product_attention_with_sums",
    inputs=(*_ARRAYS, "mask"),
    infer=_output_type,
    active=lambda params: (*_ARRAYS, *_masks(params)),
    outputs=("output", "sums"),
    others=_sums_type,
)
_BACKWARD_OPERANDS = ("dy", *_ARRAYS, "output", "sums")
_GRADIENTS = PrivateOperator(
    name="_dot_product_attention_backward",
    kernel="dot_product_attention_backward",
    inputs=(*_BACKWARD_OPERANDS, "mask"),
    infer=lambda types, params: _gradient_types(types, params)[0],
    active=lambda params: (*_BACKWARD_OPERANDS, *_masks(params)),
    outputs=("dquery", "dkey", "dvalue"),
    others=lambda types, params: _gradient_types(types, params)[1:],
)


def with_attention(graph: Graph, *, on_cpu: bool = True) -> Graph:
    """Return the graph with scores, softmax and weighted sums of attention fused into one step.

    Args:
        graph: The graph, after ``with_fewer_reshapes`` and ``with_transposed_products``.
        on_cpu: Fuse only what is faster on CPUs. There the values of a mask that multiplies weights
            may be tested at run time, for which a GPU would have to be waited for.
    """
    ops = {graph.op(node) for node in graph.nodes}
    if "softmax" not in ops or not ops.intersection(_PRODUCTS):
        return graph
    result = [each for each in Patterns(graph).matches() if _is_equivalent(graph, *each, on_cpu)]
    return _Rewriting(graph, result).rewritten()


def _kind(forward: Forward) -> str:
    """Return the kind of an attention's mask; ``"length"`` for lengths."""
    return forward.kind if forward.length is None else "length"


def _is_equivalent(graph: Graph, forward: Forward, back: Backward | None, on_cpu: bool) -> bool:
    """Return whether torch's function computes the same as the matched nodes, no slower."""
    # torch's function draws by itself, and takes a mask or lengths, not both.
    if forward.rate or None not in (forward.length, forward.mask):
        return False
    kind = _kind(forward)
    if kind in ("where", "both") and forward.fill > _MASKED_SCORE:
        return False
    if on_cpu:
        return _gains(graph, forward, back is not None)
    # A weighing mask runs as the operators in turn, so nothing is gained on GPUs.
    return kind != "both" or is_binary(graph, forward.mask)


def _gains(graph: Graph, forward: Forward, trains: bool) -> bool:
    """Return whether fused attention is faster on CPUs than separate operators.

    Time relative to separate operators, for float32, batch 8, 8 heads, 128 by 64: prediction 0.9;
    with lengths or a mask that heads share 0.7, with a mask for each head 1.2, with an added mask
    1.6. Training 1.0 to 1.3; with 256 queries and keys, and lengths or a shared mask, 0.7 to 0.9.
    """
    kind = _kind(forward)
    if kind == "both" and by_sample(graph, forward.mask) == forward.mask:
        return False
    if kind not in ("none", "length", "both"):
        return False
    return not trains or (kind != "none" and graph.ask(_is_long, *graph.values(forward.softmax)))


def _is_long(scores: Type | None) -> bool:
    """Return whether a head has enough scores for the fused step to be faster in training."""
    return scores is not None and prod(scores[0][1:]) >= COSTS.attention.scores


class _Rewriting(AttentionRewriting):
    """Rewriting that inserts the fused steps."""

    def __init__(self, graph: Graph, result: Sequence[tuple[Forward, Backward | None]]) -> None:
        super().__init__(graph, result)
        self._replaced: dict[Node, Sequence[Value]] = {}
        """Results of the fused step, by the root of the matched attention."""

    def attention(self, forward: Forward, back: Backward | None) -> Value:
        graph, root = self.graph, forward.root
        operands = [*self._arrays(forward), *self._mask(forward)]
        op = _ATTENTION if back is None else _WITH_SUMS
        added = graph.add(op, operands, self._params(forward), name=graph.name(root), like=root)
        self._replaced[root] = graph.values(added)
        return self._replaced[root][0]

    def gradients(self, forward: Forward, back: Backward) -> Sequence[Value]:
        graph, result = self.graph, self._replaced[forward.root]
        operands = [self.now(back.dy), *self._arrays(forward), *result, *self._mask(forward)]
        name = f"{graph.name(back.dquery)}_attention"
        node = graph.add(_GRADIENTS, operands, self._params(forward), name=name, like=back.dquery)
        return graph.values(node)

    def _arrays(self, forward: Forward) -> list[Value]:
        """Return the values that hold queries, keys and values."""
        return [self.now(part.value) for part in forward.arrays]

    def _mask(self, forward: Forward) -> list[Value]:
        if forward.length is not None:
            return [self.now(forward.length)]
        return [] if forward.mask is None else [self.now(by_sample(self.graph, forward.mask))]

    def _params(self, forward: Forward) -> Mapping[str, Any]:
        return {
            "heads": forward.heads,
            "parts": tuple(part.of or () for part in forward.arrays),
            "scale": forward.scale,
            "mask": _kind(forward),
            "fill": forward.fill,
            "binary": forward.mask is not None and is_binary(self.graph, forward.mask),
        }
