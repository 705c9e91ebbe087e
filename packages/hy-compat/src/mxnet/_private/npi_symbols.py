"""Operators ``_npi_<name>`` for symbols, as functions called ``<name>``."""

from typing import Any

from hy_symbol import sym
from mxnet._private.npi import member, members

Custom = sym.Custom


def __getattr__(name: str) -> Any:
    return member(sym, name)


def __dir__() -> list[str]:
    return members()
