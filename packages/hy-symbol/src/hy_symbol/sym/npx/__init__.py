"""MXNet's extensions of its NumPy interface on symbols, ``sym.npx``."""

from hy_ndarray import namespaces
from hy_symbol.sym.npx import image as image, random as random
from hy_symbol.sym.npx._functions import numpy_symbol_function

__all__ = ["image", "random"]

__getattr__, __dir__ = namespaces.members(globals(), numpy_symbol_function, "npx")
