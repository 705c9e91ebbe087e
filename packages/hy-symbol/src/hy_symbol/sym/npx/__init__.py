"""MXNet's extensions of its NumPy interface on symbols, ``sym.npx``."""

from collections.abc import Callable
from typing import Any

from hy_ndarray import ops
from hy_ndarray.npx.attributes import names
from hy_ndarray.npx.functions import (
    constraint_check as constraint_check,
    nonzero as nonzero,
    reshape as reshape,
)
from hy_symbol.calling import call
from hy_symbol.np_symbol import NumpySymbol
from hy_symbol.sym.npx import random as random

_PREFIX = "_npx_"


def __getattr__(name: str) -> Callable[..., NumpySymbol]:
    """The operator function of that name, made when first asked for."""
    if name.startswith("_") or not ops.exists(_PREFIX + name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    op = ops.find(_PREFIX + name)

    def function(*args: Any, **kwargs: Any) -> NumpySymbol:
        return NumpySymbol.of_node(call(op, name, args, kwargs))  # type: ignore[return-value]

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    function.__doc__ = op.doc
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *names(_PREFIX)})
