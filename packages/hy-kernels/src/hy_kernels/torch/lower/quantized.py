"""Two-dimensional int8 convolutions for prediction, with weights packed once."""

from collections.abc import Callable, Mapping, Sequence
from math import ceil, prod
from typing import Any

from hy_kernels.lowering import Graph, Node, PrivateOperator, Value
from hy_kernels.record import Type
from hy_kernels.windows import geometry_by_axis, window_counts

__all__ = ["with_packed_int8_convolutions"]

_GEOMETRY = ("stride", "dilate", "pad", "num_group")
_LEVELS = {"int8": 128, "uint8": 256}
_TYPICAL_LEVEL = 72
"""Mean magnitude of a filter's weights that is seldom exceeded; uniform ones have 64."""
_EXACT = 1 << 24  # integers up to this are exact in float32
_RANK = 4
_ENDS = ("min_data", "max_data", "min_weight", "max_weight")


def _filters_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    (filters, channels, *kernel), dtype = types[0]
    parts = params["parts"]
    return (parts * filters, channels // parts, *kernel), dtype


def _convolution_type(types: Sequence[Type], params: Mapping[str, Any]) -> Type:
    ((n, _, *size), _), ((_, _, *kernel), _), ((filters,), _) = types[:3]
    geometry = geometry_by_axis(2, params["stride"], params["dilate"], params["pad"])
    return (n, filters, *window_counts(tuple(size), tuple(kernel), *geometry)), "int32"


def _active(*first: str) -> Callable[[Mapping[str, Any]], Sequence[str]]:
    def names(params: Mapping[str, Any]) -> Sequence[str]:
        if params["no_bias"]:
            return (*first, *_ENDS)
        return (*first, "bias", *_ENDS, "min_bias", "max_bias")

    return names


_REST = ("bias", *_ENDS, "min_bias", "max_bias")
_FILTERS = PrivateOperator(
    name="_int8_filters", kernel="int8_filters", inputs=("weight",), infer=_filters_type
)
_MAGNITUDES = PrivateOperator(
    name="_int8_magnitudes",
    kernel="int8_magnitudes",
    inputs=("weight",),
    infer=lambda types, _: (types[0][0][:1], "int32"),
)
_LAYER = PrivateOperator(
    name="_int8_convolution",
    kernel="int8_convolution",
    inputs=("data", "weight", "filters", *_REST),
    infer=_convolution_type,
    active=_active("data", "weight", "filters"),
)
_RANGE = PrivateOperator(
    name="_int8_convolution_range",
    kernel="int8_convolution_range",
    inputs=("data", "filters", *_REST),
    infer=lambda *_: ((1,), "float32"),
    active=_active("data", "filters"),
)


def with_packed_int8_convolutions(graph: Graph) -> Graph:
    """Return the graph with quantized convolutions in the form that oneDNN computes fastest."""

    def rule(node: Node, inputs: tuple[Value, ...]) -> Sequence[Value] | None:
        if graph.op(node) != "_contrib_quantized_conv":
            return None
        types = [graph.type(value) for value in graph.inputs(node)[:2]]
        parts = _part_count(types, graph.params(node))
        if parts is None or types[0] is None:
            return None
        return _integer_sums(graph, node, inputs, {"kind": types[0][1], "size": types[0][0]}, parts)

    result = any(graph.op(node) == "_contrib_quantized_conv" for node in graph.nodes)
    return graph.rewrite(rule) if result else graph


def _part_count(types: Sequence[Type | None], params: Mapping[str, Any]) -> int | None:
    """Return the number of parts to split the channels into; None to keep the layer as it is.

    Sums of a part stay below 2²⁴, so that float32 is exact.
    """
    if None in types or params["layout"] not in (None, "NCHW"):
        return None
    ((size, kind), (weight, weights)) = (each for each in types if each is not None)
    if len(size) != _RANK or kind not in _LEVELS or weights != "int8" or not prod(size):
        return None
    # The sums of typical filters stay below 2**24 then; int8_filters looks at the real ones.
    channels, products = weight[1], prod(weight[1:])
    lowest = ceil(products * _TYPICAL_LEVEL * _LEVELS[kind] / _EXACT)
    # Groups and parts would be groups of groups.
    if lowest > 1 and params["num_group"] > 1:
        return None
    # The fewest parts that divide the channels.
    return next(count for count in range(max(lowest, 1), channels + 1) if channels % count == 0)


def _integer_sums(
    graph: Graph, node: Node, inputs: tuple[Value, ...], images: Mapping[str, Any], parts: int
) -> Sequence[Value]:
    """Add the packed layer to the graph; return its int32 sums, and the ends of their range."""
    data, weight, *rest = inputs
    name, params = graph.name(node), graph.params(node)
    geometry = {each: params[each] for each in _GEOMETRY}
    result: list[Value] = []
    for op, more in (
        (_FILTERS, {**geometry, **images, "parts": parts}),
        (_MAGNITUDES, {}),
    ):
        added = graph.add(op, [weight], more, name=f"{name}{op.name}", like=node, replaces=False)
        (value,) = graph.values(added)
        graph.prepare(value)
        result.append(value)
    packed, magnitudes = result
    bias = {"no_bias": params["no_bias"]}
    layer = graph.add(
        _LAYER,
        [data, packed, magnitudes, *rest],
        {**geometry, **bias, "parts": parts},
        name=name,
        like=node,
    )
    end = graph.add(
        _RANGE, [data, magnitudes, *rest], bias, name=f"{name}_max", like=node, replaces=False
    )
    (high,) = graph.values(end)
    begin = graph.add("negative", [high], {}, name=f"{name}_min", like=node, replaces=False)
    return (*graph.values(layer), *graph.values(begin), high)
