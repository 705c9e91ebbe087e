"""MXNet's extensions of its NumPy interface on symbols, ``sym.npx``."""

from hy_ndarray import namespaces
from hy_ndarray.npx.functions import (
    constraint_check as constraint_check,
    nonzero as nonzero,
    reshape as reshape,
)
from hy_symbol.sym.npx import image as image, random as random
from hy_symbol.sym.npx._functions import numpy_symbol_function

__all__ = ["constraint_check", "image", "nonzero", "random", "reshape"]

__getattr__, __dir__ = namespaces.members(globals(), numpy_symbol_function, "npx")
