"""Kernels of a table, those included that follow from their operators."""

from typing import Any

from hy_ndarray import kernel_table, ops
from hy_ndarray.devices._kernels import Kernels, is_derived

__all__ = ["catalogue", "kernel_of", "uncomposed"]


def kernel_of(table: Any, name: str, handle: Any = None) -> Any:
    """The record of a table's kernel on a device, of which the table has such a handle."""
    tables = (table,) if table.fallback is None else (table, kernel_table(table.fallback))
    return Kernels(tables, handle=handle).record(name)


def catalogue() -> set[str]:
    """The kernels that the numpy and the torch table need."""
    names = {ops.find(name).kernel for name in ops.names()}
    return {name for name in names if not is_derived(name)}


def uncomposed() -> set[str]:
    """Those of them that no composition stands for."""
    composed = {op.kernel for op in ops.operators() if op.composition is not None}
    return catalogue() - composed
