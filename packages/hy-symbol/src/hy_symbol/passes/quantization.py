"""The quantization passes: small integers with ranges in place of floats."""

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
    """Return the nodes to compute on small integers, by the trait ``quantized``.

    Bodies of loops stay as they are.

    Args:
        graph: The graph.
        mode: ``"full"``: all that can be; ``"smart"``: convolutions and dense layers, and what lies
            between two of them with nothing else in between.
        excluded: Names of nodes that stay as they are.
        excluded_operators: Names of operators that do.

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
    # Between two layers that gain, integers save the way to floats and back; elsewhere they cost
    # that twice.
    after, before = set(profitable), set(profitable)
    for node in graph.nodes:
        if node in able and any(source in after for source, _ in node.inputs):
            after.add(node)
    for node in reversed(graph.nodes):
        if node in able and any(user in before for user in graph.users(node)):
            before.add(node)
    return frozenset(after & before)


def _trait(node: Node) -> Quantized | None:
    """Return the trait of a node's quantized form, or None."""
    if node.op is None or node.bodies:
        return None
    trait = node.op.traits.quantized
    if trait is None or not (trait.when is None or trait.when(node.params)):
        return None
    return trait


def weights_by_filter(graph: Graph, nodes: Collection[Node]) -> frozenset[str]:
    """Return the weights that may have a range per index of their first axis.

    Args:
        graph: The graph, before it is quantized.
        nodes: Those of its nodes that are to be.
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
    """Quantized tensor: integers, and the ends of their range."""

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
    """Return the graph with some nodes on small integers.

    Before them tensors become integers by ``quantize_v2``, after them ``dequantize`` gives
    floating numbers again where anything else uses those. Sums are made small by ``requantize``. A
    parameter ``w`` becomes three variables, ``w_quantize``, ``w_quantize_min`` and
    ``w_quantize_max``.

    Args:
        graph: The graph.
        nodes: The nodes, of :func:`quantizable`.
        dtype: Of the integers; ``"auto"``: ``uint8`` where no number is negative. Weights are
            ``int8``.
        parameters: Names of the variables whose integers are made beforehand.

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
    """State of the pass while it walks the graph."""

    def __init__(self, nodes: frozenset[Node], dtype: OutType, parameters: frozenset[str]) -> None:
        self._nodes = nodes
        self._dtype = dtype
        self._parameters = parameters
        self._integers: dict[tuple[Entry, str], _Integers] = {}

    def rule(self, node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        """Return the new outputs of a node."""
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
        """Return the quantized form of an entry."""
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
    """Return the annotations of a node that also hold for its quantized operator."""
    assert node.op is not None
    attrs = dict(node.attrs)
    if node.op.count is not None:
        attrs[node.op.count] = str(len(node.inputs))
    return {k: v for k, v in attrs.items() if k in record.params or k[:2] == k[-2:] == "__"}


def _ranged(graph: Graph) -> dict[Node, str]:
    """Return the nodes that accept calibrated ranges, and the tensor each belongs to."""
    ranged: dict[Node, str] = {}
    for node in graph.nodes:
        if node.op is None or not node.op.traits.ranged:
            continue
        # The range of the sums is not the one that matters: that of the small integers after it is.
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

    They are those of the graph that was quantized: of a variable, or a node's name with that of its
    output.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc").graph
        >>> ranged_tensors(with_quantization(net, quantizable(net), parameters=["fc_weight"]))
        ['x', 'fc_output']
    """
    return list(dict.fromkeys(_ranged(graph).values()))


def with_ranges(graph: Graph, ranges: Mapping[str, tuple[float, float]]) -> Graph:
    """Return the quantized graph with given ranges in place of computed ones.

    Args:
        graph: A graph of :func:`with_quantization`.
        ranges: The least and the greatest number of tensors, by the names of
            :func:`ranged_tensors`.
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
