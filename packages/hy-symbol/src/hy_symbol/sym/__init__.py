"""Variables and every operator on symbols, under the names MXNet gave them."""

from typing import Any

from hy_symbol.sym import (
    _functions,
    _internal as _internal,
    contrib as contrib,
    image as image,
    linalg as linalg,
    op as op,
    random as random,
    sparse as sparse,
)
from hy_symbol.symbol import (
    Group as Group,
    Symbol as Symbol,
    Variable as Variable,
    load as load,
    load_json as load_json,
    var as var,
)


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    return _functions.attribute(__name__, globals(), name, "")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("")})
