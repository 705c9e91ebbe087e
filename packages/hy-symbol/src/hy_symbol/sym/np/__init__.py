"""NumPy's functions on symbols, ``sym.np``: like ``mx.np``, but adding nodes to a graph."""

from typing import TYPE_CHECKING, Any

from hy_ndarray import Context, current_context, namespaces
from hy_ndarray.np import linalg as linalg
from hy_ndarray.np.calls import call_on
from hy_ndarray.np.counting import *  # noqa: F403
from hy_ndarray.np.creation import Creation
from hy_ndarray.np.elementwise import *  # noqa: F403
from hy_ndarray.np.joining import *  # noqa: F403
from hy_ndarray.np.pairwise import *  # noqa: F403
from hy_ndarray.np.products import *  # noqa: F403
from hy_ndarray.np.reducing import *  # noqa: F403
from hy_ndarray.np.shaping import *  # noqa: F403
from hy_ndarray.np.since_mxnet2 import *  # noqa: F403
from hy_ndarray.np.since_numpy2 import *  # noqa: F403
from hy_symbol.sym.np import random as random
from hy_symbol.sym.np._fallback import resize as resize, unravel_index as unravel_index
from hy_symbol.sym.npx._functions import numpy_symbol_function
from hy_symbol.symbol.np_symbol import NumpySymbol as NumpySymbol

_Symbol = NumpySymbol


def _new_symbol(name: str, ctx: Context | None, out: Any, **params: Any) -> NumpySymbol:
    """Add a node of an operator without inputs, which creates an array."""
    where = str(ctx or current_context())
    symbol: NumpySymbol = call_on(NumpySymbol, name, (), {"ctx": where, "out": out, **params})
    return symbol


_creation = Creation(_new_symbol)
arange = _creation.arange
blackman = _creation.blackman
broadcast_to = _creation.broadcast_to
empty_like = _creation.empty_like
eye = _creation.eye
full = _creation.full
full_like = _creation.full_like
hamming = _creation.hamming
hanning = _creation.hanning
identity = _creation.identity
indices = _creation.indices
linspace = _creation.linspace
logspace = _creation.logspace
ones = _creation.ones
ones_like = _creation.ones_like
tri = _creation.tri
zeros = _creation.zeros
zeros_like = _creation.zeros_like

if not TYPE_CHECKING:  # which know them from the functions above
    globals().update(namespaces.under_numpy_names(globals(), numpy_symbol_function))
