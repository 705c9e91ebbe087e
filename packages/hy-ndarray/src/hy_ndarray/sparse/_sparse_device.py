"""The device of sparse arrays; it has no kernels, so that calls are dispatched to rules."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Never, cast

import numpy.typing as npt

from hy_ndarray._errors import ArgumentError, ContextError
from hy_ndarray.devices._context import Context, current_context
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._kernels import Calls, Kernels
from hy_ndarray.devices._protocols import Buffer, KernelTable, Memory
from hy_ndarray.devices._selection import device_of
from hy_ndarray.sparse._storage import Storage


class _Memory:
    """Memory interface of sparse storage, which can only be read, as a dense array."""

    def dtype(self, buffer: Storage) -> str:
        return buffer.dtype.name

    def to_numpy(self, buffer: Storage) -> npt.NDArray[Any]:
        return buffer.dense()

    def retain(self) -> None:
        """Do nothing: there is no memory pool."""

    def _refuse(self, *_: Any) -> Never:
        raise ArgumentError(
            "this operation needs a dense array; convert the sparse array with tostype('default') "
            "first"
        )

    empty = from_numpy = from_dlpack = contiguous = copy = write = span = overlap = _refuse


class _Table:
    """Kernel table without kernels; its name appears in messages."""

    name = "sparse"
    memory = _Memory()

    def synchronize(self, device: Any) -> None:
        """Do nothing: no work is pending."""


class _SparseDevice(Device):
    """Device without kernels: each lookup raises an error, so that dispatch falls back to rules."""

    __slots__ = ()

    def __init__(self, context: Context) -> None:  # no table, so nothing of Device's own
        self.context = context
        self.table = cast("KernelTable", _Table())
        self.memory = cast("Memory", _Table.memory)
        self.handle = None
        self.kernels = Kernels(())
        self.calls = Calls(self.kernels, context, device_of)
        self.stale = False
        self.buffer_type = cast("Any", Storage)

    def together(self, tasks: Sequence[Callable[[], Any]]) -> list[Any]:
        """Run independent tasks on the device of dense arrays; return their results."""
        return device_of(self.context).together(tasks)

    def wrote(self, *targets: Buffer) -> None:
        """Do nothing: storage is replaced, never overwritten."""


@cache
def _device_of(context: Context) -> _SparseDevice:
    return _SparseDevice(context)


def sparse_device_of(context: Context | None) -> Device:
    """Return the device for sparse arrays on a context, by default the current one.

    Raises:
        ContextError: The context is not a CPU.
    """
    selected = current_context() if context is None else context
    if not isinstance(selected, Context):
        raise ContextError(f"ctx={context!r} is not a Context; write mx.cpu()")
    if not selected.device_type.startswith("cpu"):
        raise ContextError(
            f"sparse arrays are supported only on the CPU, not on {selected}; use ctx=mx.cpu()"
        )
    return _device_of(selected)
