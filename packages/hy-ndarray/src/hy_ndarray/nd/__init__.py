"""Arrays and every operator on them, under the names MXNet gave them."""

from typing import Any

from hy_ndarray import namespaces
from hy_ndarray.nd import (
    _functions,
    _internal as _internal,
    contrib as contrib,
    image as image,
    linalg as linalg,
    op as op,
    random as random,
    sparse as sparse,
)
from hy_ndarray.nd._creation import array as array, waitall as waitall
from hy_ndarray.ndarray import NDArray as NDArray


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    added = namespaces.extension("nd", name)
    return added or _functions.attribute(__name__, globals(), name, "")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("")})
