"""Operators as functions on symbols."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray import custom, ops
from hy_ndarray.ops import Operator
from hy_ndarray.ops.record.descriptions import documentation
from hy_symbol.symbol.symbol import Symbol
from hy_symbol.value.calling import call


def symbol_function(op: Operator, name: str) -> Callable[..., Symbol]:
    """Return the function of symbols that adds a node of ``op``, called as in MXNet.

    Inputs and parameters are passed by position or keyword, the node's name by ``name=``, and
    attributes by ``attr=``. Omitted inputs become variables.
    """

    def function(*args: Any, **kwargs: Any) -> Symbol:
        kind = _symbol_class(args, kwargs)
        symbol: Symbol = kind.call_operator(op, name, args, kwargs)
        return symbol

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_symbol.sym"
    function.__doc__ = documentation(op.doc, op.params)
    return function


def _symbol_class(args: Sequence[Any], kwargs: Mapping[str, Any]) -> type[Symbol]:
    """Return the class of the first symbol among the arguments, classic or NumPy; else classic."""
    for value in (*args, *kwargs.values()):
        if isinstance(value, Symbol):
            return type(value)
        if isinstance(value, list | tuple) and value and isinstance(value[0], Symbol):
            return type(value[0])
    return Symbol


def add_node(op: str, *args: Any, **kwargs: Any) -> Symbol:
    """Add a node of operator ``op``, named after the operator by default; return its outputs."""
    return Symbol.of_node(call(ops.find(op), op, args, kwargs))


def Custom(*args: Any, **kwargs: Any) -> Symbol:  # noqa: N802  # MXNet's name
    """Add a node of a custom operator registered with ``mx.operator``.

    Args:
        args: Inputs; omitted ones become variables, and so do auxiliary states.
        kwargs: ``op_type``, the registered name; parameters, which the operator receives as
            strings; inputs by name; ``name=`` and ``attr=`` of the node.

    Raises:
        ArgumentError: ``op_type`` is missing, or not registered.
    """
    return Symbol.of_node(call(custom.custom_operator(kwargs), "Custom", args, kwargs))
