"""Device of sparse arrays: a context without kernels; whatever asks for one is sent on."""

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

__all__ = ["place_of"]


class _Memory:
    """Sparse storage as other code meets it: it can be read, as a dense array."""

    def dtype(self, buffer: Storage) -> str:
        return buffer.dtype.name

    def to_numpy(self, buffer: Storage) -> npt.NDArray[Any]:
        return buffer.dense()

    def retain(self) -> None:
        """Nothing is kept."""

    def _refuse(self, *_: Any) -> Never:
        raise ArgumentError(
            "a sparse array has no memory of all its elements; "
            "make it dense first, with tostype('default')"
        )

    empty = from_numpy = from_dlpack = contiguous = copy = write = span = overlap = _refuse


class _Table:
    """Table by the name that messages show; it has no kernels."""

    name = "sparse"
    memory = _Memory()

    def synchronize(self, device: Any) -> None:
        """Nothing is pending."""


class _Place(Device):
    """A device without kernels: what is asked of it is answered as by a replaced table."""

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
        """Return the same as the device of dense arrays."""
        return device_of(self.context).together(tasks)

    def wrote(self, *targets: Buffer) -> None:
        """Storage is replaced, never written to."""


@cache
def _place(context: Context) -> _Place:
    return _Place(context)


def place_of(context: Context | None) -> Device:
    """The place of sparse arrays on a context, the current one if None.

    Raises:
        ContextError: It is no CPU.
    """
    place = current_context() if context is None else context
    if not isinstance(place, Context):
        raise ContextError(f"ctx={context!r} is not a Context; write mx.cpu()")
    if not place.device_type.startswith("cpu"):
        raise ContextError(f"sparse arrays are kept on the CPU, not on {place}; use ctx=mx.cpu()")
    return _place(place)
