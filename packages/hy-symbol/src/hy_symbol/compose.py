"""Growing graphs: nodes out of operator calls, and graphs with variables replaced."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, Params
from hy_ndarray.ops import Operator
from hy_symbol import attribute, name as naming
from hy_symbol._errors import GraphError
from hy_symbol.graph import Entry, Graph, Node

__all__ = ["call", "node_of", "substitute", "variable_node"]


def variable_node(name: str, attrs: Mapping[str, str] | None = None) -> Node:
    """A variable with the attributes of the current scope and ``attrs``."""
    merged = attribute.current().get(dict(attrs or {}))
    return Node(None, name, attrs={attribute.hidden(k): v for k, v in merged.items()})


def node_of(
    op: Operator,
    inputs: Sequence[Entry | None],
    params: Params,
    given: Mapping[str, str],
    *,
    hint: str | None = None,
    name: str | None = None,
    attr: Mapping[str, str] | None = None,
) -> Node:
    """A node for ``op``; inputs it must have and did not get become variables.

    Args:
        op: The operator.
        inputs: One entry per declared input, None where there is none.
        params: All parameters in Python form.
        given: Text form of the parameters to keep in the graph.
        hint: What an automatic name begins with; the operator's name if None.
        name: The node's name; automatic if None.
        attr: Attributes beside the parameters.

    Raises:
        GraphError: An input is missing that does not become a variable.
    """
    name = naming.current().get(name, (hint or op.name).lower())
    extra = attribute.current().get(attr)
    attrs = {**given, **{attribute.hidden(k): v for k, v in extra.items()}}
    if op.variadic:
        entries = [entry for entry in inputs if entry is not None]
        if len(entries) != len(inputs) or not entries:
            raise GraphError(
                f"{op.name} '{name}': {len(entries)} inputs of {len(inputs)} are given"
            )
        if op.count is not None:
            attrs = {op.count: str(len(entries)), **attrs}
        return Node(op, name, entries, attrs, params)
    by_name = dict(zip(op.inputs, inputs, strict=True))
    entries = []
    active = op.active_inputs(params)
    for spare in [n for n, e in by_name.items() if e is not None and n not in active]:
        raise ArgumentError(
            f"{op.name} '{name}': input {spare} is given, but its parameters say no"
        )
    for input_name in active:
        entry = by_name[input_name]
        if entry is None:
            if op.active is None and input_name in op.optional:
                continue
            entry = (Node(None, f"{name}_{input_name}", attrs=attrs), 0)
        entries.append(entry)
    return Node(op, name, entries, attrs, params)


def call(op: Operator, hint: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Node:
    """The node that ``sym.<hint>(*args, **kwargs)`` makes."""
    name = kwargs.pop("name", None)
    attr = kwargs.pop("attr", None)
    kwargs.pop("out", None)
    extra = {k: str(kwargs.pop(k)) for k in [k for k in kwargs if k.startswith("__")]}
    inputs, params, given, ctx = op.bind(args, kwargs)
    if ctx and op.ctx is not None:
        given[op.ctx] = ctx
    entries = [None if x is None else x.single_entry(op.name) for x in inputs]
    merged = {**extra, **(attr or {})}
    return node_of(op, entries, params, given, hint=hint, name=name, attr=merged)


def substitute(graph: Graph, mapping: Mapping[int, Entry]) -> Graph:
    """The graph with nodes replaced: ``mapping`` goes from ``id(variable)`` to an entry.

    Nodes that depend on none of them are shared with the old graph.
    """
    fresh: dict[int, Node] = {}

    def moved(entry: Entry) -> Entry:
        node, index = entry
        return mapping.get(id(node)) or (fresh.get(id(node), node), index)

    for node in graph.nodes:
        inputs = tuple(moved(entry) for entry in node.inputs)
        if inputs != node.inputs:
            copy = Node(node.op, node.name, inputs, node.attrs)
            copy.where = node.where
            fresh[id(node)] = copy
    return Graph(tuple(moved(entry) for entry in graph.outputs))
