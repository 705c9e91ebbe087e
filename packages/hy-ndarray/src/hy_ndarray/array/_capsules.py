"""DLPack capsules: reading their device, and export of bfloat16, which numpy does not support."""

import ctypes
from typing import Any

import numpy as np

from hy_ndarray._dtypes import numpy_type
from hy_ndarray._errors import ArgumentError
from hy_ndarray.devices._protocols import Buffer

_TENSOR_AT = ((b"dltensor", 0), (b"dltensor_versioned", 32))
# dlpack.h: DLTensor is data (8 bytes), device (two int32), ndim (int32), dtype (code, bits, lanes);
# a DLManagedTensorVersioned has 32 bytes before it, a DLManagedTensor none.
_DEVICE, _CODE = 8, 20
"""Byte offsets of the device type and of the dtype's type code in a ``DLTensor``."""
_BFLOAT = 4
"""The type code of bfloat16, ``kDLBfloat``."""


def capsule_of(
    buffer: Buffer, stream: Any = None, max_version: tuple[int, int] | None = None
) -> Any:
    """Return a DLPack capsule over the memory of a buffer.

    Args:
        buffer: A kernel table's array.
        stream: As for ``__dlpack__``.
        max_version: As for ``__dlpack__``.
    """
    # None is not passed on: __dlpack__ of numpy before 2.1 has no parameter max_version.
    keywords = {"stream": stream, "max_version": max_version}
    options = {name: value for name, value in keywords.items() if value is not None}
    if not (isinstance(buffer, np.ndarray) and buffer.dtype == numpy_type("bfloat16")):
        return buffer.__dlpack__(**options)
    # numpy does not export ml_dtypes' bfloat16: exported as uint16, then the type code is patched.
    capsule = buffer.view(np.uint16).__dlpack__(**options)
    ctypes.c_uint8.from_address(_tensor_of(capsule) + _CODE).value = _BFLOAT
    return capsule


def _tensor_of(capsule: Any) -> int:
    """Return the address of a capsule's ``DLTensor``; 0 for other objects and used capsules."""
    api = ctypes.pythonapi
    api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    for name, offset in _TENSOR_AT:
        if type(capsule).__name__ == "PyCapsule" and api.PyCapsule_IsValid(capsule, name):
            return int(api.PyCapsule_GetPointer(capsule, name)) + offset
    return 0


class Capsule:
    """Wrapper that gives a bare DLPack capsule the methods that ``from_dlpack`` calls."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule
        address = _tensor_of(capsule)
        if not address:
            raise ArgumentError(
                f"from_dlpack: {capsule!r} is neither an array nor an unused DLPack capsule; a "
                "capsule can be consumed only once"
            )
        kind, number = (ctypes.c_int32 * 2).from_address(address + _DEVICE)
        self._device = (int(kind), int(number))

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device
