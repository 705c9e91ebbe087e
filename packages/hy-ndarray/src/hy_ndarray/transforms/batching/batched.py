"""Batched buffers: an array with one entry for each sample, seen as the array of one sample."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import TransformError
from hy_ndarray.array._reshaping import view_as
from hy_ndarray.core._array import Array
from hy_ndarray.core._copying import as_dtype, copied
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._selection import device_of
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.transforms._calls import Inner, apply, reshaped

__all__ = ["MEMORY", "Batched"]

_UNREADABLE = (
    "vmap: the values of an array that has others in each sample cannot be read (asnumpy, item, "
    "float, if …) while all samples are computed at once; compute with operators, such as where, "
    "or read values outside of vmap"
)
_SHARED = (
    "vmap: values that differ between samples cannot be written into an array that all samples "
    "share; give it to the mapped function as an argument with in_axes=0, or make a new array "
    "(concat, stack, where) in place of writing"
)


class Batched:
    """What arrays inside of ``vmap`` have for a buffer.

    Args:
        inner: The array below; its first axis is that of samples if it is ``mapped``.
        mapped: Whether samples have values of their own.
        part: Whether it is a view of a part of another one.
    """

    __slots__ = ("inner", "mapped", "part")

    def __init__(self, inner: Inner, mapped: bool, part: bool = False) -> None:
        self.inner = inner
        self.mapped = mapped
        self.part = part

    @property
    def shape(self) -> tuple[int, ...]:
        """That of one sample."""
        shape: tuple[int, ...] = self.inner._data.shape
        return shape[1:] if self.mapped else shape

    @property
    def dtype(self) -> Any:
        """As the table below has it."""
        return self.inner._data.dtype

    def reshape(self, shape: Sequence[int]) -> "Batched":
        """The same memory in another shape."""
        sizes = (self.inner.shape[0], *shape) if self.mapped else tuple(shape)
        return Batched(view_as(self.inner, sizes), self.mapped, part=True)

    def __getitem__(self, key: Any) -> "Batched":
        parts = key if isinstance(key, tuple) else (key,)
        inner: Any = self.inner
        found = inner[(slice(None), *parts)] if self.mapped else inner[parts]
        return Batched(found, self.mapped, part=True)

    def __setitem__(self, key: Any, value: "Batched") -> None:
        if self.mapped or value.mapped:
            raise TransformError(
                "vmap: values cannot be written by index arrays inside of vmap; use where, "
                "index_update or scatter_nd, which make a new array"
            )
        inner: Any = self.inner
        parts = key if isinstance(key, tuple) else (key,)
        inner[tuple(x.inner if isinstance(x, Batched) else x for x in parts)] = value.inner


def _leading(value: Batched, rank: int) -> Inner:
    """The array of a mapped value with axes of size 1 behind that of samples, for broadcasting."""
    shape = value.inner.shape
    return reshaped(value.inner, (shape[0], *(1,) * (rank - len(shape) + 1), *shape[1:]))


class BatchedMemory:
    """Copies and reads batched buffers, where that can be."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: Any) -> Batched:
        own = device_of(device.context)
        buffer = own.memory.empty(shape, dtype, own.handle)
        return Batched(ndarray.from_buffer(buffer, own), mapped=False)

    def from_numpy(self, array: npt.NDArray[Any], device: Level) -> Batched:
        own = device_of(device.context)
        buffer = own.memory.from_numpy(array, own.handle)
        return Batched(ndarray.from_buffer(buffer, own), mapped=False)

    def to_numpy(self, buffer: Batched) -> npt.NDArray[Any]:
        if buffer.mapped:
            raise TransformError(_UNREADABLE)
        inner = buffer.inner
        return np.asarray(inner._device.memory.to_numpy(inner._data))

    def from_dlpack(self, array: Any, device: Level) -> Batched:
        return self.from_numpy(np.from_dlpack(array), device)

    def contiguous(self, buffer: Batched) -> Batched:
        return buffer

    def copy(self, buffer: Batched) -> Batched:
        return Batched(copied(buffer.inner), buffer.mapped)

    def write(self, target: Batched, value: Batched) -> None:
        """Overwrite the content; arrays that are in a graph are replaced instead."""
        inner, source = target.inner, value.inner
        if target.mapped and value.mapped:
            source = _leading(value, len(target.shape))
        if value.mapped and not target.mapped:
            if target.part:
                raise TransformError(_SHARED)
            source = _leading(value, len(target.shape))
            self._replace(target, source, (source.shape[0], *target.shape))
            target.mapped = True
        elif inner._live_entry() is None and source._live_entry() is None:
            inner._write(source)
        elif target.part:
            raise TransformError(
                "vmap: a recorded value cannot be written to a part of an array, because "
                "gradients would not flow through it; use concat, stack or where"
            )
        else:
            self._replace(target, source, inner.shape)

    @staticmethod
    def _replace(target: Batched, source: Inner, shape: tuple[int, ...]) -> None:
        own: Array = target.inner
        dtype = own._device.memory.dtype(own._data)
        whole = as_dtype(source, dtype, copy=False)
        if whole.shape != shape:
            whole = apply("_npi_broadcast_to", whole, shape=shape)
        target.inner = whole

    def span(self, _: Batched) -> tuple[int, int]:
        return (0, 0)

    def overlap(self, one: Batched, other: Batched) -> bool:
        return one is other

    def dtype(self, buffer: Batched) -> str:
        inner = buffer.inner
        return inner._device.memory.dtype(inner._data)

    def retain(self) -> None:
        """Do nothing: the memory is that of the tables below."""


MEMORY: Final = BatchedMemory()
SHARED: Final = _SHARED
