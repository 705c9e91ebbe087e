"""Kernels of a table with another buffer type, called with converted operands.

A table with memory of its own can thereby fall back to another table, such as NumPy's. This is
slow: each call copies its operands and results through the host.
"""

from collections.abc import Sequence
from typing import Any, Literal

from hy_ndarray.devices._protocols import BufferType, Kernel, KernelFunction, KernelTable, Params
from hy_ndarray.warning import warn

HOT_CALLS = 100
"""Number of calls of one such kernel after which a warning reports the copies."""


def shares_buffers(table: KernelTable, other: KernelTable) -> bool:
    """Return whether kernels of one table accept the other's buffers."""
    return table.buffer_type is other.buffer_type


def carrying_note(table: KernelTable) -> str:
    """Return a note, for explanations, that operands are copied to a table's memory and back."""
    return f"its operands are copied to the memory of table {table.name!r} and back"


class Carried:
    """Kernel of another table, callable with this table's buffers, which it copies there and back.

    Args:
        record: The kernel.
        table: The table whose buffers the kernel is called with.
        handle: That table's handle of the device.
        other: The table that has the kernel.
        device_key: Type and number of the device.
    """

    out: Literal["none"] = "none"
    pointwise = False
    threads: int | None = None
    loads: tuple[str, ...] = ()
    algorithm = None
    packing = None

    def __init__(
        self,
        record: Kernel,
        table: KernelTable,
        handle: Any,
        other: KernelTable,
        device_key: tuple[str, int],
    ) -> None:
        self.name = record.name
        # A table without GPUs, such as NumPy's, runs the kernel on the host.
        kind, number = (
            device_key if device_key[0] in other.device_types else (other.device_types[0], 0)
        )
        self._function = record.function
        self._memory, self._handle = table.memory, handle
        self._others, self._other_handle = other.memory, other.device(kind, number)
        self._names = table.name, other.name
        self._calls = 0

    def function(self, *buffers: Any, **params: Any) -> Any:
        """Run the kernel on converted operands; return the results as this table's buffers."""
        # Threads may lose counts, which only shifts the warning.
        self._calls += 1
        if self._calls == HOT_CALLS:
            own, other = self._names
            warn(
                f"{self.name}: table {own!r} has no kernel, so operands were copied to table "
                f"{other!r} and back in {HOT_CALLS} calls; a kernel of its own would save the "
                "copies",
                RuntimeWarning,
            )
        # By way of numpy arrays, which every table's memory converts from and to.
        operands = [
            None
            if x is None
            else self._others.from_numpy(self._memory.to_numpy(x), self._other_handle)
            for x in buffers
        ]
        if "device" in params:
            params["device"] = self._other_handle
        results = self._function(*operands, **params)
        if isinstance(results, tuple):
            return tuple([self._back(y) for y in results])
        return self._back(results)

    def specialize(
        self,
        types: Sequence[BufferType | None] | None,  # noqa: ARG002
        params: Params,  # noqa: ARG002
    ) -> KernelFunction | None:
        """Return None: specialization would save less than the copies cost."""
        return None

    def _back(self, buffer: Any) -> Any:
        return self._memory.from_numpy(self._others.to_numpy(buffer), self._handle)
