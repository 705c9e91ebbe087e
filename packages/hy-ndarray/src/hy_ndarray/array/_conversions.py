"""Conversions of arrays to Python numbers, lists, numpy arrays and DLPack capsules."""

from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray._dtypes import dtype_name
from hy_ndarray._errors import ArgumentError, DTypeError, ScalarError, ShapeError
from hy_ndarray.array._capsules import capsule_of
from hy_ndarray.core._array import Array


class Conversions(Array):
    """Mixin that converts an array to numbers, lists, numpy arrays and DLPack capsules."""

    __slots__ = ()

    def asscalar(self) -> Any:
        """Return the only element as a numpy scalar.

        Raises:
            ShapeError: There is more than one element, or none.
        """
        if self.size != 1:
            raise ScalarError(
                f"The current array is not a scalar: {self.shape} has {self.size} elements"
            )
        return self._device.memory.to_numpy(self._data).reshape(1)[0]

    def item(self) -> Any:
        """Return the only element as a Python number."""
        return self.asscalar().item()

    def tolist(self) -> Any:
        """Return the elements as nested lists of Python numbers."""
        return self.asnumpy().tolist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False and self.context.device_type == "gpu":
            raise ValueError(
                f"__array__: cannot convert an array on {self.context} to NumPy without a copy "
                "(copy=False); use asnumpy()"
            )
        values = self._device.memory.to_numpy(self._data)
        return np.array(values, dtype=dtype, copy=copy)

    def __dlpack__(
        self,
        /,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Return a DLPack capsule over the same memory, which can be consumed once.

        Args:
            stream: The consumer's stream, for devices that have streams.
            max_version: The newest version of DLPack that the consumer knows.
            dl_device: The device of the capsule's memory: the array's own (None), or the CPU.
            copy: True copies always, None if needed; False raises an error if a copy is needed.

        Raises:
            BufferError: ``copy`` is False and a copy is needed, or ``dl_device`` is not supported.
        """
        data = self._data
        if dl_device is not None and tuple(map(int, dl_device)) != self.__dlpack_device__():
            if copy is False or int(dl_device[0]) != 1:
                raise BufferError(
                    f"__dlpack__: cannot export an array on {self.context} to device {dl_device} "
                    f"(copy={copy}); copies are made only to the CPU"
                )
            return capsule_of(self.asnumpy(), max_version=max_version)
        if copy:
            return capsule_of(self._device.memory.copy(data), stream, max_version)
        # From now on the consumer may write to this memory, which caches of its values do not see.
        self._device.share(data)
        return capsule_of(data, stream, max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        device: tuple[int, int] = self._data.__dlpack_device__()
        return device

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        interface: dict[str, Any] = self._data.__cuda_array_interface__
        return interface

    def to_dlpack_for_read(self) -> Any:
        """Return a DLPack capsule over the same memory, for consumers that only read."""
        return capsule_of(self._data)

    def to_dlpack_for_write(self) -> Any:
        """Return a DLPack capsule over the same memory, for consumers that may write."""
        return self.__dlpack__()

    def __bool__(self) -> bool:
        if self.size == 0:
            return False
        if self.size > 1:
            raise ShapeError(
                f"The truth value of an NDArray with multiple elements is ambiguous: {self.shape}; "
                "use x.asnumpy().any() or x.asnumpy().all()"
            )
        return bool(self.asscalar())

    def __float__(self) -> float:
        return float(self.asscalar())

    def __int__(self) -> int:
        return int(self.asscalar())

    def __format__(self, fmt: str) -> str:
        if fmt and self.size == 1:
            return format(self.item(), fmt)
        if fmt:
            raise ArgumentError(
                f"format: {fmt!r} is not supported for an array {self.shape}; format single "
                "elements, x[i].item()"
            )
        return str(self)

    def __index__(self) -> int:
        if np.dtype(self.dtype).kind not in "iu":
            raise DTypeError(
                f"an array of {dtype_name(self.dtype)} cannot be used as an index; only integer "
                "arrays can"
            )
        return int(self.asscalar())

    def __len__(self) -> int:
        shape = self._data.shape
        if not shape:
            raise ArgumentError("len: an array () has no axes, and so no length")
        length: int = shape[0]
        return length
