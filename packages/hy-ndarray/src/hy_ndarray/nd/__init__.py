"""Arrays and every operator on them, under MXNet's names: ``nd.array``, ``nd.dot`` …"""

from typing import Any

from hy_ndarray.nd import _functions
from hy_ndarray.nd._creation import array as array, waitall as waitall
from hy_ndarray.ndarray import NDArray as NDArray


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    function = _functions.lookup(name, "")
    if function is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("")})
