"""Executor: a graph bound to arrays."""

import typing as _typing
from importlib import import_module as _import_module

if _typing.TYPE_CHECKING:
    from hy_symbol.executor.executor import Executor as Executor

__all__ = ["Executor"]


def __getattr__(name: str) -> _typing.Any:
    """Return the class :class:`Executor`, imported when a graph is first bound."""
    if name != "Executor":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = _import_module("hy_symbol.executor.executor").Executor
    return value
