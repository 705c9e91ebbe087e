"""Constants of MXNet's NDArray-list format, which `hy_io.ndarray_list` describes."""

import struct
from typing import Any, TypeAlias

import numpy.typing as npt

from hy_io.sparse import CSRArray, RowSparseArray

Array: TypeAlias = npt.NDArray[Any]
StoredArray: TypeAlias = Array | RowSparseArray | CSRArray

LIST_MAGIC = 0x112  # the first eight bytes of a file of named arrays
# Magics of the versions of one array; version 0 has none and begins with its number of axes. V3 is
# written under numpy semantics (`np_shape`), V2 otherwise.
V1, V2, V3 = 0xF993FAC8, 0xF993FAC9, 0xF993FACA
DENSE, ROW_SPARSE, CSR = 0, 1, 2
INDEX_ARRAYS: dict[int, tuple[str, ...]] = {
    DENSE: (),
    ROW_SPARSE: ("indices",),
    CSR: ("indptr", "indices"),
}
# MXNet writes the device that an array was on; readers put it on the CPU anyway.
CPU = struct.pack("<ii", 1, 0)  # device type and number

# MXNet 1 knows the flags 0 to 7 and 12; 8 to 11 came with MXNet 2.
TYPE_FLAGS = {
    "float32": 0,
    "float64": 1,
    "float16": 2,
    "uint8": 3,
    "int32": 4,
    "int8": 5,
    "int64": 6,
    "bool": 7,
    "int16": 8,
    "uint16": 9,
    "uint32": 10,
    "uint64": 11,
    "bfloat16": 12,
}
DTYPE_NAMES = {flag: name for name, flag in TYPE_FLAGS.items()}
