"""Linear algebra: ``sym.linalg.gemm2`` and its kin."""

from typing import Any

from hy_symbol.sym import _functions


def __getattr__(name: str) -> Any:
    """The operator function of that name, made when first asked for."""
    return _functions.attribute(__name__, globals(), name, "linalg")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("linalg")})
