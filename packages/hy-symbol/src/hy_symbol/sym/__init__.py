"""Variables and operators on symbols, with MXNet's names."""

from typing import TYPE_CHECKING

from hy_ndarray import namespaces
from hy_symbol.sym import (
    _internal as _internal,
    contrib as contrib,
    image as image,
    linalg as linalg,
    np as np,
    npx as npx,
    op as op,
    random as random,
    sparse as sparse,
)
from hy_symbol.sym._binary import (
    hypot as hypot,
    maximum as maximum,
    minimum as minimum,
    pow as pow,  # noqa: A004  # MXNet's name
    power as power,
)
from hy_symbol.sym._creation import (
    arange as arange,
    eye as eye,
    full as full,
    linspace as linspace,
    ones as ones,
    zeros as zeros,
)
from hy_symbol.sym._functions import Custom as Custom, symbol_function
from hy_symbol.sym._rearranging import histogram as histogram, split_v2 as split_v2
from hy_symbol.symbol.symbol import (
    Group as Group,
    Symbol as Symbol,
    load as load,
    load_json as load_json,
)
from hy_symbol.symbol.variable import Variable as Variable, var as var

if TYPE_CHECKING:
    from hy_symbol.sym._operators import *  # noqa: F403  # written by `hatch run stubs`
else:
    __getattr__, __dir__ = namespaces.members(globals(), symbol_function, "", "sym")
