"""MXNet's extensions of its NumPy interface on symbols, ``sym.npx``."""

from hy_ndarray import namespaces
from hy_ndarray.npx.functions import (
    digamma,
    group_norm,
    index_add,
    index_update,
    masked_log_softmax,
    masked_softmax,
    stop_gradient,
)
from hy_symbol.sym.npx import image as image, random as random
from hy_symbol.sym.npx._functions import numpy_symbol_function

__all__ = [
    "digamma",
    "group_norm",
    "image",
    "index_add",
    "index_update",
    "masked_log_softmax",
    "masked_softmax",
    "random",
    "stop_gradient",
]

__getattr__, __dir__ = namespaces.members(globals(), numpy_symbol_function, "npx")
