"""MXNet's base names."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from hy_ndarray import HyError, ops

__all__ = [
    "MXNetError",
    "check_call",
    "mx_real_t",
    "numeric_types",
    "string_types",
]

MXNetError = HyError

mx_real_t = np.float32
"""The default dtype."""

numeric_types = (float, int, np.generic)
string_types = (str,)


class _Library:
    """The one entry of MXNet's C interface that Python programs call: handles of operators."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def NNGetOpHandle(self, name: Any, handle: Any) -> int:  # noqa: N802  # MXNet's name
        """Write the handle of operator ``name`` into ``handle``; 0 if there is one, else -1."""
        text = name.value.decode()
        if not ops.exists(text):
            return -1
        if text not in self.names:
            self.names.append(text)
        handle._obj.value = self.names.index(text) + 1
        return 0


_LIB = _Library()


def check_call(ret: int) -> None:
    """Raise MXNetError unless a call of the C interface returned 0."""
    if ret != 0:
        raise MXNetError("unknown operator")


def operator_of_handle(handle: int) -> str:
    """Name of the operator that :meth:`NNGetOpHandle` gave ``handle`` for."""
    return _LIB.names[handle - 1]


if TYPE_CHECKING:
    from hy_symbol import NotForSymbolError

    NotImplementedForSymbol = NotForSymbolError
else:

    def __getattr__(name: str) -> Any:
        if name == "NotImplementedForSymbol":  # graphs load when first used
            return import_module("hy_symbol").NotForSymbolError
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*__all__, "NotImplementedForSymbol"])
