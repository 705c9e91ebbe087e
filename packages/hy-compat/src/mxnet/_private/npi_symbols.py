"""Operators behind ``mx.np``: ``_npi_<name>``, under the rest of their names, for symbols."""

from typing import Any

from hy_symbol import sym
from mxnet._private.npi import member, members

Custom = sym.Custom


def __getattr__(name: str) -> Any:
    return member(sym, name)


def __dir__() -> list[str]:
    return members()
