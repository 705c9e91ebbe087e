"""DLPack capsules: where their memory is, and those of bfloat16, which numpy cannot make."""

import ctypes
from typing import Any

import numpy as np

from hy_ndarray._dtypes import numpy_type
from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Buffer

__all__ = ["Capsule", "capsule_of"]

_TENSOR_AT = ((b"dltensor", 0), (b"dltensor_versioned", 32))
_DEVICE, _CODE = 8, 20
"""Where a tensor has its kind of device, and the code of its dtype, in bytes."""
_BFLOAT = 4
"""The code of bfloat16."""


def capsule_of(
    buffer: Buffer, stream: Any = None, max_version: tuple[int, int] | None = None
) -> Any:
    """A capsule over the memory of a buffer.

    Args:
        buffer: A kernel table's array.
        stream: As of ``__dlpack__``.
        max_version: As of ``__dlpack__``.
    """
    keywords = {"stream": stream, "max_version": max_version}
    options = {name: value for name, value in keywords.items() if value is not None}
    if not (isinstance(buffer, np.ndarray) and buffer.dtype == numpy_type("bfloat16")):
        return buffer.__dlpack__(**options)
    capsule = buffer.view(np.uint16).__dlpack__(**options)
    ctypes.c_uint8.from_address(_tensor_of(capsule) + _CODE).value = _BFLOAT
    return capsule


def _tensor_of(capsule: Any) -> int:
    """The address of the tensor that a capsule describes; 0 if it is none, or was used."""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    for name, offset in _TENSOR_AT:
        if type(capsule).__name__ == "PyCapsule" and api.PyCapsule_IsValid(capsule, name):
            return int(api.PyCapsule_GetPointer(capsule, name)) + offset
    return 0


class Capsule:
    """A bare capsule under the protocol of arrays; its first words say where the memory is."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        address = _tensor_of(capsule)
        if not address:
            raise ArgumentError(
                f"from_dlpack: {capsule!r} is no array and no DLPack capsule that is still unused"
            )
        kind, number = (ctypes.c_int32 * 2).from_address(address + _DEVICE)
        self._device = (int(kind), int(number))

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device
