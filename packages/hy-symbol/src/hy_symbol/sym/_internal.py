"""Operators whose names begin with an underscore, as MXNet's ``sym._internal``."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_symbol.sym._functions import symbol_function

if TYPE_CHECKING:
    from hy_symbol.sym._operators._internal import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "")
