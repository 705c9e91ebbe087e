"""Operators as functions on arrays, with MXNet's calling convention."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from hy_ndarray import _dispatch, _state
from hy_ndarray.casting import cast_inputs
from hy_ndarray.context import Context
from hy_ndarray.ops import Operator, find

__all__ = ["array_function", "function_named"]


def array_function(op: Operator, name: str) -> Callable[..., Any]:
    """``op`` as a function on arrays.

    Inputs and parameters positional or by keyword; ``out=`` takes the array to write to, and
    ``ctx=`` the place, for operators that create. ``name=``, ``attr=`` and ``__layout__=`` are for
    symbols and have no effect.
    """

    def function(*args: Any, **kwargs: Any) -> Any:
        if not kwargs and len(args) == len(op.inputs) and op.plain and not op.variadic:
            params = op.parse({})
            if _state.casts:
                args = tuple(cast_inputs(op, args, params))
            return _dispatch.invoke(op, args, params)
        out = None
        if kwargs:
            out = kwargs.pop("out", None)
            kwargs.pop("name", None)
            kwargs.pop("attr", None)
            kwargs.pop("__layout__", None)
        bound = op.bind(args, kwargs)
        context = Context.parse(bound.ctx) if bound.ctx else None
        inputs: Sequence[Any] = bound.inputs
        if _state.casts:
            inputs = cast_inputs(op, inputs, bound.params)
        return _dispatch.invoke(op, inputs, bound.params, out=out, context=context)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_ndarray.nd"
    function.__doc__ = op.doc
    return function


@cache
def function_named(name: str) -> Callable[..., Any]:
    """The operator of that name as a function on arrays."""
    return array_function(find(name), name)
