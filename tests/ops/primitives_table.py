"""A table that has the kernels of primitives alone, and leaves nothing to another table."""

from typing import Any

from hy_kernels.numpy import table as numpy_table
from hy_kernels.record import Kernel
from hy_ndarray import ops

__all__ = ["PrimitivesTable"]


class PrimitivesTable:
    """The numpy table without kernels of operators that are composed of others.

    Nor has it rules to rewrite graphs, which lead to kernels of its own.
    """

    def __init__(self) -> None:
        self.name = "primitives"
        self._table = numpy_table()
        self._derived = {op.kernel for op in ops.operators() if op.composition is not None}

    def __getattr__(self, name: str) -> Any:
        if name == "rewritings":
            raise AttributeError(name)
        return getattr(self._table, name)

    def find(self, kernel: str) -> Kernel | None:
        """The kernel of a primitive."""
        return None if kernel in self._derived else self._table.find(kernel)
