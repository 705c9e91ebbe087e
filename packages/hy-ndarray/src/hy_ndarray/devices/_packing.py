"""PackedCalls: eager calls with the packed form of a weight, cached while that is unchanged."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol
from weakref import ref

from hy_ndarray.devices._protocols import Buffer, KernelFunction, Memory, Packing


class Watched(Protocol):
    """Interface of a device that counts writes to buffers."""

    @property
    def writes(self) -> int: ...
    def wrote_since(self, writes: int, buffers: Sequence[Buffer]) -> bool: ...
    def watch(self, watcher: object, buffers: Sequence[Buffer]) -> None: ...
    def is_shared(self, buffers: Sequence[Buffer]) -> bool: ...


class PackedCalls:
    """Function of inputs that packs one of them, a weight, at most once while it is unchanged.

    A weight that is overwritten before each call, as in training, is left to the kernel: it is
    packed when two calls in a row meet the same content.

    Args:
        packing: The kernel's form of the weight, and its function of that.
        kernel: The kernel with its parameters, for all other calls.
        memory: Memory of the buffers.
        device: The device, which counts writes to them.
    """

    def __init__(
        self, packing: Packing, kernel: KernelFunction, memory: Memory, device: Watched
    ) -> None:
        self._packing = packing
        self._kernel = kernel
        self._memory = memory
        self._device = device
        self._fits: dict[Any, bool] = {}
        """Whether the kernel packs the weight, by shapes and dtypes."""
        self._weights: dict[int, _Weight] = {}
        """By the identity of a buffer, which a weak reference confirms."""

    def __call__(self, *buffers: Buffer) -> Any:
        """Return the result of the kernel."""
        position = self._packing.operand
        buffer = buffers[position]
        # Buffers may have no hash. Ids are reused, so that the weak reference has to confirm them.
        weight = self._weights.get(id(buffer))
        if weight is None or weight.buffer() is not buffer:
            self._weights[id(buffer)] = _Weight(buffer, self._device, self._weights)
            return self._kernel(*buffers)
        packed = weight.packed(buffer, self._packing.pack) if self._is_packed(buffers) else None
        if packed is None:
            return self._kernel(*buffers)
        return self._packing.function(*buffers[:position], packed, *buffers[position + 1 :])

    def _is_packed(self, buffers: Sequence[Buffer]) -> bool:
        key = tuple([None if x is None else (x.shape, x.dtype) for x in buffers])
        fits = self._fits.get(key)
        if fits is None:
            dtype = self._memory.dtype
            types = [None if x is None else (tuple(x.shape), dtype(x)) for x in buffers]
            fits = self._fits[key] = self._packing.fits(types)
        return fits


class _Weight:
    """A weight, the number of the last write that was looked for, and its packed form."""

    __slots__ = ("__weakref__", "_device", "_packed", "_used", "_writes", "buffer")

    def __init__(self, buffer: Buffer, device: Watched, owner: dict[int, "_Weight"]) -> None:
        key = id(buffer)
        self.buffer = ref(buffer, lambda _: owner.pop(key, None))
        self._device = device
        self._writes = device.writes  # before the buffer is read
        self._packed: Any = None
        self._used = False
        device.watch(self, [buffer])

    def packed(self, buffer: Buffer, pack: Callable[[Buffer], Any]) -> Any:
        """Return the packed form; None where the buffer was overwritten since the last call."""
        device, writes = self._device, self._device.writes
        # The counter was read before the question: a write in between is found by the next call.
        is_same = writes == self._writes or not device.wrote_since(self._writes, [buffer])
        self._writes = writes
        if is_same and self._packed is not None:
            self._used = True
            return self._packed
        # Packed anew if the last form was used, or when the same content comes again.
        is_profitable = is_same or self._used
        self._packed, self._used = None, False
        # Another library may write to memory that is shared with it, unseen.
        if is_profitable and not device.is_shared([buffer]):
            self._packed = pack(buffer)
        return self._packed
