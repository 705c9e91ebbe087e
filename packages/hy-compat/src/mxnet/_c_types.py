"""C types, and arrays of them, for programs that call C libraries with ``ctypes``."""

import array
import ctypes
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hy_ndarray import DTypeError

__all__ = [
    "CachedOpHandle",
    "CudaKernelHandle",
    "CudaModuleHandle",
    "DLContext",
    "DLDataType",
    "DLManagedTensor",
    "DLPackHandle",
    "DLTensor",
    "DataIterCreatorHandle",
    "DataIterHandle",
    "ExecutorHandle",
    "FunctionHandle",
    "KVStoreHandle",
    "MXCallbackList",
    "NDArrayHandle",
    "OpHandle",
    "ProfileHandle",
    "RecordIOHandle",
    "RtcHandle",
    "SymbolHandle",
    "c_array",
    "c_array_buf",
    "c_handle_array",
    "c_int_p",
    "c_str",
    "c_str_array",
    "ctypes2buffer",
    "ctypes2numpy_shared",
    "mx_float",
    "mx_float_p",
    "mx_int",
    "mx_int64",
    "mx_uint",
    "py_str",
]

mx_uint = ctypes.c_uint
mx_int = ctypes.c_int
mx_int64 = ctypes.c_int64
mx_float = ctypes.c_float
mx_float_p = ctypes.POINTER(ctypes.c_float)
c_int_p = ctypes.POINTER(ctypes.c_int)

NDArrayHandle = SymbolHandle = CachedOpHandle = ExecutorHandle = KVStoreHandle = ctypes.c_void_p
DataIterHandle = DataIterCreatorHandle = RecordIOHandle = OpHandle = ctypes.c_void_p
FunctionHandle = ProfileHandle = RtcHandle = DLPackHandle = ctypes.c_void_p
CudaModuleHandle = CudaKernelHandle = ctypes.c_void_p
"""Pointers into MXNet's C library: names for annotations, and for empty pointers."""


class MXCallbackList(ctypes.Structure):
    """C structure of callbacks: their number, functions, and contexts."""

    _fields_: ClassVar[Any] = (
        ("num_callbacks", ctypes.c_int),
        ("callbacks", ctypes.POINTER(ctypes.CFUNCTYPE(ctypes.c_int))),
        ("contexts", ctypes.POINTER(ctypes.c_void_p)),
    )


class DLContext(ctypes.Structure):
    """C structure of DLPack's device: kind and number."""

    _fields_: ClassVar[Any] = (("device_type", ctypes.c_int), ("device_id", ctypes.c_int))


class DLDataType(ctypes.Structure):
    """C structure of DLPack's dtype: kind, bits, and lanes."""

    _fields_: ClassVar[Any] = (
        ("type_code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    )
    TYPE_MAP: ClassVar[dict[str, tuple[int, int, int]]] = {
        "int32": (0, 32, 1),
        "int64": (0, 64, 1),
        "bool": (1, 1, 1),
        "uint8": (1, 8, 1),
        "uint32": (1, 32, 1),
        "uint64": (1, 64, 1),
        "float16": (2, 16, 1),
        "float32": (2, 32, 1),
        "float64": (2, 64, 1),
    }


class DLTensor(ctypes.Structure):
    """C structure of DLPack's tensor."""

    _fields_: ClassVar[Any] = (
        ("data", ctypes.c_void_p),
        ("ctx", DLContext),
        ("ndim", ctypes.c_int),
        ("dtype", DLDataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class DLManagedTensor(ctypes.Structure):
    """C structure of DLPack's tensor, with the function that frees it."""

    _fields_: ClassVar[Any] = (
        ("dl_tensor", DLTensor),
        ("manager_ctx", ctypes.c_void_p),
        ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def py_str(x: bytes | str) -> str:
    """Return UTF-8 bytes as text; text is returned unchanged."""
    return x if isinstance(x, str) else x.decode("utf-8")


def c_str(string: str) -> ctypes.c_char_p:
    """Return a text as ``char *``."""
    return ctypes.c_char_p(string.encode("utf-8"))


def c_str_array(strings: Iterable[str]) -> "ctypes.Array[ctypes.c_char_p]":
    """Return texts as ``char **``."""
    encoded = [string.encode("utf-8") for string in strings]
    return (ctypes.c_char_p * len(encoded))(*encoded)


def c_array(ctype: Any, values: Sequence[Any]) -> Any:
    """Return a copy of values as a C array.

    Example:
        >>> c_array(mx_uint, [1, 2])[:]
        [1, 2]
    """
    return (ctype * len(values))(*values)


def c_array_buf(ctype: Any, buf: "array.array[Any]") -> Any:
    """Return the memory of an ``array.array`` as a C array."""
    return (ctype * len(buf)).from_buffer(buf)


def c_handle_array(objs: Iterable[Any]) -> "ctypes.Array[ctypes.c_void_p]":
    """Return a C array of the pointers in the attribute ``handle`` of objects."""
    handles = [ctypes.c_void_p(getattr(o.handle, "value", o.handle)) for o in objs]
    return (ctypes.c_void_p * len(handles))(*handles)


def ctypes2buffer(cptr: Any, length: int) -> bytearray:
    """Return a copy of ``length`` bytes at a ``char *``.

    Raises:
        DTypeError: ``cptr`` is not a pointer to char.
    """
    if not isinstance(cptr, ctypes.POINTER(ctypes.c_char)):
        raise DTypeError(f"ctypes2buffer: expected char pointer, not {type(cptr).__name__}")
    return bytearray(ctypes.string_at(cptr, length))


def ctypes2numpy_shared(cptr: Any, shape: Sequence[int]) -> npt.NDArray[np.float32]:
    """Return the memory at a ``float *`` as a numpy array, which does not own it.

    Args:
        cptr: A pointer to float.
        shape: Shape of the array.

    Raises:
        DTypeError: ``cptr`` is not a pointer to float.
    """
    if not isinstance(cptr, mx_float_p):
        raise DTypeError(f"ctypes2numpy_shared: expected float pointer, not {type(cptr).__name__}")
    return np.ctypeslib.as_array(cptr, shape=tuple(shape))
