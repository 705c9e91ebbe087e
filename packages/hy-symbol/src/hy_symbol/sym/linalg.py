"""Linear algebra: ``sym.linalg.gemm2`` and the like."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_symbol.sym._functions import symbol_function

if TYPE_CHECKING:
    from hy_symbol.sym._operators.linalg import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "linalg")
