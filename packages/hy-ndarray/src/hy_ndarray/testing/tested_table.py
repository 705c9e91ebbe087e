"""TestedTable: a kernel table under test, with tolerances relative to the numpy table."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import NamedTuple

from hy_ndarray.devices._protocols import KernelTable
from hy_ndarray.devices._selection import device_of, use_kernels
from hy_ndarray.devices.context import Context

__all__ = ["REFERENCE", "TOLERANCES", "TestedTable", "Tolerance"]


class Tolerance(NamedTuple):
    """Tolerance of a comparison: ``atol + rtol * abs(expected)``."""

    rtol: float
    atol: float


TOLERANCES: Mapping[str, Tolerance] = {
    "float64": Tolerance(1e-6, 1e-9),
    "float32": Tolerance(1e-4, 1e-5),
    "float16": Tolerance(2e-2, 2e-2),
}
"""Default tolerances by dtype."""


@dataclass(frozen=True)
class TestedTable:
    """Kernel table under test, with its device, dtypes and tolerances.

    Args:
        table: The table, or the name of its entry point.
        device: ``"cpu"`` or ``"gpu"``.
        dtypes: Dtypes of floating inputs; expected values are checked in the first.
        tolerances: Tolerances by operator and dtype that override :data:`TOLERANCES`.
    """

    __test__ = False  # what pytest collects begins with Test, too

    table: str | KernelTable
    device: str = "cpu"
    dtypes: tuple[str, ...] = ("float64", "float32", "float16")
    tolerances: Mapping[tuple[str, str], Tolerance] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return self.table if isinstance(self.table, str) else self.table.name

    def tolerance(self, op: str, dtype: str) -> Tolerance:
        """Return the tolerance for an operator and a dtype."""
        return self.tolerances.get((op, dtype), TOLERANCES[dtype])

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Return a context manager that selects the table and its device."""
        context = Context(self.device)
        is_there = device_of(context).table.name == self.name
        choice = nullcontext() if is_there else use_kernels(self.table, device=self.device)
        with choice, context:
            yield


REFERENCE = TestedTable("numpy")
"""The reference table."""
