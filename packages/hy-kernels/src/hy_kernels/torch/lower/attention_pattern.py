"""Pattern matching of attention in a graph: two products with a softmax between them."""

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from hy_kernels.lowering import Graph, Node, Value
from hy_kernels.torch.lower._types import (
    dtype_of,
    have_same_type,
    is_as_large,
    spreads_to,
    width_of,
)
from hy_kernels.torch.lower.transposed_products import PRODUCTS

__all__ = ["Backward", "Forward", "Part", "Patterns"]

# Scores replaced by more would be infinite in the dtype, and a row of them NaN.
_LARGEST = {"float64": 1.7e308, "float32": 3e38, "bfloat16": 3e38, "float16": 65504.0}
"""Dtypes, and about the largest number of each."""
_INTERLEAVED = {
    "_contrib_interleaved_matmul_selfatt_valatt": ("_contrib_interleaved_matmul_selfatt_qk", 3),
    "_contrib_interleaved_matmul_encdec_valatt": ("_contrib_interleaved_matmul_encdec_qk", 2),
}
_SCALES = ("_mul_scalar", "_div_scalar", "_contrib_div_sqrt_dim")
_FACTORS = ("elemwise_mul", "broadcast_mul")
_ADDING = ("elemwise_add", "broadcast_add")


class Part(NamedTuple):
    """Queries, keys or values in a matched attention."""

    value: Value
    of: tuple[int, int, int] | None = None
    """``(heads, parts, k)`` if they are part ``k`` of an array of interleaved heads."""


@dataclass
class Forward:
    """Matched forward pass of an attention."""

    root: Node
    """The product with the values."""
    arrays: tuple[Part, ...] = ()
    """Queries, keys and values."""
    heads: int = 0
    """Number of heads that the result has interleaved; 0: heads are a batch axis."""
    scale: float = 1.0
    alpha: float = 1.0
    """Part of the scale that is a parameter of the product of queries and keys."""
    length: Value | None = None
    mask: Value | None = None
    kind: str = "none"
    fill: float = 0.0
    rate: float = 0.0
    product: Node = None
    softmax: Node = None
    drop: Node | None = None
    """The dropout that draws."""
    scales: list[Node] = field(default_factory=list)
    nodes: set[Node] = field(default_factory=set)
    """All nodes between the arrays and the root."""

    @property
    def params(self) -> Mapping[str, Any]:
        """The parameters of the fused step."""
        return {
            "heads": self.heads,
            "scale": self.scale,
            "with_length": self.length is not None,
            "mask": self.kind,
            "fill": self.fill,
            "rate": self.rate,
        }


class Backward(NamedTuple):
    """Matched gradients of an attention."""

    dy: Value
    dquery: Node
    dkey: Node
    dvalue: Node
    nodes: set[Node]
    """All nodes between ``dy`` and the three gradients."""


class _NoMatchError(Exception):
    """The graph does not match the pattern at this node."""


class Patterns:
    """Matcher of the attentions in a graph.

    Args:
        graph: The graph.
        dtypes: Dtypes of arrays to match.
        largest: Largest number of elements of a vector.
    """

    def __init__(
        self, graph: Graph, dtypes: Collection[str] = tuple(_LARGEST), largest: float = inf
    ) -> None:
        self._graph = graph
        self._dtypes = dtypes
        self._largest = largest
        self._users: defaultdict[Value, list[Node]] = defaultdict(list)
        self._order = {node: k for k, node in enumerate(graph.nodes)}
        for node in graph.nodes:
            for value in dict.fromkeys(graph.inputs(node)):
                self._users[value].append(node)

    def matches(self) -> list[tuple[Forward, Backward | None]]:
        """Return the attentions of the graph, each with its gradients if the graph has them."""
        result = []
        for node in self._graph.nodes:
            if self._graph.op(node) in PRODUCTS or self._graph.op(node) in _INTERLEAVED:
                try:
                    result.append(self._attention(node))
                except _NoMatchError:
                    continue
        return result

    def _attention(self, root: Node) -> tuple[Forward, Backward | None]:
        forward, back = self._forward(root), None
        weights = self._weights(root)
        # The softmax is read again only by its own gradient.
        if len(self._users[weights]) > 1:
            back = self._backward(forward, weights)
        inner = forward.nodes | (set() if back is None else back.nodes)
        ends = {root} if back is None else {root, back.dquery, back.dkey, back.dvalue}
        self._expect(self._is_closed(inner, inner | ends))
        if back is not None:  # the rewriting makes the step before its gradients
            self._expect(self._order[root] < min(self._order[each] for each in ends - {root}))
        return forward, back

    @staticmethod
    def _expect(condition: object) -> None:
        if not condition:
            raise _NoMatchError

    def _is_closed(self, inner: Collection[Node], readers: Collection[Node]) -> bool:
        """Return whether the results of the ``inner`` nodes are read by ``readers`` only."""
        graph = self._graph
        uses = Counter(value for node in readers for value in graph.inputs(node))
        return all(uses[v] == graph.uses(v) for node in inner for v in graph.values(node))

    # --- the attention itself -----------------------------------------------------------------

    def _weights(self, root: Node) -> Value:
        return self._graph.inputs(root)[int(self._graph.op(root) in _INTERLEAVED)]

    def _forward(self, root: Node) -> Forward:
        graph, op = self._graph, self._graph.op(root)
        if op in PRODUCTS:
            # A transposed or scaled product with the values has no form in torch's function.
            self._expect(self._transposes(root) == (False, False) and self._alpha(root) == 1)
        value = self._below_softmax(root, result := Forward(root))
        value = self._masking(value, result)
        value = self._scaling(value, result)
        result.product = graph.source(value)
        result.nodes.add(result.product)
        result.arrays = self._operand_parts(result)
        self._check_types(result)
        if op in _INTERLEAVED:
            result.heads = graph.params(root)["heads"]
            width = self._width(result.arrays[2].value)
            # MXNet's interleaved operators divide by the square root of a head's size themselves.
            result.scale *= (width // (result.heads * _INTERLEAVED[op][1])) ** -0.5
        return result

    def _below_softmax(self, root: Node, result: Forward) -> Value:
        """Match dropout, mask factor and softmax before a product; return the softmax's input."""
        graph, value = self._graph, self._weights(root)
        node = graph.source(value)
        if graph.op(node) == "Dropout":
            self._expect(value == graph.values(node)[0])
            params = graph.params(node)
            if graph.draws(node):
                self._expect(not params["axes"] and params["p"] < 1)
                result.drop, result.rate = node, params["p"]
            result.nodes.add(node)
            value = graph.inputs(node)[0]
            node = graph.source(value)
        # In prediction Dropout has become a copy.
        elif graph.op(node) == "_copy":
            result.nodes.add(node)
            (value,) = graph.inputs(node)
            node = graph.source(value)
        if graph.op(node) in _FACTORS:
            left, right = graph.inputs(node)
            is_left = graph.op(graph.source(left)) == "softmax"
            value, result.mask = (left, right) if is_left else (right, left)
            result.kind = "both"
            result.nodes.add(node)
            node = graph.source(value)
        self._expect(graph.op(node) == "softmax")
        params = graph.params(node)
        plain = params["temperature"] in (None, 1.0) and params["dtype"] is None
        self._expect(plain and params["axis"] in (-1, 2))
        result.softmax = node
        result.nodes.add(node)
        value, *length = graph.inputs(node)
        result.length = length[0] if length else None
        return value

    def _masking(self, value: Value, result: Forward) -> Value:
        """Match a mask, and add it to the match; return the value it is applied to."""
        graph, node = self._graph, self._graph.source(value)
        if graph.op(node) == "where":
            mask, scores, other = graph.inputs(node)
            # Weights times a mask, and scores replaced by the same mask: one mask in both places.
            self._expect(result.mask in (None, mask))
            result.fill, fillers = self._constant(other)
            dtype = graph.ask(dtype_of, value)
            self._expect(dtype is not None and abs(result.fill) <= _LARGEST.get(dtype, 0))
            result.kind, result.mask = result.kind if result.mask == mask else "where", mask
            result.nodes |= {node, *fillers}
            return scores
        self._expect(result.mask is None)
        if graph.op(node) in _ADDING:
            left, right = graph.inputs(node)
            # The mask may stand on either side; scores are the side with the product.
            is_left = self._is_product(self._unscaled(left))
            result.mask, result.kind = (right if is_left else left), "added"
            result.nodes.add(node)
            return left if is_left else right
        return value

    def _constant(self, value: Value) -> tuple[float, list[Node]]:
        """Return the number in a constant array of ones or zeros, scaled or not, and its nodes."""
        graph, node, number = self._graph, self._graph.source(value), 1.0
        nodes = [node]
        # A full array of one number is how graphs write ones_like times a scalar.
        if graph.op(node) == "_mul_scalar":
            number = float(graph.params(node)["scalar"])
            node = graph.source(graph.inputs(node)[0])
            nodes.append(node)
        self._expect(graph.op(node) in ("ones_like", "zeros_like"))
        return number if graph.op(node) == "ones_like" else 0.0, nodes

    def _unscaled(self, value: Value) -> Node:
        graph, node = self._graph, self._graph.source(value)
        while graph.op(node) in _SCALES:
            node = graph.source(graph.inputs(node)[0])
        return node

    def _is_product(self, node: Node) -> bool:
        graph = self._graph
        return graph.op(node) in PRODUCTS or any(
            graph.op(node) == x for x, _ in _INTERLEAVED.values()
        )

    def _scaling(self, value: Value, result: Forward) -> Value:
        """Match the scaling of the scores; return the unscaled scores."""
        graph = self._graph
        while graph.op(node := graph.source(value)) in _SCALES:
            result.scale *= self._factor(node)
            result.scales.append(node)
            result.nodes.add(node)
            (value,) = graph.inputs(node)
        return value

    def _factor(self, node: Node) -> float:
        if self._graph.op(node) == "_contrib_div_sqrt_dim":
            size = self._width(self._graph.values(node)[0])
            return float(size**-0.5)
        number = float(self._graph.params(node)["scalar"])
        self._expect(number != 0)
        return number if self._graph.op(node) == "_mul_scalar" else 1 / number

    def _operand_parts(self, result: Forward) -> tuple[Part, Part, Part]:
        """Return the queries, keys and values of a match."""
        graph, op, product = self._graph, self._graph.op(result.root), result.product
        if op in PRODUCTS:
            self._expect(
                graph.op(product) in PRODUCTS and self._transposes(product) == (False, True)
            )
            result.alpha = self._alpha(product)
            result.scale *= result.alpha
            query, key = graph.inputs(product)
            return Part(query), Part(key), Part(graph.inputs(result.root)[1])
        scores, parts = _INTERLEAVED[op]
        heads, data = graph.params(result.root)["heads"], graph.inputs(result.root)[0]
        self._expect(graph.op(product) == scores and graph.params(product)["heads"] == heads)
        # Scores and values of one attention come from the same projections.
        self._expect(graph.inputs(product)[-1] == data)
        key, value = Part(data, (heads, parts, parts - 2)), Part(data, (heads, parts, parts - 1))
        query = Part(graph.inputs(product)[0], (heads, 3 if parts == 3 else 1, 0))
        return query, key, value

    def _transposes(self, node: Node) -> tuple[bool, bool]:
        params = self._graph.params(node)
        return params["transpose_a"], params["transpose_b"]

    def _alpha(self, node: Node) -> float:
        """Return the scale factor of a product of stacked matrices.

        Rows have to be on the last but one axis, else there is no match.
        """
        params = self._graph.params(node)
        self._expect(params.get("axis", -2) in (-2, 1))
        return float(params.get("alpha", 1))

    def _is_plain(self, node: Node, alpha: float = 1.0) -> bool:
        """Return whether a node is a product of stacked matrices with scale factor ``alpha``."""
        return self._graph.op(node) in PRODUCTS and self._alpha(node) == alpha

    def _width(self, value: Value) -> int:
        """Return the length of a value's last axis; without elements there is no match."""
        width = self._graph.ask(width_of, value)
        self._expect(width is not None)
        assert width is not None
        return width

    def _check_types(self, result: Forward) -> None:
        graph = self._graph
        dtypes = {graph.ask(dtype_of, part.value) for part in result.arrays}
        self._expect(len(dtypes) == 1 and dtypes.issubset(self._dtypes))
        sizes = set()
        for part in result.arrays:
            width = self._width(part.value)
            sizes.add(width if part.of is None else width // (part.of[0] * part.of[1]))
        self._expect(len(sizes) == 1 and max(sizes) <= self._largest)
        if result.mask is not None:
            scores = graph.values(result.softmax)
            fits = spreads_to if result.kind == "added" else is_as_large
            self._expect(graph.ask(fits, result.mask, *scores))

    # --- its gradients ------------------------------------------------------------------------

    def _backward(self, forward: Forward, weights: Value) -> Backward:
        graph, nodes = self._graph, set[Node]()
        readers = (x for x in self._users[weights] if x is not forward.root)
        # Of the readers of the weights all but the softmax's gradient lead to dvalue.
        (dvalue,) = self._single(x for x in readers if self._graph.op(x) != "_softmax_backward")
        self._expect(self._is_plain(dvalue) and self._transposes(dvalue) == (True, False))
        operands, gradient = graph.inputs(dvalue)
        self._expect(operands == weights)
        dy = gradient
        if forward.heads:
            self._expect(self._is_part(gradient, None, (forward.heads, 1, 0)))
            dy = graph.inputs(graph.source(gradient))[0]
            nodes.add(graph.source(gradient))
        (node,) = self._single(
            x
            for x in self._users[gradient]
            if self._is_plain(x)
            and self._transposes(x) == (False, True)
            and graph.inputs(x)[0] == gradient
            and self._is_array(graph.inputs(x)[1], forward.arrays[2])
        )
        nodes.add(node)
        node = self._through_softmax(node, forward, nodes)
        node = self._through_masking(node, forward, nodes)
        # Gradients pass the scales in reverse order.
        for scale in reversed(forward.scales):
            node = self._only_user(node, nodes)
            same = graph.op(node) == graph.op(scale) and graph.params(node) == graph.params(scale)
            self._expect(same)
        dquery, dkey = self._products(graph.values(node)[0], forward, nodes)
        return Backward(dy, dquery, dkey, dvalue, nodes)

    @staticmethod
    def _single(result: Any) -> tuple[Any]:
        nodes = tuple(result)
        Patterns._expect(len(nodes) == 1)
        return nodes

    def _only_user(self, node: Node, nodes: set[Node]) -> Node:
        """Return the only node that reads a node's result, and add it to the matched ``nodes``."""
        (result,) = self._single(self._users[self._graph.values(node)[0]])
        nodes.add(result)
        return result

    def _after_sum(self, node: Node, nodes: set[Node]) -> Node:
        """Return the ``_sum_like`` that follows a node if it sums nothing, else the node itself."""
        graph = self._graph
        (value,) = graph.values(node)
        readers = self._users[value]
        # The gradient of a broadcast of equal shapes sums nothing; it is passed.
        if [graph.op(each) for each in readers] != ["_sum_like"]:
            return node
        self._expect(graph.ask(have_same_type, value, *graph.values(readers[0])))
        nodes.add(readers[0])
        return readers[0]

    def _is_part(self, value: Value, of: Value | None, which: tuple[int, int, int]) -> bool:
        graph, node = self._graph, self._graph.source(value)
        if graph.op(node) != "_head_part":
            return False
        params = graph.params(node)
        same = (params["heads"], params["parts"], params["part"]) == which
        return same and of in (None, graph.inputs(node)[0])

    def _is_array(self, value: Value, part: Part) -> bool:
        if part.of is None:
            return bool(value == part.value)
        return self._is_part(value, part.value, part.of)

    def _through_softmax(self, node: Node, forward: Forward, nodes: set[Node]) -> Node:
        graph = self._graph
        if forward.drop is not None:
            node = self._only_user(node, nodes)
            mask = graph.values(forward.drop)[1]
            self._expect(graph.op(node) in _FACTORS and graph.inputs(node)[1] == mask)
        if forward.kind == "both":
            node = self._only_user(node, nodes)
            self._expect(graph.op(node) in _FACTORS and forward.mask in graph.inputs(node))
            node = self._after_sum(node, nodes)
        node = self._only_user(node, nodes)
        self._expect(graph.op(node) == "_softmax_backward")
        self._expect(graph.inputs(node)[1] == graph.values(forward.softmax)[0])
        return node

    def _through_masking(self, node: Node, forward: Forward, nodes: set[Node]) -> Node:
        graph = self._graph
        if forward.kind not in ("where", "both"):
            return self._after_sum(node, nodes)
        (gradient,) = graph.values(node)
        readers = {graph.op(x): x for x in self._users[gradient]}
        # The gradient of `where` is zeros at hidden scores.
        self._expect(readers.keys() == {"zeros_like", "where"})
        node, zeros = readers["where"], readers["zeros_like"]
        self._expect(graph.inputs(node) == (forward.mask, gradient, graph.values(zeros)[0]))
        nodes |= {node, zeros}
        return node

    def _products(self, gradient: Value, forward: Forward, nodes: set[Node]) -> tuple[Node, Node]:
        """Match the two products that give the gradients to queries and keys; return them."""
        graph, result = self._graph, dict[tuple[bool, bool], Node]()
        for node in self._users[gradient]:
            self._expect(self._is_plain(node, forward.alpha) and graph.inputs(node)[0] == gradient)
            result[self._transposes(node)] = node
        self._expect(result.keys() == {(False, False), (True, False)})
        query, key, _ = forward.arrays
        roots = []
        for transposes, part in (((False, False), key), ((True, False), query)):
            node = result[transposes]
            self._expect(self._is_array(graph.inputs(node)[1], part))
            if forward.heads:
                nodes.add(node)
                (node,) = self._single(self._users[graph.values(node)[0]])
                self._expect(graph.op(node) == "_contrib_div_sqrt_dim")
            roots.append(node)
        return roots[0], roots[1]
