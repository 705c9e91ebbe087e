"""Symbol class under its name in MXNet's ``_ctypes.symbol``."""

from typing import Any

from hy_symbol import Symbol
from mxnet._private.pointers import SymbolBase, _set_np_symbol_class, _set_symbol_class
from mxnet._private.symbol_registration import _symbol_creator

__all__ = [
    "SymbolBase",
    "_set_np_symbol_class",
    "_set_symbol_class",
    "_symbol_cls",
    "_symbol_creator",
]

_symbol_cls = Symbol


def __getattr__(name: str) -> Any:
    if name == "_np_symbol_cls":
        from hy_symbol.sym import np  # noqa: PLC0415  # it is loaded on first use

        return np._Symbol
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
