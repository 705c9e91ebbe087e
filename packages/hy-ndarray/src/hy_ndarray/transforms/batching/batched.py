"""Batched buffers: arrays of all samples, with the shape of one sample."""

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
    "vmap: cannot read the values of an array that differs between samples (asnumpy, item, float, "
    "if …), because all samples are computed at once; use operators, such as where, or read the "
    "values outside of vmap"
)
_SHARED = (
    "vmap: cannot write values that differ between samples into an array that all samples share; "
    "pass it to the mapped function as an argument with in_axes=0, or create a new array (concat, "
    "stack, where) instead of writing"
)
_RECORDED = (
    "vmap: cannot write a recorded value to a part of an array, because gradients would not flow "
    "through it; build the array with concat, stack or where instead"
)


class Batched:
    """Buffer of an array inside ``vmap``: the array of all samples, seen as one sample.

    Args:
        inner: The array of the level below, whose first axis is the sample axis if ``mapped``.
        mapped: Whether the samples have different values; else they share one array.
        origin: For a view, the buffer it is a view of, and its index key there, None for a reshape.
    """

    __slots__ = ("inner", "mapped", "origin")

    def __init__(
        self, inner: Inner, mapped: bool, origin: "tuple[Batched, Any] | None" = None
    ) -> None:
        self.inner = inner
        self.mapped = mapped
        self.origin = origin

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of one sample."""
        shape: tuple[int, ...] = self.inner._data.shape
        return shape[1:] if self.mapped else shape

    @property
    def dtype(self) -> Any:
        """Return the dtype of the wrapped array."""
        return self.inner._data.dtype

    def __dlpack_device__(self) -> tuple[int, int]:
        raise TransformError(_UNREADABLE)

    def reshape(self, shape: Sequence[int]) -> "Batched":
        """Return a view of each sample in another shape."""
        sizes = (self.inner.shape[0], *shape) if self.mapped else tuple(shape)
        return Batched(view_as(self.inner, sizes), self.mapped, (self, None))

    def __getitem__(self, key: Any) -> "Batched":
        parts = key if isinstance(key, tuple) else (key,)
        inner: Any = self.inner
        return Batched(inner[self.key(parts)], self.mapped, (self, parts))

    def key(self, parts: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return the index key for all samples, given the key for one sample."""
        return (slice(None), *parts) if self.mapped else parts

    def __setitem__(self, key: Any, value: "Batched") -> None:
        if self.mapped or value.mapped:
            raise TransformError(
                "vmap: index arrays cannot be used to assign values inside vmap; use where, "
                "index_update or scatter_nd, which create a new array"
            )
        inner: Any = self.inner
        parts = key if isinstance(key, tuple) else (key,)
        inner[tuple(x.inner if isinstance(x, Batched) else x for x in parts)] = value.inner


def _aligned(value: Batched, rank: int) -> Inner:
    """Return the wrapped array with axes of size 1 inserted after the sample axis."""
    shape = value.inner.shape
    return reshaped(value.inner, (shape[0], *(1,) * (rank - len(shape) + 1), *shape[1:]))


def _assign(target: Batched, source: Inner, *, mapped: bool) -> None:
    """Replace the content of a buffer, and update the buffers that it is a view of."""
    inner = target.inner
    size = inner.shape[0] if target.mapped else source.shape[0]
    shape = (size, *target.shape) if mapped else target.shape
    # In place if nothing is recorded; arrays on the tape must not change.
    if inner._live_entry() is None and source._live_entry() is None and mapped == target.mapped:
        inner._write(source)
        content = inner
    elif target.origin is not None:
        if source._live_entry() is not None:
            raise TransformError(_RECORDED)
        content = _fit(inner, source, shape)
    else:
        content = _fit(inner, source, shape)
    target.inner, target.mapped = content, mapped
    if target.origin is None:
        return
    # The view no longer shares memory with its parents, so each parent is updated in turn.
    parent, key = target.origin
    if key is None:
        size_of_parent = (size, *parent.shape) if mapped else parent.shape
        _assign(parent, reshaped(content, size_of_parent), mapped=mapped)
        return
    above: Any = parent.inner
    if mapped and not parent.mapped:
        above = apply("_npi_broadcast_to", above, shape=(size, *above.shape))
    above = apply("_copy", above)
    above[(slice(None), *key) if mapped else key] = content
    _assign(parent, above, mapped=mapped or parent.mapped)


def _fit(like: Array, source: Inner, shape: tuple[int, ...]) -> Inner:
    """Return ``source`` cast to the dtype of ``like`` and broadcast to ``shape``."""
    content = as_dtype(source, like._device.memory.dtype(like._data), copy=False)
    if content.shape == shape:
        return content
    result: Inner = apply("_npi_broadcast_to", content, shape=shape)
    return result


class BatchedMemory:
    """Memory interface of batched buffers; values that differ by sample cannot be read."""

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
        """Overwrite the content of a buffer, and of the buffers that it is a view of."""
        source = value.inner
        if value.mapped:
            source = _aligned(value, len(target.shape))
        elif target.mapped:
            source = reshaped(source, (1, *(1,) * (len(target.shape) - source.ndim), *source.shape))
        _assign(target, source, mapped=target.mapped or value.mapped)

    def span(self, _: Batched) -> tuple[int, int]:
        # Buffers of a level have no address of their own.
        return (0, 0)

    def overlap(self, one: Batched, other: Batched) -> bool:
        return one is other

    def dtype(self, buffer: Batched) -> str:
        inner = buffer.inner
        return inner._device.memory.dtype(inner._data)

    def retain(self) -> None:
        """Do nothing: the tables of the wrapped arrays manage memory."""


MEMORY: Final = BatchedMemory()
SHARED: Final = _SHARED
