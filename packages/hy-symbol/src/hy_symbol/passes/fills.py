"""Constant fills: folds arrays whose elements are all one number, such as head gradients."""

from collections.abc import Callable, Mapping, Sequence
from math import prod

from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.passes.target import Target

__all__ = ["with_folded_fills"]

# In 16 bits a product of two factors may overflow where each result does not.
_WIDE = ("float32", "float64")
_PRODUCTS = ("elemwise_mul", "broadcast_mul")
_SCALES = "_mul_scalar"
_SPREADS = (
    "Reshape",
    "reshape_like",
    "expand_dims",
    "squeeze",
    "broadcast_like",
    "broadcast_to",
    "_expand_reduced",
    "_mean_backward",
    "_copy",
)
"""Operators that map an array filled with one number to another filled array."""


def with_folded_fills(typed: TypedGraph, _: Target) -> TypedGraph:
    """Replace products with constant-filled arrays by products with numbers.

    A backward pass begins with an array of ones. The gradients of a loss's reductions and scalings
    keep it filled with one number, which is known in advance. Successive factors are combined to
    one.

    Requires: types. Ensures: the same variables and names of outputs; the same values up to the
    rounding of combined factors.

    Example:
        >>> from hy_ndarray import cpu, device_of
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> net = (sym.ones_like(x) * 4 * (x * 0.5)).graph
        >>> typed = TypedGraph.of(net, [((8, 2), "float32")])
        >>> new = with_folded_fills(typed, Target(device_of(cpu()))).graph
        >>> [(node.op.name, node.params["scalar"]) for node in new.nodes if node.op]
        [('_mul_scalar', 2.0)]
    """
    if not typed.graph.has_op("_ones", "ones_like", "_full"):
        return typed
    return typed.rewritten(rewrite(typed.graph, _rule(typed.graph, typed.types)))


def _rule(
    graph: Graph, types: Types
) -> Callable[[Node, tuple[Entry, ...]], Sequence[Entry] | None]:
    fills: dict[Entry, float] = {}
    scaled: dict[Entry, tuple[Entry, float]] = {}
    """By result, the entry that is scaled, and the factor."""

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        entry = (node, 0)
        if node.op is None or node.num_outputs != 1 or types.dtype(entry) not in _WIDE:
            return None
        if types.whole(entry) is None:
            return None
        value = _fill_value(node, inputs, fills, types)
        if value is not None:
            shape, dtype = types.get(entry)
            new = new_node("_full", [], name=node.name, like=node, shape=shape, dtype=dtype,
                            value=value), 0  # fmt: skip
            # Users of the node see the new entry among their inputs.
            fills[new] = value
            return [new]
        factor = _factor(node, inputs, fills, types)
        if factor is None:
            return None
        source, number = factor
        before = scaled.get(source)
        # If the first product has other uses it stays, and one product would become two.
        if before is not None and graph.uses(node.inputs[0]) == 1:
            source, number = before[0], before[1] * number
        new = new_node(_SCALES, [source], name=node.name, like=node, scalar=number), 0
        scaled[new] = source, number
        return [new]

    return rule


def _fill_value(
    node: Node, inputs: Sequence[Entry], fills: Mapping[Entry, float], types: Types
) -> float | None:
    """Return the number that fills the result of a node, None if it is not known to be filled."""
    if is_op(node, "_ones", "ones_like"):
        return 1.0
    if is_op(node, "_full"):
        return float(node.params["value"])
    value = fills.get(inputs[0]) if inputs else None
    if value is None or not is_op(node, _SCALES, *_SPREADS):
        return None
    if is_op(node, _SCALES):
        return value * float(node.params["scalar"])
    if is_op(node, "_mean_backward"):
        return value * _element_count(node.inputs[0], types) / _element_count((node, 0), types)
    return value


def _element_count(entry: Entry, types: Types) -> int:
    """Return the number of elements of an entry, at least 1."""
    shape, _ = types.get(entry)
    assert shape is not None
    return max(prod(n or 0 for n in shape), 1)


def _factor(
    node: Node, inputs: Sequence[Entry], fills: Mapping[Entry, float], types: Types
) -> tuple[Entry, float] | None:
    """Return the operand and the number if a node multiplies by a number, else None."""
    if is_op(node, _SCALES) and isinstance(node.params["scalar"], float | int):
        return inputs[0], float(node.params["scalar"])
    if not is_op(node, *_PRODUCTS):
        return None
    for k, other in ((0, 1), (1, 0)):
        value, source = fills.get(inputs[k]), node.inputs[other]
        # Otherwise the product broadcasts, which a scaling does not.
        if value is not None and types.are_of_one_shape(source, (node, 0)):
            return inputs[other], value
    return None
