"""Reads and writes graphs as JSON text: MXNet's ``-symbol.json`` of versions 0.8 to 1.9 and 2."""

import json
import re
from collections.abc import Mapping, Sequence
from json.encoder import encode_basestring
from typing import Any

from hy_ndarray import HyError, custom, is_np_shape, limits, namespaces, ops
from hy_ndarray.nd.graph_operators import GRAPH_OPERATORS
from hy_symbol._errors import GraphError, GraphFormatError, brief
from hy_symbol.graph.attribute import FORMS, HIDDEN
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.compose import created_variable
from hy_symbol.graph.control import CONTROL, check
from hy_symbol.graph.node import REGION, Entry, Graph, Node
from hy_symbol.graph.rewriting import is_op, rewrite
from hy_symbol.passes.lowering import private_of
from hy_symbol.regions import region
from hy_symbol.serialize.fused import FUSED, unfused
from hy_symbol.serialize.mxnet2 import renamed

__all__ = ["dumps", "listing", "loads"]

_VERSION = 10901  # what is written: MXNet 1.9.1
_UNTOLD = 800  # assumed of files that state no version
_ALL_LISTED = 900  # from here on graphs list every input but auxiliary states
_ARGMAX_CHANGED = 905  # before, axis=-1 of argmax and argmin meant all axes
_MXNET_2 = 20000
_LONGEST_NAME = 80  # in messages
# A shape's 0 that is not part of another number: "(0, 10)" but not "10" or "-0".
_WHOLE_ZERO = re.compile(r"(?<![\d.-])0(?![\d.])")
_LONG_LIST = 10  # MXNet's writer breaks lists longer than this over lines


# Compositions are made of symbols, which import this module.
namespaces.register_lazily("files", "hy_symbol.symbol.compositions", "compositions")


# --- writing: the exact layout of MXNet's own writer ------------------------------------------


def _json_text(value: Any, depth: int) -> str:
    if isinstance(value, str):
        return encode_basestring(value)
    if not isinstance(value, dict | list):
        return str(value) if type(value) is int else json.dumps(value)  # str is faster
    pad = "  " * (depth + 1)
    end = "\n" + "  " * depth
    if isinstance(value, dict):
        items = [f"{encode_basestring(k)}: {_json_text(v, depth + 1)}" for k, v in value.items()]
        if len(items) <= 1:
            # dmlc's JSON writer, byte by byte: files can be compared with MXNet's.
            return "{" + ", ".join(items) + "}"
        return "{\n" + pad + f", \n{pad}".join(items) + end + "}"
    items = [_json_text(v, depth + 1) for v in value]
    many = len(items) > _LONG_LIST or any(isinstance(v, dict) for v in value)
    if not many:
        return "[" + ", ".join(items) + "]"
    return "[\n" + pad + f", \n{pad}".join(items) + end + "]"


def dumps(graph: Graph, *, remove_amp_cast: bool = True) -> str:
    """Return the JSON text that MXNet 1.9.1 writes for a graph.

    Args:
        graph: The graph.
        remove_amp_cast: Whether to omit casts that mixed precision inserted, as MXNet does.
    """
    if remove_amp_cast:
        graph = _without_amp_cast(graph)
    document = _document(graph)
    semantics = {"is_np_shape": ["int", 1]} if is_np_shape() else {}
    document["attrs"] = {**semantics, "mxnet_version": ["int", _VERSION]}
    return _json_text(document, 0)


def _document(graph: Graph) -> dict[str, Any]:
    nodes = graph.nodes
    index = {node: i for i, node in enumerate(nodes)}
    # MXNet's entry ids: node i's first output has the number node_row_ptr[i].
    rows = [0]
    for node in nodes:
        count = 1 if node.op is None else node.op.outputs_in_files(node.params)
        rows.append(rows[-1] + count)
    return {
        "nodes": [_node_record(node, index, graph.auxiliary) for node in nodes],
        "arg_nodes": [i for i, node in enumerate(nodes) if node.op is None],
        "node_row_ptr": rows,
        "heads": [[index[node], i, 0] for node, i in graph.outputs],
    }


def _node_record(
    node: Node, index: Mapping[Node, int], auxiliary: frozenset[Node]
) -> dict[str, Any]:
    if private_of(node.op) is not None:
        raise GraphError(
            f"{node!r} is an operator of a kernel table, which files cannot hold; save what there "
            "was before optimize_for, or export after hybridize() without that backend"
        )
    record: dict[str, Any] = {"op": "null" if node.op is None else node.op.name, "name": node.name}
    if node.attrs:
        record["attrs"] = {key: node.attrs[key] for key in sorted(node.attrs)}
    # The third number is 1 for auxiliary states, which their operators change.
    record["inputs"] = [[index[source], i, int(source in auxiliary)] for source, i in node.inputs]
    if node.bodies:
        record["subgraphs"] = [_document(graph) for graph in node.bodies]
    return record


def _without_amp_cast(graph: Graph) -> Graph:
    """Return the graph without mixed-precision casts, except those that are outputs."""
    casts: dict[Node, Node] = {}

    def rule(node: Node, inputs: tuple[Entry, ...]) -> Sequence[Entry] | None:
        # save(remove_amp_cast=True) writes the graph as it was before amp.convert.
        if not is_op(node, "amp_cast", "amp_multicast"):
            return None
        casts[node] = node.copy(inputs=inputs)
        return inputs

    without_names = rewrite(graph, rule)
    pairs = zip(graph.outputs, without_names.outputs, strict=True)
    outputs = [(casts[old[0]], old[1]) if old[0] in casts else new for old, new in pairs]
    return Graph(tuple(outputs), without_names.first)


def listing(graph: Graph) -> str:
    """Return a listing of outputs, nodes and inputs, in the format of MXNet's ``debug_str``."""
    if len(graph.outputs) == 1 and graph.outputs[0][0].op is None:  # a lone variable is its name
        return f"Variable:{graph.outputs[0][0].name}\n"
    lines = ["Symbol Outputs:"]
    lines += [f"\toutput[{k}]={node.name}({i})" for k, (node, i) in enumerate(graph.outputs)]
    for node in graph.nodes:
        if node.op is None:
            lines.append(f"Variable:{node.name}")
            continue
        lines += ["-" * 20, f"Op:{node.op.name}, Name={node.name}", "Inputs:"]
        lines += [
            f"\targ[{k}]={source.name}({i})"
            + (f" version={int(source in graph.auxiliary)}" if source.op is None else "")
            for k, (source, i) in enumerate(node.inputs)
        ]
        if node.attrs:
            lines += ["Attrs:", *(f"\t{k}={v}" for k, v in sorted(node.attrs.items()))]
    return "\n".join(lines) + "\n"


# --- reading: every field is checked before it is used ----------------------------------------


@without_collections
def loads(text: str | bytes, *, source: str = "symbol JSON") -> Graph:
    """Return the graph that a JSON text describes.

    Args:
        text: JSON written by MXNet, version 0.8 or later, or by hy.
        source: Name of the text in messages, such as its file name.

    Raises:
        GraphFormatError: The text is not a valid graph; the message says what was found where.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        other = "" if text[:1] in ("{", b"{") else _other_format(text)
        raise GraphFormatError(f"{source}: not JSON: {other or error}") from None
    return _Reader(document, source).graph()


def _other_format(text: str | bytes) -> str:
    """Return a clause that names the text's real format, empty if unknown."""
    sniffing = namespaces.extension("files", "sniffing")
    if sniffing is None:
        return ""
    head = text[:1024]
    description: str = sniffing.described(
        head.encode() if isinstance(head, str) else head, "symbol"
    )
    return description


def _operator_named(kind: str, attrs: Mapping[str, str]) -> ops.Operator:
    """Return the operator with a name in a file: custom, control flow, or of the catalogue."""
    if kind in custom.NAMES:
        return custom.custom_operator(attrs)
    return GRAPH_OPERATORS.get(kind) or ops.find(kind)


class _Reader:
    def __init__(
        self, document: Any, source: str, depth: int = 0, outer: "_Reader | None" = None
    ) -> None:
        self.source = source
        self.depth = depth
        if not isinstance(document, dict):
            raise self.error("the document", "an object", document)
        self.document: dict[str, Any] = document
        self.version: int = self._version() if outer is None else outer.version
        np_shape = self.document.get("attrs", {}).get("is_np_shape", ["int", 0])
        self.is_classic: bool = np_shape != ["int", 1] if outer is None else outer.is_classic
        """Whether 0 in shapes of variables means unknown, even when read with np_shape on."""
        self._rewrites_zeros = self.is_classic and is_np_shape()
        self.nodes: list[Node] = []
        self._first: Node | None = None
        """First node, from which others copy the user's source line, as finding it is slow."""

    def error(self, what: str, expected: str, actual: Any) -> GraphFormatError:
        # Values are cut: a file may hold megabytes in one field.
        return GraphFormatError(f"{self.source}: {what} must be {expected}, found {brief(actual)}")

    def _version(self) -> int:
        """Return the document's MXNet version, such as 10901, or 800 if it states none."""
        attrs = self.document.get("attrs", {})
        if not isinstance(attrs, dict):
            raise self.error("'attrs'", "an object", attrs)
        entry = attrs.get("mxnet_version", ["int", _UNTOLD])
        if not isinstance(entry, list) or not entry or not isinstance(entry[-1], int):
            raise self.error("'mxnet_version'", "['int', number]", entry)
        return int(entry[-1])

    def graph(self) -> Graph:
        records = self._list(self.document.get("nodes"), "'nodes'")
        for i, record in enumerate(records):
            self.nodes.append(self._node(i, record))
            self._first = self.nodes[0]
        heads = self._list(self.document.get("heads"), "'heads'")
        if not heads:
            raise self.error("'heads'", "a list with at least one entry", heads)
        outputs: list[Entry] = []
        for k, head in enumerate(heads):
            outputs.append(self._entry(head, f"head {k}"))
        return Graph(tuple(outputs))

    def _list(self, value: Any, what: str) -> list[Any]:
        if not isinstance(value, list):
            raise self.error(what, "a list", value)
        return value

    def _node(self, i: int, record: Any) -> Node:
        if not isinstance(record, dict):
            raise self.error(f"node {i}", "an object", record)
        name, kind = record.get("name"), record.get("op")
        if not isinstance(name, str):
            raise self.error(f"node {i}: 'name'", "a string", name)
        what = f"node {i} '{name[:_LONGEST_NAME]}'"  # each input and each subgraph may need it
        if not isinstance(kind, str):
            raise self.error(f"{what}: 'op'", "a string", kind)
        attrs = self._attrs(what, record)
        entries = record.get("inputs")
        if not isinstance(entries, list):
            raise self.error(f"node {i}: 'inputs'", "a list", entries)
        if kind == "null":
            if entries:
                raise self.error(f"variable '{name}'", "without inputs", entries)
            return Node(None, name, attrs=attrs, beside=self._first)
        inputs: list[Entry] = []
        # A comprehension is a call of its own before Python 3.12, for each node.
        for k, entry in enumerate(entries):
            inputs.append(self._entry(entry, f"{what}: input {k}"))
        if kind in CONTROL or kind == REGION or kind in FUSED:
            return self._control(what, record, inputs, attrs)
        return self._operator(what, name, kind, inputs, attrs)

    def _control(
        self, what: str, record: dict[str, Any], inputs: list[Entry], attrs: dict[str, str]
    ) -> Node:
        """Read the node of a loop, branch, region or fused operator, with its subgraphs."""
        # Each level is a call of Python's; the limit can be set higher.
        if self.depth >= limits.deepest:
            setting = f"hy_ndarray.limits.deepest={limits.deepest}"
            raise self.error(
                what, f"inside at most {setting} others, which can be set higher", "more"
            )
        documents = self._list(record.get("subgraphs"), f"{what}: 'subgraphs'")
        graphs = [
            _Reader(document, f"{self.source}: {what}: subgraph {k}", self.depth + 1, self).graph()
            for k, document in enumerate(documents)
        ]
        op = CONTROL.get(record["op"])
        try:
            if record["op"] in FUSED:
                return unfused(record["name"], attrs, inputs, graphs)
            if op is None:
                return region.parsed(record["name"], inputs, attrs, graphs)
            params = op.parse({k: v for k, v in attrs.items() if k in op.params})
            node = Node(op, record["name"], inputs, attrs, params, graphs)
            check(node)
        except HyError as error:
            raise GraphFormatError(f"{self.source}: {what}: {error}") from None
        return node

    def _operator(
        self, what: str, name: str, kind: str, inputs: list[Entry], attrs: dict[str, str]
    ) -> Node:
        if self.version < _ARGMAX_CHANGED and kind in ("argmax", "argmin"):
            # Before 0.9.5 -1 was argmax's default, and meant all axes.
            attrs = {k: v for k, v in attrs.items() if (k, v) != ("axis", "-1")}
        try:
            if self.version >= _MXNET_2:
                # Names of version 2 are put back to those of 1.9, or composed.
                kind, attrs = renamed(kind, attrs)
                compositions = namespaces.extension("files", "compositions")
                if compositions.is_composed(kind, attrs):
                    node: Node = compositions.composed(kind, name, inputs, attrs)
                    return node
            op = _operator_named(kind, attrs)
            plain = attrs.keys() <= op.params.keys()
            params = op.parse(
                attrs if plain else {k: v for k, v in attrs.items() if k in op.params}
            )
            active = op.active_inputs(params)
        except HyError as error:
            raise GraphFormatError(f"{self.source}: {what}: {error}") from None
        if not plain:
            attrs = self._to_variables(attrs, active, inputs)
            self._check_attributes(what, op, attrs)
        if op.variadic:
            if not inputs:
                raise self.error(f"{what}: 'inputs'", "a list with at least one entry", inputs)
        elif len(inputs) != len(active):
            inputs = self._completed(what, name, op, active, inputs, attrs)
        return Node(op, name, inputs, attrs, params, beside=self._first)

    def _completed(
        self,
        what: str,
        name: str,
        op: ops.Operator,
        active: Sequence[str],
        inputs: list[Entry],
        attrs: dict[str, str],
    ) -> list[Entry]:
        """Return ``inputs`` with new variables for inputs that old versions do not list."""
        absent = active[len(inputs) :]
        # Until 0.8 auxiliary states were not listed; an absent optional input is no error.
        missing = [n for n in absent if n not in op.optional or op.active]
        refused = self.version >= _ALL_LISTED and any(n not in op.aux for n in missing)
        if refused or len(inputs) > len(active):
            expected = f"a list for {', '.join(active) or 'no inputs'}"
            raise self.error(f"{what}: 'inputs'", expected, f"{len(inputs)} inputs")
        return [*inputs, *((created_variable(op, name, n, attrs), 0) for n in missing)]

    def _check_attributes(self, what: str, op: ops.Operator, attrs: dict[str, str]) -> None:
        """Refuse unknown attributes, which may be parameters of later versions."""
        for key in attrs:
            known = key in op.params or key == op.count or (key[:2], key[-2:]) == ("__", "__")
            if op.params and not known and not op.ignores(key):
                expected = f"a parameter of {op.name} ({', '.join(op.params)})"
                raise self.error(f"{what}: attribute", expected, key)

    def _to_variables(
        self, attrs: dict[str, str], active: Sequence[str], inputs: Sequence[Entry]
    ) -> dict[str, str]:
        """Move attributes such as ``weight_lr_mult`` of old versions from a node to its inputs.

        They become ``__lr_mult__`` of the variable that is this input. Returns the other
        attributes.
        """
        left = dict(attrs)
        for input_name, (source, _) in zip(active, inputs, strict=False):
            for key in HIDDEN:
                value = left.pop(f"{input_name}_{key}", None)
                if value is not None and source.op is None:
                    source.attrs[f"__{key}__"] = value
        return left

    def _attrs(self, what: str, record: Mapping[str, Any]) -> dict[str, str]:
        """Return a node's attributes; versions store them as ``param``, ``attr`` or ``attrs``."""
        merged: dict[str, str] = {}
        for key in ("attr", "attrs", "param"):
            raw = record.get(key)
            if raw is None:
                continue
            if not isinstance(raw, dict):
                raise self.error(f"{what}: '{key}'", "an object", raw)
            for attr, value in raw.items():
                if not isinstance(value, str):
                    raise self.error(f"{what}: attribute {brief(attr)}", "a string", value)
                merged[FORMS.get(attr, attr)] = value
        if self._rewrites_zeros and "__shape__" in merged:
            # 0 means unknown in files of classic shapes; under np_shape that is -1.
            merged["__shape__"] = _WHOLE_ZERO.sub("-1", merged["__shape__"])
        return merged

    def _entry(self, value: Any, what: str) -> Entry:
        if not isinstance(value, list) or not 2 <= len(value) <= 3:  # noqa: PLR2004
            raise self.error(what, "[node, output] or [node, output, version]", value)
        node, output = value[0], value[1]
        if set(map(type, value)) != {int}:
            raise self.error(what, "integers", value)
        # Only earlier nodes: a file cannot have cycles.
        if not 0 <= node < len(self.nodes):
            known = f"a node listed before it (0 to {len(self.nodes) - 1})"
            raise self.error(what, known, node)
        if output and not 0 < output < self.nodes[node].num_outputs:
            limit = self.nodes[node].num_outputs
            raise self.error(what, f"one of the {limit} outputs of node {node}", output)
        return self.nodes[node], output
