"""Operators of ``sym.npx`` as functions on symbols with NumPy's behaviour."""

from collections.abc import Callable
from typing import Any

from hy_ndarray.ops import Operator
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["numpy_symbol_function"]


def numpy_symbol_function(op: Operator, name: str) -> Callable[..., Any]:
    """``op`` as a function that adds a node to a graph."""

    def function(*args: Any, **kwargs: Any) -> Any:
        return NumpySymbol.call_operator(op, name, args, kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_symbol.sym.npx"
    function.__doc__ = op.doc
    return function
