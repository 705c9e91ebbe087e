"""Replaces fused operators of MXNet's oneDNN backend by the operators of their subgraphs."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_symbol._errors import GraphError
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import instantiate, is_op, new_node, rewrite

__all__ = ["FUSED", "unfused"]

FUSED = ("_sg_mkldnn_conv", "_sg_mkldnn_fully_connected")
_PAIR = 2  # ends of a range
_LEVELS = {"int8": 127.5, "uint8": 255.5}
_LARGEST_SIGNED = 127  # of int8


def unfused(
    name: str, attrs: Mapping[str, str], inputs: Sequence[Entry], bodies: Sequence[Graph]
) -> Node:
    """Return a node that computes the outputs of a fused operator by its subgraph.

    Quantized operators are emulated in floating point: data, weights (per filter) and results are
    rounded as by ``quantize_v2``. A result halfway between two integers may therefore differ by one
    from MXNet's integer arithmetic.

    Args:
        name: The fused node's name.
        attrs: Attributes of the fused node.
        inputs: One input for each variable of the body, then minimum and maximum of each quantized
            input.
        bodies: The subgraph of the fused node, as the only item.

    Raises:
        GraphError: The operator is quantized without an output range, or its subgraph does not
            match its inputs.
    """
    if len(bodies) != 1 or len(bodies[0].outputs) != 1:
        raise GraphError("has to have one subgraph of one output")
    (body,) = bodies
    operands, ranges = inputs[: len(body.variables)], inputs[len(body.variables) :]
    if len(operands) < len(body.variables) or len(ranges) % _PAIR:
        raise GraphError(f"{len(inputs)} inputs do not fit its subgraph")
    # Without quantization it is its subgraph.
    if not _is_set(attrs, "quantized"):
        ((node, _),) = instantiate(body, operands)
        return node
    # Emulated in floating point, as the catalogue has no fused operators with int32 sums.
    values = _as_numbers(body, operands, ranges)
    ((node, _),) = instantiate(rewrite(body, _as_predicted), values)
    if _is_set(attrs, "enable_float_output"):
        return node
    try:
        low, high = (float(attrs[f"{end}_calib_range"]) for end in ("min", "max"))
    except (KeyError, ValueError):
        raise GraphError(
            "is quantized without min_calib_range and max_calib_range: quantize the model with "
            "calibration data"
        ) from None
    return _quantized(name, node, low, high, operands[-1] if _has_summand(body) else None)


def _is_set(attrs: Mapping[str, str], key: str) -> bool:
    return attrs.get(key, "False").lower() in {"true", "1"}


def _as_numbers(body: Graph, operands: Sequence[Entry], ranges: Sequence[Entry]) -> list[Entry]:
    """Return floating inputs of the body: dequantized ones, and weights rounded per filter."""
    numbers = list(operands)
    for k, position in enumerate(_ranged(body, len(ranges) // _PAIR)):
        ends = ranges[_PAIR * k : _PAIR * (k + 1)]
        numbers[position] = _new_entry(
            body.variables[position].name, "_contrib_dequantize", operands[position], *ends
        )
    by_variable = dict(zip(body.variables, operands, strict=True))
    for layer in body.nodes:
        variable = layer.inputs[1][0] if is_op(layer, "Convolution") else None
        if variable in by_variable:
            column = _filter_factors(body, layer, by_variable)
            position = body.variables.index(variable)
            numbers[position] = _rounded(operands[position], column)
    return numbers


def _ranged(body: Graph, count: int) -> list[int]:
    """Return the positions of variables with ranges: the first ``count``, or data and summand."""
    if _has_summand(body):
        return [0, len(body.variables) - 1][:count]
    return list(range(count))


def _has_summand(body: Graph) -> bool:
    return body.has_op("elemwise_add", "broadcast_add")


def _filter_factors(body: Graph, layer: Node, operands: Mapping[Node, Entry]) -> Entry | None:
    """Return each filter's scale in the batch normalisation after a layer; None without one.

    The normalisation stays in the graph, but MXNet rounds the weights after folding the scale into
    them, and the rounding must be the same.
    """
    norm = next((user for user in body.users(layer) if is_op(user, "BatchNorm")), None)
    states = [] if norm is None else [operands.get(source) for source, _ in norm.inputs[1:]]
    if norm is None or None in states:
        return None

    def new(op: str, *inputs: Entry | None, **params: Any) -> Entry:
        return _new_entry(norm.name, op, *inputs, **params)

    gamma, _, mean, variance = states
    together = new("stack", gamma, mean, variance)  # so states are listed in the order they had
    wide = new("Cast", together, dtype="float64")
    split, _ = new("SliceChannel", wide, num_outputs=3, axis=0, squeeze_axis=True)
    deviation = new("sqrt", new("_plus_scalar", (split, 2), scalar=norm.params["eps"]))
    factor = new("_rdiv_scalar", deviation, scalar=1.0)
    if not norm.params["fix_gamma"]:
        factor = new("elemwise_div", (split, 0), deviation)
    # A factor of 0 would divide by 0 below; those filters stay zeros.
    nonzero = new("elemwise_add", factor, new("_equal_scalar", factor, scalar=0.0))
    shape = (-1, 1, *(1 for _ in layer.params["kernel"]))
    return new("Reshape", new("Cast", nonzero, dtype="float32"), shape=shape)


def _rounded(weight: Entry, column: Entry | None) -> Entry:
    """Return a convolution's weight rounded to 8 bits, with a range per filter.

    Args:
        weight: The weight.
        column: Scales by which the filters are multiplied before rounding, and divided after it; or
            None.
    """

    def new(op: str, *inputs: Entry, **params: Any) -> Entry:
        return _new_entry(weight[0].name, op, *inputs, **params)

    scaled = weight if column is None else new("broadcast_mul", weight, column)
    largest = new("max", new("abs", scaled), axis=0, exclude=True, keepdims=True)
    some = new("_maximum_scalar", largest, scalar=1e-30)  # a filter of zeros stays one
    scale = new("_rdiv_scalar", some, scalar=_LEVELS["int8"])
    levels = new("rint", new("broadcast_mul", scaled, scale))
    cut = new("clip", levels, a_min=-_LARGEST_SIGNED - 1, a_max=_LARGEST_SIGNED)
    return new(
        "broadcast_div", cut, scale if column is None else new("elemwise_mul", scale, column)
    )


def _new_entry(what: str, op: str, *inputs: Any, **params: Any) -> Entry:
    return new_node(op, inputs, name=f"{what}_{op.strip('_')}", **params), 0


def _as_predicted(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
    """Rewriting rule: batch normalisation uses moving statistics in both modes, as in oneDNN."""
    if not is_op(node, "BatchNorm"):
        return None
    params = {**node.params, "use_global_stats": True}
    attrs = {**node.attrs, "use_global_stats": "True"}
    copied = Node(node.op, node.name, inputs, attrs, params, beside=node)
    return [(copied, i) for i in range(copied.num_outputs)]


def _quantized(name: str, node: Node, low: float, high: float, summand: Entry | None) -> Node:
    """Return a node that quantizes an output: to unsigned integers after a ReLU, else to signed.

    If a signed summand was added, MXNet clips the unsigned result at 127 instead of 255.
    """
    relu = is_op(node, "Activation") and node.params["act_type"] == "relu"
    out_type = "uint8" if relu else "int8"
    result: Entry = (node, 0)
    if relu and summand is not None and _is_signed(summand):
        bound = _LARGEST_SIGNED * max(abs(low), abs(high)) / _LEVELS[out_type]
        result = new_node("_minimum_scalar", [result], name=f"{name}_cut", scalar=bound), 0
    return new_node(
        "_contrib_quantize_v2",
        [result],
        name=name,
        out_type=out_type,
        min_calib_range=low,
        max_calib_range=high,
    )


def _is_signed(entry: Entry) -> bool:
    """Return whether a quantized entry is signed, according to the operator that quantized it."""
    node, _ = entry
    while not is_op(node, "_contrib_quantize_v2"):
        if not node.inputs:
            return True
        node, _ = node.inputs[0]
    low = node.params["min_calib_range"]
    return node.params["out_type"] == "int8" or (
        node.params["out_type"] == "auto" and (low is None or low < 0)
    )
