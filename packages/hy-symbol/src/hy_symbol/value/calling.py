"""Operator calls by users: binds arguments, collects inputs, and applies casts."""

import re
from collections.abc import Sequence
from typing import Any

from hy_ndarray import ArgumentError, limits
from hy_ndarray.core.casting import cast_inputs, casting_policy
from hy_ndarray.ops import Operator, is_operand
from hy_symbol._errors import NodeNameError
from hy_symbol.graph import attribute
from hy_symbol.graph.compose import entry, node_of, refuse_out
from hy_symbol.graph.node import Node
from hy_symbol.infer.trace import current_trace
from hy_symbol.value.value import Value

__all__ = ["call"]

_TRAILING = ("name", "attr", "out")
"""Names of positional arguments that follow all inputs and parameters."""

_POSITIONAL = re.compile(r"arg(0|[1-9]\d*)")


def call(op: Operator, hint: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Node:
    """Create the node of the call ``sym.<hint>(*args, **kwargs)``.

    Raises:
        NodeNameError: ``name`` is not a string.
        ArgumentError: An argument is unknown, malformed, missing or given twice.
        GraphError: An input has several outputs.
        NotForSymbolError: ``out`` is given while a block is traced that can also run eagerly;
            elsewhere ``out`` is ignored, as in MXNet.
    """
    args = _name_trailing(op, args, kwargs)
    name = kwargs.pop("name", None)
    if name is not None and not isinstance(name, str):
        raise NodeNameError(f"{op.name}: name must be a text, not of type {type(name).__name__}")
    attr = kwargs.pop("attr", None)
    out, trace = kwargs.pop("out", None), current_trace()
    # A plain forward may run operator by operator later, where out= is written.
    if trace is not None and trace.reversible:
        refuse_out(out, hint)
    extra: dict[str, str] = {}
    if kwargs:
        extra = {k: str(kwargs.pop(k)) for k in list(kwargs) if _is_attribute(op, k, kwargs[k])}
    if not op.inputs:  # MXNet drops what is given to random numbers as ``data``
        kwargs = {k: x for k, x in kwargs.items() if not is_operand(x)}
    wanted = _variadic_inputs(op, kwargs, args) if op.variadic else None
    if wanted is not None:
        args = wanted
    inputs, params, named, ctx = op.bind(args, kwargs)
    attributes = op.texts(named)
    if ctx and op.ctx is not None:
        attributes[op.ctx] = ctx
    entries = [None if x is None else entry(x, op.name) for x in inputs]
    merged = {**extra, **attr} if attr else extra
    node = node_of(op, entries, params, attributes, hint=hint, name=name, attr=merged)
    return node if casting_policy() is None else _with_casts(node)


def _name_trailing(op: Operator, args: Sequence[Any], kwargs: dict[str, Any]) -> Sequence[Any]:
    """Move trailing positional ``name``, ``attr``, ``out`` to ``kwargs``; return the rest.

    Positional arguments beyond all inputs and parameters have these meanings.
    """
    max_args = len(op.inputs) + len(op.params)
    more = () if op.variadic else args[max_args:]
    if not more:
        return args
    if len(more) > len(_TRAILING):
        raise ArgumentError(f"{op.name}: {len(args)} arguments given, at most {max_args}")
    for key, value in zip(_TRAILING, more, strict=False):
        if key in kwargs:
            raise ArgumentError(f"{op.name}: {key} is given twice")
        kwargs[key] = value
    return args[:max_args]


def _is_attribute(op: Operator, name: str, value: Any) -> bool:
    """Return whether a keyword argument is an attribute of the node, not a parameter."""
    if name.startswith("__") or attribute.hidden(name) != name:
        return True
    return op.ignores(name) and not is_operand(value)


def _with_casts(node: Node) -> Node:
    """Return a copy of the node with its inputs cast by the current casting policy."""
    assert node.op is not None
    operands = node.operands([Value(source) for source in node.inputs])
    cast = cast_inputs(node.op, operands, node.params)
    inputs = [entry(x, node.op.name) for x in cast if x is not None]
    return node.copy(inputs=inputs)


def _variadic_inputs(op: Operator, kwargs: dict[str, Any], args: Sequence[Any]) -> list[Any]:
    """Collect inputs given by position or as ``arg0=``; None for others up to ``num_args=``."""
    # ``concat([a, b])`` is the same as ``concat(a, b)``.
    if len(args) == 1 and isinstance(args[0], list | tuple):
        args = args[0]
    inputs = list(args)
    named = {k: kwargs.pop(k) for k in list(kwargs) if _POSITIONAL.fullmatch(k)}
    numbered = {int(k.removeprefix("arg")): x for k, x in named.items()}
    # num_args= may count more inputs than are given: those become variables.
    count = kwargs.get(op.count) if op.count is not None else None
    try:
        size = max(len(inputs), *(i + 1 for i in numbered), int(count or 0), 0)
    except (TypeError, ValueError):
        raise ArgumentError(f"{op.name}: {op.count}={count!r} must be an integer") from None
    if not 0 < size <= limits.most:
        setting = f"hy_ndarray.limits.most={limits.most}, which can be set higher"
        raise ArgumentError(f"{op.name}: {size} inputs; it takes from 1 to {setting}")
    inputs += [None] * (size - len(inputs))
    for i, x in numbered.items():
        if inputs[i] is not None:
            raise ArgumentError(f"{op.name}: input arg{i} is given twice")
        inputs[i] = x
    return inputs
