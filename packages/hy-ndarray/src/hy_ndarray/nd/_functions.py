"""Operators as functions on arrays."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import _dispatch, ops
from hy_ndarray.context import Context
from hy_ndarray.namespaces import full_name, names
from hy_ndarray.ops import Operator

__all__ = ["array_function", "attribute", "names"]

def attribute(module: str, members: dict[str, Any], name: str, space: str) -> Any:
    """What a namespace module answers for ``name``; kept in ``members`` for the next time.

    Raises:
        AttributeError: The namespace has no such operator.
    """
    full = full_name(name, space)
    if full is None:
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    members[name] = function = array_function(ops.find(full), name)
    return function


def array_function(op: Operator, name: str) -> Callable[..., Any]:
    """``op`` as a function on arrays, with MXNet's calling convention.

    Inputs and parameters positional or by keyword; ``out=`` takes the array to write to, and
    ``ctx=`` the place, for operators that create. ``name=`` and ``attr=`` are for symbols and
    have no effect.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == len(op.inputs) and op.plain and not op.variadic:
            return _dispatch.invoke(op, args, op.parse({}))
        out = None
        if kwargs:
            out = kwargs.pop("out", None)
            kwargs.pop("name", None)
            kwargs.pop("attr", None)
        bound = op.bind(args, kwargs)
        context = Context.parse(bound.ctx) if bound.ctx else None
        return _dispatch.invoke(op, bound.inputs, bound.params, out=out, context=context)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_ndarray.nd"
    function.__doc__ = op.doc
    return function
