"""Operators of ``sym.npx`` as functions on symbols with NumPy's behaviour."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import ArgumentError
from hy_ndarray.ops import Operator
from hy_ndarray.ops.record.descriptions import documentation
from hy_symbol.symbol.np_symbol import NumpySymbol
from hy_symbol.symbol.symbol import Symbol


def numpy_symbol_function(op: Operator, name: str) -> Callable[..., Any]:
    """Return the function that adds a node of ``op``; it accepts NumPy symbols only."""

    def function(*args: Any, **kwargs: Any) -> Any:
        for value in (*args, *kwargs.values()):
            if isinstance(value, Symbol) and not isinstance(value, NumpySymbol):
                raise ArgumentError(
                    f"{name}: takes symbols with NumPy's behaviour; give {value.name!r} it with "
                    "as_np_ndarray()"
                )
        return NumpySymbol.call_operator(op, name, args, kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = "hy_symbol.sym.npx"
    function.__doc__ = documentation(op.doc, op.params)
    return function
