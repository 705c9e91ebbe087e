"""Reads MXNet's NDArray-list format, every form of it."""

from typing import Any

import numpy as np

from hy_io._binary import BinaryReader
from hy_io._ndarray_format import (
    CPU,
    DENSE,
    DTYPE_NAMES,
    INDEX_ARRAYS,
    LIST_MAGIC,
    ROW_SPARSE,
    TYPE_FLAGS,
    V1,
    V2,
    V3,
    Array,
    StoredArray,
    stored_dtype,
)
from hy_io.sparse import CSRArray, RowSparseArray

__all__ = ["read_list"]

_MOST_AXES = 64  # numpy's limit
_SMALLEST_ARRAY = 4  # bytes: what even a damaged entry takes
_OTHER_FORMATS = {
    b"PK": "this looks like an .npz or .zip file: try `numpy.load`",
    b"{": "this looks like JSON, perhaps the graph (-symbol.json) that belongs to the parameters",
    b"\x80": "this looks like a Python pickle, perhaps optimizer states",
    b"version https://git-lfs": "this is a pointer of Git LFS: run `git lfs pull`",
    b"<": "this looks like a web page: the download may have failed",
}


def read_list(reader: BinaryReader, *, copy: bool) -> dict[str, StoredArray] | list[StoredArray]:
    """Read a whole NDArray list; the arguments and errors are those of `load_ndarrays`."""
    head = reader.peek(max(map(len, _OTHER_FORMATS)))
    magic = reader.u64("magic")
    if magic != LIST_MAGIC:
        remedies = (text for prefix, text in _OTHER_FORMATS.items() if head.startswith(prefix))
        raise reader.error(
            "magic", f"{LIST_MAGIC:#x}", f"{magic:#x}", offset=0, remedy=next(remedies, None)
        )
    reader.u64("reserved")
    count = reader.count("array count", _SMALLEST_ARRAY)
    arrays = [_read_array(reader, f"array {index}", copy=copy) for index in range(count)]
    names = _read_names(reader, count)
    reader.finish()
    return dict(zip(names, arrays, strict=True)) if names else arrays


def _read_names(reader: BinaryReader, arrays: int) -> list[str]:
    start = reader.offset
    count = reader.count("name count", 8)
    if count not in {0, arrays}:
        raise reader.error("name count", f"0 or {arrays}, the arrays", f"{count}", offset=start)
    names: dict[str, None] = {}
    for index in range(count):
        start = reader.offset
        name = reader.text(f"name {index}")
        if name in names:
            raise reader.error(f"name {index}", "a new name", f"{name!r} again", offset=start)
        names[name] = None
    return list(names)


def _read_array(reader: BinaryReader, label: str, *, copy: bool) -> StoredArray:
    start = reader.offset
    version = reader.u32(f"{label} magic")
    storage = _read_storage(reader, label, version)
    stored_shape = None if storage == DENSE else _read_shape(reader, label, version)
    shape = _read_shape(reader, label, version)
    reader.take(len(CPU), f"{label} device")
    dtype = _read_dtype(reader, label)
    if stored_shape is None:
        return _read_values(reader, label, dtype, shape, copy=copy)

    fields = [f"{label} {name}" for name in INDEX_ARRAYS[storage]]
    index_shapes = [_read_index_shape(reader, field, version) for field in fields]
    data = _read_values(reader, label, dtype, stored_shape, copy=copy)
    index = [
        _read_values(reader, field, "int64", index_shape, copy=copy)
        for field, index_shape in zip(fields, index_shapes, strict=True)
    ]
    try:
        if storage == ROW_SPARSE:
            return RowSparseArray(data, index[0], shape)
        return CSRArray(data, index[1], index[0], shape)
    except ValueError as error:
        raise reader.error(label, "a valid sparse array", str(error), offset=start) from None


def _read_storage(reader: BinaryReader, label: str, version: int) -> int:
    if version not in {V2, V3}:
        return DENSE
    known = INDEX_ARRAYS if version == V2 else (DENSE,)
    start = reader.offset
    storage = reader.i32(f"{label} storage type")
    if storage not in known:
        raise reader.error(
            f"{label} storage type",
            "0 (dense), 1 (row_sparse) or 2 (csr)" if version == V2 else "0 (dense)",
            f"{storage}",
            offset=start,
        )
    return storage


def _read_shape(reader: BinaryReader, label: str, version: int) -> tuple[int, ...]:
    field = f"{label} shape"
    legacy = version not in {V1, V2, V3}
    start = reader.offset - 4 if legacy else reader.offset  # in v0 the magic is the number of axes
    axes = version if legacy else reader.i32(field)
    if legacy and axes > _MOST_AXES:
        expected = f"the magic of V1, V2 or V3, or at most {_MOST_AXES} axes"
        raise reader.error(f"{label} magic", expected, f"{axes:#x}", offset=start)
    if not 0 <= axes <= _MOST_AXES:
        raise reader.error(field, f"0 to {_MOST_AXES} axes", f"{axes}", offset=start)
    if axes == 0 and version != V3:
        raise reader.error(
            field,
            "one axis or more",
            "none: the array was never given a shape",
            offset=start,
            remedy="write the file again without this array",
        )
    shape = reader.integers("I" if legacy else "q", axes, field)
    if any(size < 0 for size in shape):
        raise reader.error(field, "sizes of 0 or more", f"{shape}", offset=start)
    return shape


def _read_index_shape(reader: BinaryReader, field: str, version: int) -> tuple[int, ...]:
    start = reader.offset
    flag = reader.i32(f"{field} type flag")
    if flag != TYPE_FLAGS["int64"]:
        raise reader.error(
            f"{field} type flag", f"{TYPE_FLAGS['int64']} (int64)", f"{flag}", offset=start
        )
    return _read_shape(reader, field, version)


def _read_dtype(reader: BinaryReader, label: str) -> str:
    start = reader.offset
    field = f"{label} type flag"
    flag = reader.i32(field)
    if flag not in DTYPE_NAMES:
        raise reader.error(field, f"0 to {max(DTYPE_NAMES)}", f"{flag}", offset=start)
    name = DTYPE_NAMES[flag]
    if name == "bfloat16":
        try:
            _bfloat16()
        except ImportError:
            raise reader.error(
                field,
                "a dtype of numpy",
                f"{flag} (bfloat16)",
                offset=start,
                remedy='try `pip install "hy-io[bfloat16]"`',
            ) from None
    return name


def _bfloat16() -> np.dtype[Any]:
    import ml_dtypes  # noqa: PLC0415 - only files with bfloat16 need it

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def _read_values(
    reader: BinaryReader, label: str, dtype: str, shape: tuple[int, ...], *, copy: bool
) -> Array:
    start = reader.offset
    stored = reader.array(stored_dtype(dtype), shape, f"{label} values")
    if dtype == "bool" and (stored > 1).any():  # as bool such bytes are neither True nor False
        raise reader.error(f"{label} values", "0 and 1", f"{stored.max()}", offset=start)
    native = stored.astype(stored.dtype.newbyteorder("="), copy=copy)
    if dtype == "bool":
        return native.view(np.bool_)
    return native.view(_bfloat16()) if dtype == "bfloat16" else native
