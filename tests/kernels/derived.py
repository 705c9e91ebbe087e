"""Kernels of a table, those included that follow from their operators."""

from typing import Any

from hy_ndarray import kernel_table, ops
from hy_ndarray.devices._kernels import Kernels, is_derived

__all__ = ["catalogue", "kernel_of"]


def kernel_of(table: Any, name: str) -> Any:
    """The record of a table's kernel."""
    tables = (table,) if table.fallback is None else (table, kernel_table(table.fallback))
    return Kernels(tables).record(name)


def catalogue() -> set[str]:
    """The kernels that the numpy and the torch table need."""
    names = {ops.find(name).kernel for name in ops.names()}
    return {name for name in names if not is_derived(name)}
