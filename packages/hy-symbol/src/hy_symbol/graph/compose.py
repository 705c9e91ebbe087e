"""Composition: creates nodes, with names, attributes, and variables for omitted inputs."""

from collections.abc import Mapping, Sequence
from typing import Any

from hy_ndarray import ArgumentError, NDArray, OperandError, Params
from hy_ndarray.foreign import kind_of
from hy_ndarray.ops import Operator
from hy_symbol._errors import ArrayOperandError, NotForSymbolError
from hy_symbol.graph import attribute, name as naming
from hy_symbol.graph.node import Entry, Node

__all__ = [
    "created_variable",
    "entry",
    "node_of",
    "operator_node",
    "refuse_out",
    "variable_node",
]

_INITIAL = {
    "moving_mean": '["zero", {}]',
    "moving_avg": '["zero", {}]',
    "moving_var": '["one", {}]',
}
"""Initializers of auxiliary states, by the operator's name of the input."""

_INITIAL_WEIGHT = {
    ("LeakyReLU", "gamma"): '["Constant", {"value": 0.25}]',
    ("UpSampling", "weight"): '["bilinear", {}]',
}
"""Initializers of arguments, by operator and input; others use the program's initializer."""


def variable_node(name: str, attrs: Mapping[str, str] | None = None) -> Node:
    """Create a variable with the attributes of the current scope and ``attrs``."""
    return Node(None, name, attrs=attribute.merged(attrs))


def entry(operand: Any, user: str) -> Entry:
    """Return the single entry of a symbol; ``user`` names the operator in messages.

    Raises:
        OperandError: The operand is not a symbol.
        GraphError: The symbol has several outputs.
    """
    single = getattr(operand, "single_entry", None)
    if single is None and isinstance(operand, NDArray):
        raise ArrayOperandError(
            f"{user}: {kind_of(operand)} is given where a Symbol belongs; while a block "
            "is traced, values that are not computed from its arguments have to be parameters or "
            "constants of it (params.get_constant)"
        )
    if single is None:
        raise OperandError(
            f"{user}: {kind_of(operand)} is given where a Symbol belongs; bind it to a variable "
            "(sym.var), or call the operator of nd on arrays"
        )
    result: Entry = single(user)
    return result


def created_variable(op: Operator, name: str, input_name: str, attrs: Mapping[str, str]) -> Node:
    """Create the variable ``<name>_<input_name>`` for an omitted input of the node ``name``.

    As in MXNet, the variable has all attributes of the node, parameters included.
    """
    created = dict(attrs)
    initial = _INITIAL.get(input_name) if input_name in op.aux else None
    initial = initial or _INITIAL_WEIGHT.get((op.name, input_name))
    if initial is not None:
        created.setdefault("__init__", initial)
    return Node(None, f"{name}_{input_name}", attrs=created)


def node_of(
    op: Operator,
    inputs: Sequence[Entry | None],
    params: Params,
    explicit: Mapping[str, str],
    *,
    hint: str | None = None,
    name: str | None = None,
    attr: Mapping[str, object] | None = None,
) -> Node:
    """Create a node of ``op``; required inputs that are omitted become variables.

    Args:
        op: The operator.
        inputs: One entry per declared input, None for omitted ones.
        params: All parameters in Python form.
        explicit: Text form of the parameters to store in the node.
        hint: Prefix of an automatic name; the operator's name if None.
        name: The node's name; automatic if None.
        attr: Attributes that are not parameters.

    Raises:
        ArgumentError: An input is given that the parameters disable, or an attribute is not of the
            form ``__name__``.
    """
    name = naming.innermost().get(name, (hint or op.name).lower())
    attrs = {**explicit, **_attributes(op, name, attr)}
    if op.variadic:
        if op.count is not None:
            attrs = {op.count: str(len(inputs)), **attrs}
        names = () if op.active is None else op.active_inputs(params)
        inputs = [*inputs, *[None] * (len(names) - len(inputs))]  # a weight that is left out
        if len(names) != len(inputs):
            names = tuple(f"arg{i}" for i in range(len(inputs)))
        entries = [
            (created_variable(op, name, own, attrs), 0) if x is None else x
            for own, x in zip(names, inputs, strict=True)
        ]
        return Node(op, name, entries, attrs, params)
    if op.active is None and None not in inputs:  # most calls
        return Node(op, name, [x for x in inputs if x is not None], attrs, params)
    # Parameters decide which inputs exist, such as ``no_bias``.
    by_name = dict(zip(op.inputs, inputs, strict=True))
    active = op.active_inputs(params)
    for spare in [n for n, e in by_name.items() if e is not None and n not in active]:
        raise ArgumentError(
            f"{op.name} '{name}': input {spare} is given, but its parameters say no"
        )
    entries = []
    for input_name in active:
        created = by_name[input_name]
        if created is None:
            if op.active is None and input_name in op.optional:
                continue
            created = (created_variable(op, name, input_name, attrs), 0)
        entries.append(created)
    return Node(op, name, entries, attrs, params)


def _attributes(op: Operator, name: str, attr: Mapping[str, object] | None) -> dict[str, str]:
    """Return the attributes of the scope and of ``attr`` as strings, in stored form."""
    own = {key: str(value) for key, value in attr.items()} if attr else None
    attributes = attribute.merged(own)
    for key in attributes:
        # A plain attribute may be a misplaced parameter: ignoring it would give wrong results.
        inert = key.startswith("__") and key.endswith("__")
        if op.params and not inert and not op.ignores(key):
            what = "give it as an argument" if key in op.params else f"call it '__{key}__'"
            raise ArgumentError(f"{op.name} '{name}': attribute {key!r}: {what}")
    return attributes


def refuse_out(out: Any, user: str) -> None:
    """Raise an error if the argument ``out`` is given, as symbols have no memory to write to.

    Args:
        out: The argument ``out`` of a call.
        user: The operator's name, for the message.

    Raises:
        NotForSymbolError: ``out`` is not None.
    """
    if out is not None:
        raise NotForSymbolError(
            f"{user}: out= names an array to write to, and while a graph is built there is none; "
            f"take what the operator gives, y = {user}(...), or call the block without hybridize()"
        )


def operator_node(op: Operator, inputs: Sequence[Any], params: Params, out: Any = None) -> Node:
    """Create a node of ``op``; ``inputs`` are symbols of one output each, or None.

    Raises:
        NotForSymbolError: ``out`` is given.
    """
    refuse_out(out, op.name)
    entries = [None if x is None else entry(x, op.name) for x in inputs]
    # All parameters are given here. Only those that differ from their default become attributes, as
    # MXNet stores only those that the caller gave.
    texts = {
        name: op.params[name].text(value)
        for name, value in params.items()
        if name not in op.defaults or op.defaults[name] != value
    }
    return node_of(op, entries, params, texts)
