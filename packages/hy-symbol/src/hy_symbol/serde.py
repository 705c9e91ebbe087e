"""Graphs as JSON text: MXNet's ``-symbol.json``, in the forms of versions 0.8 to 1.9."""

import json
from collections.abc import Mapping
from typing import Any

from hy_ndarray import HyError, ops
from hy_symbol._errors import GraphFormatError
from hy_symbol.graph import Entry, Graph, Node

__all__ = ["dumps", "loads"]

_VERSION = 10901
_LONG_LIST = 10  # MXNet's writer breaks lists longer than this over lines


# --- writing: the exact layout of MXNet's own writer ------------------------------------------


def _text(value: Any, depth: int) -> str:
    pad = "  " * (depth + 1)
    end = "\n" + "  " * depth
    if isinstance(value, dict):
        items = [
            f"{json.dumps(k, ensure_ascii=False)}: {_text(v, depth + 1)}" for k, v in value.items()
        ]
        if len(items) <= 1:
            return "{" + ", ".join(items) + "}"
        return "{\n" + pad + f", \n{pad}".join(items) + end + "}"
    if isinstance(value, list):
        items = [_text(v, depth + 1) for v in value]
        many = len(items) > _LONG_LIST or any(isinstance(v, dict) for v in value)
        if not many:
            return "[" + ", ".join(items) + "]"
        return "[\n" + pad + f", \n{pad}".join(items) + end + "]"
    return json.dumps(value, ensure_ascii=False)


def dumps(graph: Graph, *, remove_amp_cast: bool = True) -> str:
    """The JSON text MXNet 1.9.1 writes for the graph.

    Args:
        graph: The graph.
        remove_amp_cast: Leave out casts that mixed precision put in, as MXNet does.
    """
    if remove_amp_cast:
        graph = _without_amp_cast(graph)
    nodes = graph.nodes
    index = {id(node): i for i, node in enumerate(nodes)}
    rows = [0]
    for node in nodes:
        rows.append(rows[-1] + node.num_outputs)
    document = {
        "nodes": [_node_record(node, index, graph.auxiliary) for node in nodes],
        "arg_nodes": [i for i, node in enumerate(nodes) if node.op is None],
        "node_row_ptr": rows,
        "heads": [[index[id(node)], i, 0] for node, i in graph.outputs],
        "attrs": {"mxnet_version": ["int", _VERSION]},
    }
    return _text(document, 0)


def _node_record(node: Node, index: Mapping[int, int], auxiliary: frozenset[int]) -> dict[str, Any]:
    record: dict[str, Any] = {"op": "null" if node.op is None else node.op.name, "name": node.name}
    if node.attrs:
        record["attrs"] = {key: node.attrs[key] for key in sorted(node.attrs)}
    record["inputs"] = [
        [index[id(source)], i, int(id(source) in auxiliary)] for source, i in node.inputs
    ]
    return record


def _without_amp_cast(graph: Graph) -> Graph:
    from hy_symbol.compose import substitute  # noqa: PLC0415  # compose needs graphs

    casts = [n for n in graph.nodes if n.op is not None and n.op.name == "amp_cast"]
    return substitute(graph, {id(n): n.inputs[0] for n in casts}) if casts else graph


# --- reading: every field is checked before it is used ----------------------------------------


def loads(text: str | bytes, *, source: str = "symbol JSON") -> Graph:
    """The graph a JSON text describes.

    Args:
        text: What MXNet, version 0.8 or later, or hy wrote.
        source: What messages call the text, such as its file name.

    Raises:
        GraphFormatError: The text is not such a graph; says what was found where.
    """
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GraphFormatError(f"{source}: not JSON: {error}") from None
    return _Reader(document, source).graph()


class _Reader:
    def __init__(self, document: Any, source: str) -> None:
        self.source = source
        if not isinstance(document, dict):
            raise self.error("the document", "an object", document)
        self.document: dict[str, Any] = document
        self.nodes: list[Node] = []

    def error(self, what: str, expected: str, found: Any) -> GraphFormatError:
        shown = repr(found)
        shown = shown if len(shown) <= 80 else shown[:77] + "..."  # noqa: PLR2004
        return GraphFormatError(f"{self.source}: {what} must be {expected}, found {shown}")

    def graph(self) -> Graph:
        records = self._list(self.document.get("nodes"), "'nodes'")
        for i, record in enumerate(records):
            self.nodes.append(self._node(i, record))
        heads = self._list(self.document.get("heads"), "'heads'")
        if not heads:
            raise self.error("'heads'", "a list with at least one entry", heads)
        return Graph(tuple(self._entry(head, f"head {k}") for k, head in enumerate(heads)))

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
        if not isinstance(kind, str):
            raise self.error(f"node {i} '{name}': 'op'", "a string", kind)
        attrs = self._attrs(i, name, record)
        inputs = [
            self._entry(entry, f"node {i} '{name}': input {k}")
            for k, entry in enumerate(self._list(record.get("inputs"), f"node {i}: 'inputs'"))
        ]
        if kind == "null":
            if inputs:
                raise self.error(f"variable '{name}'", "without inputs", record["inputs"])
            return Node(None, name, attrs=attrs)
        return self._operator(i, name, kind, inputs, attrs)

    def _operator(
        self, i: int, name: str, kind: str, inputs: list[Entry], attrs: dict[str, str]
    ) -> Node:
        try:
            op = ops.find(kind)
            params = op.parse({k: v for k, v in attrs.items() if k in op.params})
            active = op.active_inputs(params)
        except HyError as error:
            raise GraphFormatError(f"{self.source}: node {i} '{name}': {error}") from None
        if not op.variadic:
            missing = [n for n in active[len(inputs) :] if n not in op.optional or op.active]
            if any(n not in op.aux for n in missing) or len(inputs) > len(active):
                expected = f"a list for {', '.join(active) or 'no inputs'}"
                raise self.error(f"node {i} '{name}': 'inputs'", expected, f"{len(inputs)} inputs")
            # Before 1.0 auxiliary states were not listed.
            inputs = [*inputs, *((Node(None, f"{name}_{n}"), 0) for n in missing)]
        return Node(op, name, inputs, attrs, params)

    def _attrs(self, i: int, name: str, record: Mapping[str, Any]) -> dict[str, str]:
        """Attributes: ``param`` and ``attr`` before 1.0, ``attr``, then ``attrs``."""
        merged: dict[str, str] = {}
        for key in ("attr", "attrs", "param"):
            found = record.get(key)
            if found is None:
                continue
            if not isinstance(found, dict):
                raise self.error(f"node {i} '{name}': '{key}'", "an object", found)
            for attr, value in found.items():
                if not isinstance(value, str):
                    raise self.error(f"node {i} '{name}': attribute {attr!r}", "a string", value)
                merged[attr] = value
        return merged

    def _entry(self, value: Any, what: str) -> Entry:
        if not isinstance(value, list) or not 2 <= len(value) <= 3:  # noqa: PLR2004
            raise self.error(what, "[node, output] or [node, output, version]", value)
        node, output = value[0], value[1]
        if not all(isinstance(x, int) and not isinstance(x, bool) for x in value):
            raise self.error(what, "integers", value)
        if not 0 <= node < len(self.nodes):
            known = f"a node listed before it (0 to {len(self.nodes) - 1})"
            raise self.error(what, known, node)
        if not 0 <= output < self.nodes[node].num_outputs:
            limit = self.nodes[node].num_outputs
            raise self.error(what, f"one of the {limit} outputs of node {node}", output)
        return self.nodes[node], output
