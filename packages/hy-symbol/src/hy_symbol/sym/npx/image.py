"""Image operators as nodes of a graph: ``sym.npx.image``."""

from hy_ndarray import namespaces
from hy_symbol.sym.npx._functions import numpy_symbol_function

__getattr__, __dir__ = namespaces.members(globals(), numpy_symbol_function, "npx.image")
