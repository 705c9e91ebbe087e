"""Dual buffers: an array together with its derivative along one direction."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hy_ndarray._errors import TransformError
from hy_ndarray.array._reshaping import view_as
from hy_ndarray.core._copying import as_dtype, copied
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices._selection import device_of
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.transforms._calls import Inner, apply, reshaped

__all__ = ["MEMORY", "WRITES", "Dual"]

WRITES: Final = (
    "jvp: cannot write a value with a tangent into an array created outside of jvp, nor into a "
    "part of a recorded one; create a new array (concat, stack, where) instead of writing"
)


class Dual:
    """Buffer of an array inside ``jvp``: a value (primal) with its tangent.

    Args:
        primal: The value.
        tangent: The derivative of the value, of the same shape; None for zero.
        origin: For a view, the buffer it is a view of, and its index key there, None for a reshape.
    """

    __slots__ = ("origin", "primal", "tangent")

    def __init__(
        self, primal: Inner, tangent: Inner | None, origin: "tuple[Dual, Any] | None" = None
    ) -> None:
        self.primal = primal
        self.tangent = tangent
        self.origin = origin

    @property
    def shape(self) -> tuple[int, ...]:
        """Return the shape of the primal and of the tangent."""
        shape: tuple[int, ...] = self.primal._data.shape
        return shape

    @property
    def dtype(self) -> Any:
        """Return the dtype of the wrapped array."""
        return self.primal._data.dtype

    def __dlpack_device__(self) -> tuple[int, int]:
        raise TransformError(
            "jvp: another library would lose the tangents of the values; call it outside of jvp"
        )

    def reshape(self, shape: Sequence[int]) -> "Dual":
        """Return a view in another shape."""
        sizes, t = tuple(shape), self.tangent
        tangent = None if t is None else view_as(t, sizes)
        return Dual(view_as(self.primal, sizes), tangent, (self, None))

    def __getitem__(self, key: Any) -> "Dual":
        primal: Any = self.primal
        tangent: Any = self.tangent
        parts = key if isinstance(key, tuple) else (key,)
        result = None if tangent is None else tangent[parts]
        return Dual(primal[parts], result, (self, parts))

    def __setitem__(self, key: Any, value: "Dual") -> None:
        parts = key if isinstance(key, tuple) else (key,)
        own = tuple(x.primal if isinstance(x, Dual) else x for x in parts)
        primal: Any = self.primal
        tangent: Any = self.tangent
        if value.tangent is not None and tangent is None:
            raise TransformError(WRITES)
        primal[own] = value.primal
        if tangent is not None:
            tangent[own] = 0 if value.tangent is None else value.tangent


def _assign(target: Dual, primal: Inner, tangent: Inner | None) -> None:
    """Replace the content of a buffer, and update the buffers that it is a view of."""
    # In place if nothing is recorded; arrays on the tape must not change.
    if target.primal._live_entry() is None and primal._live_entry() is None:
        target.primal._write(primal)
    elif target.origin is not None:
        raise TransformError(WRITES)
    else:
        target.primal = primal
    target.tangent = tangent
    if target.origin is None:
        return
    parent, key = target.origin
    slope: Any = parent.tangent
    if key is None:
        shape = parent.shape
        moved = None if tangent is None else reshaped(tangent, shape)
        _assign(parent, reshaped(target.primal, shape), moved)
        return
    if slope is None and tangent is not None:
        slope = apply("zeros_like", parent.primal)
    if slope is not None:
        slope = apply("_copy", slope)
        slope[key] = 0 if tangent is None else tangent
    above: Any = apply("_copy", parent.primal)
    above[key] = target.primal
    _assign(parent, above, slope)


class DualMemory:
    """Memory interface of dual buffers; reading one returns the value without its tangent."""

    def empty(self, shape: tuple[int, ...], dtype: str, device: Level) -> Dual:
        own = device_of(device.context)
        return Dual(ndarray.from_buffer(own.memory.empty(shape, dtype, own.handle), own), None)

    def from_numpy(self, array: npt.NDArray[Any], device: Level) -> Dual:
        own = device_of(device.context)
        return Dual(ndarray.from_buffer(own.memory.from_numpy(array, own.handle), own), None)

    def to_numpy(self, buffer: Dual) -> npt.NDArray[Any]:
        primal = buffer.primal
        return np.asarray(primal._device.memory.to_numpy(primal._data))

    def from_dlpack(self, array: Any, device: Level) -> Dual:
        return self.from_numpy(np.from_dlpack(array), device)

    def contiguous(self, buffer: Dual) -> Dual:
        return buffer

    def copy(self, buffer: Dual) -> Dual:
        t = buffer.tangent
        return Dual(copied(buffer.primal), None if t is None else copied(t))

    def write(self, target: Dual, value: Dual) -> None:
        """Overwrite the content of a buffer, and of the buffers that it is a view of."""
        primal = _fit(value.primal, target.primal)
        tangent = None if value.tangent is None else _fit(value.tangent, target.primal)
        _assign(target, primal, tangent)

    def span(self, _: Dual) -> tuple[int, int]:
        # Buffers of a level have no address of their own.
        return (0, 0)

    def overlap(self, one: Dual, other: Dual) -> bool:
        return one is other

    def dtype(self, buffer: Dual) -> str:
        primal = buffer.primal
        return primal._device.memory.dtype(primal._data)

    def retain(self) -> None:
        """Do nothing: the tables of the wrapped arrays manage memory."""


def _fit(value: Inner, like: Inner) -> Inner:
    """Return ``value`` cast to the dtype of ``like`` and broadcast to its shape."""
    result = as_dtype(value, like._device.memory.dtype(like._data), copy=False)
    if result.shape == like.shape:
        return result
    spread: Inner = apply("_npi_broadcast_to", result, shape=like.shape)
    return spread


MEMORY: Final = DualMemory()
