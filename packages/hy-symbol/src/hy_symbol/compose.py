"""Growing graphs: nodes out of operator calls, and graphs with variables replaced."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, NDArray, Params, limits
from hy_ndarray.casting import cast_inputs, casting_policy
from hy_ndarray.ops import Operator
from hy_symbol import attribute, name as naming
from hy_symbol._errors import ArrayOperandError, GraphError
from hy_symbol.graph import Entry, Graph, Node

__all__ = ["call", "created_variable", "entry", "node_of", "substitute", "variable_node"]

_INITIAL = {
    "moving_mean": '["zero", {}]',
    "moving_avg": '["zero", {}]',
    "moving_var": '["one", {}]',
}
"""How auxiliary states are initialised, by the operator's name of the input."""
_POSITIONAL = re.compile(r"arg(0|[1-9]\d*)")


def variable_node(name: str, attrs: Mapping[str, str] | None = None) -> Node:
    """A variable with the attributes of the current scope and ``attrs``."""
    return Node(None, name, attrs=attribute.merged(attrs))


def entry(operand: Any, user: str) -> Entry:
    """The only output of a symbol; ``user`` is what messages call the place where it is used.

    Raises:
        ArgumentError: It is no symbol.
        GraphError: It has several outputs.
    """
    single = getattr(operand, "single_entry", None)
    if single is None and isinstance(operand, NDArray):
        raise ArrayOperandError(
            f"{user}: a {type(operand).__name__} is given where a Symbol belongs; while a block "
            "is traced, values that are not computed from its arguments have to be parameters or "
            "constants of it (params.get_constant)"
        )
    if single is None:
        raise ArgumentError(f"{user}: a {type(operand).__name__} is given where a Symbol belongs")
    found: Entry = single(user)
    return found


def created_variable(op: Operator, name: str, input_name: str, attrs: Mapping[str, str]) -> Node:
    """The variable that becomes input ``input_name`` of a node called ``name``, left out in a call.

    Like MXNet it has the attributes of the node, its parameters included.
    """
    created = dict(attrs)
    if input_name in op.aux and input_name in _INITIAL:
        created.setdefault("__init__", _INITIAL[input_name])
    return Node(None, f"{name}_{input_name}", attrs=created)


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
        ArgumentError: An input is given that the parameters exclude, or an attribute is neither a
            parameter nor of the form ``__name__``.
    """
    name = naming.current().get(name, (hint or op.name).lower())
    attrs = {**given, **_attributes(op, name, attr)}
    if op.variadic:
        if op.count is not None:
            attrs = {op.count: str(len(inputs)), **attrs}
        names = () if op.active is None else op.active_inputs(params)
        if len(names) != len(inputs):
            names = tuple(f"arg{i}" for i in range(len(inputs)))
        entries = [
            (created_variable(op, name, own, attrs), 0) if x is None else x
            for own, x in zip(names, inputs, strict=True)
        ]
        return Node(op, name, entries, attrs, params)
    by_name = dict(zip(op.inputs, inputs, strict=True))
    active = op.active_inputs(params)
    for spare in [n for n, e in by_name.items() if e is not None and n not in active]:
        raise ArgumentError(
            f"{op.name} '{name}': input {spare} is given, but its parameters say no"
        )
    entries = []
    for input_name in active:
        found = by_name[input_name]
        if found is None:
            if op.active is None and input_name in op.optional:
                continue
            found = (created_variable(op, name, input_name, attrs), 0)
        entries.append(found)
    return Node(op, name, entries, attrs, params)


def _attributes(op: Operator, name: str, attr: Mapping[str, str] | None) -> dict[str, str]:
    """Attributes of the scope and of the call, as nodes keep them."""
    found = attribute.merged(attr)
    for key, value in found.items():
        if not isinstance(value, str):
            raise GraphError(f"{op.name} '{name}': attribute {key}={value!r} must be a string")
        if op.params and not (key.startswith("__") and key.endswith("__")):
            what = "give it as an argument" if key in op.params else f"call it '__{key}__'"
            raise ArgumentError(f"{op.name} '{name}': attribute {key!r}: {what}")
    return found


def call(op: Operator, hint: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Node:
    """The node that ``sym.<hint>(*args, **kwargs)`` makes.

    Raises:
        ArgumentError: An argument is unknown, malformed, missing or given twice.
        GraphError: An input has several outputs.
    """
    name = kwargs.pop("name", None)
    attr = kwargs.pop("attr", None)
    kwargs.pop("out", None)
    extra = {
        k: str(kwargs.pop(k))
        for k in list(kwargs)
        if k.startswith("__") or attribute.hidden(k) != k
    }
    wanted = _variadic_inputs(op, kwargs, args) if op.variadic else None
    if wanted is not None:
        args = wanted
    inputs, params, named, ctx = op.bind(args, kwargs)
    given = op.texts(named)
    if ctx and op.ctx is not None:
        given[op.ctx] = ctx
    entries = [None if x is None else entry(x, op.name) for x in inputs]
    merged = {**extra, **(attr or {})}
    node = node_of(op, entries, params, given, hint=hint, name=name, attr=merged)
    return node if casting_policy() is None else _with_casts(node)


def _with_casts(node: Node) -> Node:
    """The node with inputs as the casting policy wants them."""
    from hy_symbol.symbol import Symbol  # noqa: PLC0415  # it needs this module

    assert node.op is not None
    operands = node.operands([Symbol.of(source) for source in node.inputs])
    cast = cast_inputs(node.op, operands, node.params)
    inputs = [entry(x, node.op.name) for x in cast if x is not None]
    return node.copy(inputs=inputs)


def _variadic_inputs(op: Operator, kwargs: dict[str, Any], args: Sequence[Any]) -> list[Any]:
    """Inputs by position and as ``arg0=``, None for those only counted by ``num_args=``."""
    if len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    inputs = list(args)
    named = {k: kwargs.pop(k) for k in list(kwargs) if _POSITIONAL.fullmatch(k)}
    places = {int(k.removeprefix("arg")): x for k, x in named.items()}
    count = kwargs.get(op.count) if op.count is not None else None
    try:
        size = max(len(inputs), *(i + 1 for i in places), int(count or 0), 0)
    except (TypeError, ValueError):
        raise ArgumentError(f"{op.name}: {op.count}={count!r} must be an integer") from None
    if not 0 < size <= limits.most:
        most = f"hy_ndarray.limits.most={limits.most}, which can be set higher"
        raise ArgumentError(f"{op.name}: {size} inputs; it takes from 1 to {most}")
    inputs += [None] * (size - len(inputs))
    for i, x in places.items():
        if inputs[i] is not None:
            raise ArgumentError(f"{op.name}: input arg{i} is given twice")
        inputs[i] = x
    return inputs


def substitute(graph: Graph, mapping: Mapping[Node, Entry]) -> Graph:
    """The graph with nodes replaced: ``mapping`` goes from a variable to an entry.

    Nodes that depend on none of them are shared with the old graph.
    """
    fresh: dict[Node, Node] = {}

    def moved(old: Entry) -> Entry:
        node, index = old
        return mapping.get(node) or (fresh.get(node, node), index)

    for node in graph.nodes:
        inputs = tuple(moved(old) for old in node.inputs)
        if inputs != node.inputs:
            fresh[node] = node.copy(inputs=inputs)
    first = tuple(node for node in graph.first if node not in mapping)
    return Graph(tuple(moved(old) for old in graph.outputs), first)
