"""Every operator under its plain name, as MXNet's ``sym.op``."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_symbol.sym._functions import Custom, symbol_function

__all__ = ["Custom"]

if TYPE_CHECKING:
    from hy_symbol.sym._operators.op import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "")
