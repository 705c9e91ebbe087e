"""Analysis of masks in a graph: whether they are binary, and whether heads share them."""

from hy_kernels.lowering import Graph, Value
from hy_kernels.record import Type

__all__ = ["by_sample", "is_binary"]

_COMPARING = ("equal", "not_equal", "greater", "greater_equal", "lesser", "lesser_equal")
_AND_MORE = ("logical_and", "logical_or", "logical_xor")
_BINARY = {
    "ones_like", "zeros_like", "logical_not", "_ones", "_zeros",
    *(f"broadcast_{name}" for name in (*_COMPARING, *_AND_MORE)),
    *(f"_{name}" for name in (*_COMPARING, *_AND_MORE)),
    *(f"_{name}_scalar" for name in (*_COMPARING, *_AND_MORE)),
}  # fmt: skip
_MOVING = {
    "BlockGrad", "Cast", "Reshape", "SliceChannel", "SwapAxis", "_copy", "amp_cast",
    "broadcast_axis", "broadcast_like", "broadcast_to", "expand_dims", "repeat", "reshape_like",
    "slice", "slice_axis", "slice_like", "squeeze", "tile", "transpose",
}  # fmt: skip
"""Operators that only move, repeat or cast the elements of their first input."""
_PRODUCTS = {"broadcast_mul", "elemwise_mul"}
_BY_SAMPLE = 4  # axes


def is_binary(graph: Graph, value: Value) -> bool:
    """Return whether a value is known to consist of zeros and ones, as comparisons do."""
    # A list instead of recursion, whose depth long graphs would exceed.
    waiting, seen = [value], set[Value]()
    while waiting:
        each = waiting.pop()
        if each in seen:
            continue
        seen.add(each)
        node = graph.source(each)
        op = graph.op(node)
        if op in _PRODUCTS:
            waiting += graph.inputs(node)
        elif op in _MOVING:
            waiting.append(graph.inputs(node)[0])
        elif op not in _BINARY:
            return False
    return True


def by_sample(graph: Graph, mask: Value) -> Value:
    """Return the mask ``[N, 1, L, S]`` that ``mask`` repeats for each head, or else ``mask``."""
    node = graph.source(mask)
    if graph.op(node) != "Reshape":
        return mask
    spread = graph.source(graph.inputs(node)[0])
    # MXNet code repeats a mask for heads by broadcast_axis and Reshape to [N heads, L, S].
    if graph.op(spread) != "broadcast_axis" or graph.params(spread)["axis"] != (1,):
        return mask
    (shared,) = graph.inputs(spread)
    return shared if graph.ask(_is_of, shared, mask, args=graph.params(spread)["size"]) else mask


def _is_of(shared: Type | None, mask: Type | None, heads: int) -> bool:
    """Return whether ``mask`` has the shape of ``shared [N, 1, L, S]`` repeated for each head."""
    if shared is None or mask is None or len(shared[0]) != _BY_SAMPLE:
        return False
    count, _, *matrix = shared[0]
    return mask[0] == (count * heads, *matrix)
