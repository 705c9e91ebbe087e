"""Every operator under its plain name, as MXNet's ``sym.op``."""

from typing import Any

from hy_symbol.sym import _functions


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    return _functions.attribute(__name__, globals(), name, "")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("")})
