"""A table that has the kernels of primitives alone, and leaves nothing to another table."""

from typing import Any

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Kernel
from hy_ndarray.ops.primitives import PRIMITIVES

__all__ = ["PrimitivesTable"]


class PrimitivesTable:
    """The numpy table without the kernels of operators that are composed of others.

    Nor has it rules to rewrite graphs, which lead to kernels of its own.
    """

    name = "primitives"

    def __init__(self) -> None:
        self._table = numpy_table()

    def __getattr__(self, name: str) -> Any:
        if name == "rewritings":
            raise AttributeError(name)
        return getattr(self._table, name)

    def find(self, kernel: str) -> Kernel | None:
        """The kernel of a primitive."""
        return self._table.find(kernel) if kernel in PRIMITIVES else None
