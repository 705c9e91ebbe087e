"""Operators of MXNet's namespace ``sym.sparse``, here on dense arrays."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_symbol.sym._functions import symbol_function

if TYPE_CHECKING:
    from hy_symbol.sym._operators.sparse import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "sparse")
