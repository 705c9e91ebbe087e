"""Kernels of a table, those included that follow from the operators of others."""

from typing import Any

from hy_ndarray.devices._kernels import Kernels

__all__ = ["kernel_of"]


def kernel_of(table: Any, name: str) -> Any:
    """The record of a table's kernel."""
    return Kernels((table,)).record(name)
