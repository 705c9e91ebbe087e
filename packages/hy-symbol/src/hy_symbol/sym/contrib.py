"""Operators MXNet keeps under ``sym.contrib``."""

from typing import TYPE_CHECKING, Any

from hy_symbol.sym import _functions
from hy_symbol.sym._control_flow import cond, foreach, while_loop

__all__ = ["cond", "foreach", "while_loop"]

if TYPE_CHECKING:
    from hy_symbol.sym._operators.contrib import *  # noqa: F403  # written by `hatch run stubs`
else:

    def __getattr__(name: str) -> Any:
        """The operator function of that name, made when first asked for."""
        return _functions.attribute(__name__, globals(), name, "contrib")


def __dir__() -> list[str]:
    return sorted({*globals(), *_functions.names("contrib")})
