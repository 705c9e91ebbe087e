"""The quantization passes: replace floats by 8-bit integers with ranges."""

from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from hy_ndarray import ArgumentError
from hy_ndarray.ops import Operator, Quantized, find
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, new_node, rewrite

__all__ = [
    "quantizable",
    "ranged_tensors",
    "weights_by_filter",
    "with_quantization",
    "with_ranges",
]

Mode: TypeAlias = Literal["full", "smart"]
OutType: TypeAlias = Literal["auto", "int8", "uint8"]

_REQUANTIZE = "requantize_"
_LAYER = "quantized_"


def quantizable(
    graph: Graph,
    *,
    mode: Mode = "full",
    excluded: Collection[str] = (),
    excluded_operators: Collection[str] = (),
) -> frozenset[Node]:
    """Return the nodes to quantize, selected by the trait ``quantized`` of their operators.

    Bodies of loops are not quantized.

    Args:
        graph: The graph.
        mode: ``"full"``: all nodes that can be; ``"smart"``: convolutions and dense layers, and
            quantizable nodes on paths between two of them.
        excluded: Names of nodes that are not quantized.
        excluded_operators: Names of operators that are not quantized.

    Raises:
        ArgumentError: There is no such mode.

    Example:
        >>> from hy_symbol import sym
        >>> x = sym.Activation(sym.FullyConnected(sym.var("x"), num_hidden=2), act_type="relu")
        >>> sorted(node.op.name for node in quantizable(x.graph))
        ['Activation', 'FullyConnected']
        >>> [node.op.name for node in quantizable(x.graph, mode="smart")]
        ['FullyConnected']
    """
    if mode not in ("full", "smart"):
        raise ArgumentError(f"quantize_mode={mode!r} must be 'full' or 'smart'")
    able = {
        node: trait
        for node in graph.nodes
        if (trait := _trait(node)) is not None
        and node.name not in excluded
        and node.op is not None
        and node.op.name not in excluded_operators
    }
    if mode == "full":
        return frozenset(able)
    profitable = {node for node, trait in able.items() if trait.is_profitable}
    # Between two profitable layers, integers save a conversion to floats and back; elsewhere they
    # add conversions.
    after, before = set(profitable), set(profitable)
    for node in graph.nodes:
        if node in able and any(source in after for source, _ in node.inputs):
            after.add(node)
    for node in reversed(graph.nodes):
        if node in able and any(user in before for user in graph.users(node)):
            before.add(node)
    return frozenset(after & before)


def _trait(node: Node) -> Quantized | None:
    """Return the trait ``quantized`` of a node's operator if it applies to its parameters."""
    if node.op is None or node.bodies:
        return None
    trait = node.op.traits.quantized
    if trait is None or not (trait.when is None or trait.when(node.params)):
        return None
    return trait


def weights_by_filter(graph: Graph, nodes: Collection[Node]) -> frozenset[str]:
    """Return the names of weights that may have one range per filter (index of axis 0).

    Args:
        graph: The graph, before it is quantized.
        nodes: The nodes that will be quantized.
    """
    able: set[Node] = set()
    # A weight that is used in another way needs one range for all its elements.
    others = {source for source, _ in graph.outputs}
    for node in graph.nodes:
        trait = _trait(node) if node in nodes else None
        for name, (source, _) in zip(node.input_names, node.inputs, strict=True):
            (able if trait is not None and name in trait.by_filter else others).add(source)
    return frozenset(node.name for node in able - others if node.is_variable)


class _Integers(NamedTuple):
    """Quantized tensor: its integers, and the real range that they represent."""

    values: Entry
    low: Entry
    high: Entry


def with_quantization(
    graph: Graph,
    nodes: Collection[Node],
    *,
    dtype: OutType = "int8",
    parameters: Collection[str] = (),
) -> Graph:
    """Return the graph with some nodes quantized.

    Inputs of these nodes are quantized by ``quantize_v2``, and results are converted back by
    ``dequantize`` where other nodes use them. 32-bit sums are converted to 8 bits by
    ``requantize``. A parameter ``w`` becomes three variables: ``w_quantize``, ``w_quantize_min``
    and ``w_quantize_max``.

    Args:
        graph: The graph.
        nodes: Nodes of :func:`quantizable`.
        dtype: Dtype of activations; ``"auto"``: ``uint8`` where no value is negative. Weights are
            ``int8``.
        parameters: Names of the variables that are quantized in advance.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc").graph
        >>> made = with_quantization(net, quantizable(net), parameters=["fc_weight"])
        >>> [node.name for node in made.nodes if node.op]
        ['x_quantize', 'quantized_fc', 'requantize_fc', 'fc_dequantize']
        >>> [node.name for node in made.variables]
        ['x', 'fc_weight_quantize', 'fc_weight_quantize_min', 'fc_weight_quantize_max']
    """
    return rewrite(graph, _Pass(frozenset(nodes), dtype, frozenset(parameters)).rule)


class _Pass:
    """State of the pass: the quantized form of each entry."""

    def __init__(self, nodes: frozenset[Node], dtype: OutType, parameters: frozenset[str]) -> None:
        self._nodes = nodes
        self._dtype = dtype
        self._parameters = parameters
        self._integers: dict[tuple[Entry, str], _Integers] = {}

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """Rewriting rule: return the dequantized outputs of a quantized node."""
        if node not in self._nodes:
            return None
        trait = _trait(node)
        assert trait is not None
        values: list[Entry] = []
        ends: list[Entry] = []
        for name, entry in zip(node.input_names, inputs, strict=True):
            if trait.inputs is not None and name not in trait.inputs:
                values.append(entry)
                continue
            integers = self._quantized_entry(
                entry, node, "int8" if name in trait.weights else self._dtype
            )
            values.append(integers.values)
            ends += (integers.low, integers.high)
        record = find(trait.operator)
        layer = Node(record, _LAYER + node.name, values + ends, _texts(node, record), beside=node)
        result = _Integers((layer, 0), (layer, 1), (layer, 2))
        if trait.sums:
            name = _REQUANTIZE + node.name
            small = new_node(
                "_contrib_requantize", result, name=name, beside=node, out_type=self._dtype
            )
            result = _Integers((small, 0), (small, 1), (small, 2))
        name = f"{node.name}_dequantize"
        floats = (new_node("_contrib_dequantize", result, name=name, beside=node), 0)
        # Quantized users take the integers instead of quantizing the floats again.
        self._integers |= {(floats, own): result for own in (self._dtype, "int8")}
        return [floats]

    def _quantized_entry(self, entry: Entry, user: Node, dtype: str) -> _Integers:
        """Return the quantized form of an entry, created on first use."""
        if (entry, dtype) not in self._integers:
            source, i = entry
            name = f"{source.output_name(i)}_quantize"
            if source.is_variable and source.name in self._parameters:
                variables = [
                    (Node(None, name + end, beside=source), 0) for end in ("", "_min", "_max")
                ]
                integers = _Integers(*variables)
                self._integers |= {(entry, own): integers for own in (self._dtype, "int8")}
            else:
                node = new_node(
                    "_contrib_quantize_v2", [entry], name=name, beside=user, out_type=dtype
                )
                self._integers[entry, dtype] = _Integers((node, 0), (node, 1), (node, 2))
        return self._integers[entry, dtype]


def _texts(node: Node, record: Operator) -> dict[str, str]:
    """Return the attributes of a node that apply to its quantized operator, too."""
    assert node.op is not None
    attrs = dict(node.attrs)
    if node.op.count is not None:
        attrs[node.op.count] = str(len(node.inputs))
    return {k: v for k, v in attrs.items() if k in record.params or k[:2] == k[-2:] == "__"}


def _ranged(graph: Graph) -> dict[Node, str]:
    """Return the nodes that accept a calibrated range, with the name of the ranged tensor."""
    ranged: dict[Node, str] = {}
    for node in graph.nodes:
        if node.op is None or not node.op.traits.ranged:
            continue
        # Not the range of the 32-bit sums counts, but that of the 8-bit integers after them.
        if any(is_op(user, "_contrib_requantize") for user in graph.users(node)):
            continue
        if is_op(node, "_contrib_quantize_v2"):
            ((source, i),) = node.inputs
            ranged[node] = source.output_name(i)
        else:
            ranged[node] = node.name.removeprefix(_REQUANTIZE).removeprefix(_LAYER) + "_output"
    return ranged


def ranged_tensors(graph: Graph) -> list[str]:
    """Return the names of the tensors whose ranges a quantized graph accepts.

    The names are those in the original graph: of a variable, or of a node's output, as
    ``fc_output``.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc").graph
        >>> ranged_tensors(with_quantization(net, quantizable(net), parameters=["fc_weight"]))
        ['x', 'fc_output']
    """
    return list(dict.fromkeys(_ranged(graph).values()))


def with_ranges(graph: Graph, ranges: Mapping[str, tuple[float, float]]) -> Graph:
    """Return a quantized graph that uses given ranges instead of computing them.

    Args:
        graph: A graph of :func:`with_quantization`.
        ranges: Minimum and maximum of tensors, by the names of :func:`ranged_tensors`.
    """
    named = _ranged(graph)

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        name = named.get(node)
        if name is None or name not in ranges:
            return None
        assert node.op is not None
        low, high = ranges[name]
        range_attrs = node.op.texts({"min_calib_range": float(low), "max_calib_range": float(high)})
        calibrated = Node(node.op, node.name, inputs, {**node.attrs, **range_attrs}, beside=node)
        return [(calibrated, i) for i in range(node.num_outputs)]

    return rewrite(graph, rule)
