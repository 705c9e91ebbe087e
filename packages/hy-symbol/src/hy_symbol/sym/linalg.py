"""Linear algebra: ``sym.linalg.gemm2`` and its kin."""

from typing import TYPE_CHECKING, Any

from hy_symbol.sym import _functions

if TYPE_CHECKING:
    from hy_symbol.sym._operators.linalg import *  # noqa: F403  # written by `hatch run stubs`
else:

    def __getattr__(name: str) -> Any:
        """The operator function of that name, made when first asked for."""
        return _functions.attribute(__name__, globals(), name, "linalg")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("linalg")})
