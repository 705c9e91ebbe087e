"""Exporter: hands a table another library's array by DLPack, and reads its capsule's flags."""

import ctypes
from typing import Any, ClassVar


class Exporter:
    """DLPack exporter around another library's array, which records whether that is read-only.

    NumPy treats memory from an unversioned capsule as read-only, before 2.3 from any capsule; torch
    writes to read-only memory. Unversioned capsules have no read-only flag and must not export
    read-only memory, so their memory is writable.

    Args:
        array: An object with ``__dlpack__`` and ``__dlpack_device__``.
        bfloat16_as_bits: Export bfloat16, which NumPy does not accept, as 16-bit integers.

    Example:
        >>> import numpy as np
        >>> values = np.arange(2.0)
        >>> values.flags.writeable = False
        >>> source = Exporter(values)
        >>> np.from_dlpack(source)
        array([0., 1.])
        >>> source.is_read_only
        True
    """

    # Offsets in dlpack.h: the unversioned struct begins with its DLTensor; in the versioned one,
    # version, context, deleter and flags of 8 bytes each precede it. In a DLTensor, data, device
    # and rank precede the code.
    _TENSOR_AT: ClassVar = ((b"dltensor", 0), (b"dltensor_versioned", 32))
    _FLAGS, _READ_ONLY = 24, 1  # offset of a versioned struct's flags
    _CODE, _UINT, _BFLOAT = 20, 1, 4  # offset of a dtype's code; kDLUInt, kDLBfloat

    def __init__(self, array: Any, *, bfloat16_as_bits: bool = False) -> None:
        self.array = array
        self.is_read_only = False
        self.is_bfloat = False
        self._bfloat16_as_bits = bfloat16_as_bits

    def __dlpack__(self, **options: Any) -> Any:
        capsule = self.array.__dlpack__(**options)
        api = ctypes.pythonapi
        api.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
        api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
        api.PyCapsule_GetPointer.restype = ctypes.c_void_p
        is_versioned = not api.PyCapsule_IsValid(capsule, b"dltensor")
        name, offset = self._TENSOR_AT[is_versioned]
        start = api.PyCapsule_GetPointer(capsule, name)
        if is_versioned:
            flags = ctypes.c_uint64.from_address(start + self._FLAGS)
            self.is_read_only = bool(flags.value & self._READ_ONLY)
        code = ctypes.c_uint8.from_address(start + offset + self._CODE)
        self.is_bfloat = code.value == self._BFLOAT
        # Only this call uses the capsule, so its code can be overwritten.
        if self.is_bfloat and self._bfloat16_as_bits:
            code.value = self._UINT
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()
