"""MXNet's extensions of its NumPy interface on symbols, ``sym.npx``."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import namespaces
from hy_ndarray.npx.functions import (
    constraint_check as constraint_check,
    nonzero as nonzero,
    reshape as reshape,
)
from hy_ndarray.ops import Operator
from hy_symbol.sym.npx import random as random
from hy_symbol.symbol.np_symbol import NumpySymbol

__all__ = ["constraint_check", "nonzero", "random", "reshape"]


def _function(op: Operator, name: str) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        return NumpySymbol.call_operator(op, name, args, kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = op.doc
    return function


__getattr__, __dir__ = namespaces.members(globals(), _function, "npx")
