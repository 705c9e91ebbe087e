"""Reads MXNet's NDArray-list format, every form of it: first all headers, then values."""

import struct
import sys
from collections.abc import Sequence
from functools import partial
from math import prod
from typing import NamedTuple

import numpy as np

from hy_io._binary import I32, U32, U64, BinaryReader, numbers
from hy_io._dtypes import as_dtype, native, stored_dtype
from hy_io._limits import check_expansion
from hy_io._ndarray_format import (
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
)
from hy_io.sparse import CSRArray, RowSparseArray

__all__ = [
    "Entry",
    "Part",
    "check_dense",
    "decode",
    "read_entries",
    "read_list",
    "read_single",
    "to_dense",
]

_MAX_AXES = 64  # numpy's limit
# Type and number of the device, type flag: one call for each array of a file.
_DEVICE_AND_TYPE = struct.Struct("<iii")
# Bounds the count of arrays that a header may claim.
_MIN_ARRAY_BYTES = 4  # bytes: what even a damaged entry takes
# The magic as a big-endian machine writes it, which is told apart from a file of another format.
_SWAPPED_MAGIC = int.from_bytes(LIST_MAGIC.to_bytes(8, "big"), "little")


class Part(NamedTuple):
    """Values in a file: a view whose size was checked, not read yet."""

    field: str
    offset: int
    dtype: str
    stored: Array


class Entry(NamedTuple):
    """The header of one array; ``parts`` are its values, then its index arrays if it is sparse."""

    label: str
    offset: int
    version: int
    storage: int
    shape: tuple[int, ...]
    parts: tuple[Part, ...]

    @property
    def dtype(self) -> str:
        """Name of the dtype."""
        return self.parts[0].dtype

    @property
    def nbytes(self) -> int:
        """Size of the values and index arrays in bytes."""
        return sum(part.stored.nbytes for part in self.parts)

    @property
    def dense_nbytes(self) -> int:
        """Size of the dense array in bytes; for an empty array, the size that numpy computes."""
        # numpy multiplies the axes before it looks for a 0, so an empty array may still be too
        # large.
        return prod(filter(None, self.shape)) * self.parts[0].stored.itemsize


def read_list(
    reader: BinaryReader, *, copy: bool, dense: bool, limit: int
) -> dict[str, StoredArray] | list[StoredArray]:
    """Read a whole NDArray list; the arguments and errors are those of `load_ndarrays`."""
    entries, names = read_entries(reader)
    if dense:
        check_dense(reader, entries, limit)
    loaded: list[StoredArray] = []
    for entry in entries:
        # Values that are not copied are the file's: pages of a map that nobody has touched.
        stored = [part.stored for part in entry.parts]
        values = [x.astype(native(x.dtype)) for x in stored] if copy else stored
        array = decode(reader, entry, values)
        loaded.append(to_dense(array) if dense and entry.storage != DENSE else array)
    return dict(zip(names, loaded, strict=True)) if names else loaded


def check_dense(reader: BinaryReader, entries: Sequence[Entry], limit: int) -> None:
    """Refuse a file whose dense arrays would together exceed the limit.

    Raises:
        FileLimitError: They would.
    """
    if not [entry for entry in entries if entry.storage != DENSE]:
        return  # dense arrays take what they take in the file
    # Summed over the file: each of many arrays could stay below the limit.
    total = 0
    for entry in entries:
        total += entry.nbytes if entry.storage == DENSE else entry.dense_nbytes
        label = f"{entry.label} of shape {entry.shape}, made dense"
        check_expansion(reader.path, entry.offset, label, total, reader.offset, limit)


def to_dense(array: StoredArray) -> Array:
    """Return the array itself, or a sparse one made dense after `check_dense` has allowed it."""
    return array if isinstance(array, np.ndarray) else array.to_dense(max_expansion=sys.maxsize)


def read_single(reader: BinaryReader) -> StoredArray:
    """Read a single array without the header of a list, up to the end."""
    entry = _read_entry(reader, "array")
    reader.finish()
    values = [part.stored.astype(native(part.stored.dtype)) for part in entry.parts]
    return decode(reader, entry, values)


def read_entries(reader: BinaryReader) -> tuple[list[Entry], list[str]]:
    """Read the headers and the names (none if the arrays have none); no values are touched."""
    (magic,) = reader.unpack(U64, "magic")
    if magic != LIST_MAGIC:
        swapped = magic == _SWAPPED_MAGIC
        remedy = "it was written big-endian: write it again on a little-endian machine"
        remedy = remedy if swapped else "it is no file of arrays of MXNet's"
        raise reader.error("magic", f"{LIST_MAGIC:#x}", f"{magic:#x}", offset=0, remedy=remedy)
    # Eight bytes that MXNet writes as 0.
    reader.unpack(U64, "reserved")
    count = reader.count("array count", _MIN_ARRAY_BYTES)
    # All headers are checked before a value is read: a damaged file allocates no array.
    entries = [_read_entry(reader, f"array {index}") for index in range(count)]
    names = _read_names(reader, count)
    reader.finish()
    return entries, names


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
            # A dictionary would silently drop one of the two arrays.
            raise reader.error(f"name {index}", "a new name", f"{name!r} again", offset=start)
        names[name] = None
    return list(names)


def _read_entry(reader: BinaryReader, label: str) -> Entry:
    start = reader.offset
    # In version 0 this word is the number of axes, so it is used again by `_read_shape`.
    (version,) = reader.unpack(U32, f"{label} magic")
    storage = _read_storage(reader, label, version)
    if storage == DENSE:
        shape = _read_shape(reader, label, version)
        part = _read_part(reader, label, _read_dtype(reader, label), shape)
        return Entry(label, start, version, storage, shape, (part,))
    stored_shape = _read_shape(reader, label, version)
    shape = _read_shape(reader, label, version)
    dtype = _read_dtype(reader, label)
    fields = [f"{label} {name}" for name in INDEX_ARRAYS[storage]]
    index_shapes = [_read_index_shape(reader, field, version) for field in fields]
    if stored_shape[:1] < index_shapes[-1][:1]:
        # MXNet may write the length that an array had before it was filled.
        stored_shape = *index_shapes[-1][:1], *stored_shape[1:]
    shapes = [stored_shape, *index_shapes]
    # MXNet's index arrays are int64.
    dtypes = [dtype] + ["int64"] * len(fields)
    parts = tuple(map(partial(_read_part, reader), [label, *fields], dtypes, shapes))
    return Entry(label, start, version, storage, shape, parts)


def decode(reader: BinaryReader, entry: Entry, values: Sequence[Array]) -> StoredArray:
    """Return the array of an entry, out of the values of its parts in native byte order.

    Raises:
        FileFormatError: The values are none of the dtype, or no sparse array.
    """
    data, *index = [
        as_dtype(reader, x, part.dtype, part.field, part.offset)
        for part, x in zip(entry.parts, values, strict=True)
    ]
    if entry.storage == DENSE:
        return data
    try:
        if entry.storage == ROW_SPARSE:
            return RowSparseArray(data, index[0], entry.shape)
        return CSRArray(data, indices=index[1], indptr=index[0], shape=entry.shape)
    except ValueError as error:
        raise reader.error(
            entry.label, "a valid sparse array", str(error), offset=entry.offset
        ) from None


def _read_storage(reader: BinaryReader, label: str, version: int) -> int:
    if version not in {V2, V3}:
        return DENSE
    # The form for numpy semantics (V3) has no sparse arrays.
    known = INDEX_ARRAYS if version == V2 else (DENSE,)
    start = reader.offset
    (storage,) = reader.unpack(I32, f"{label} storage type")
    if storage not in known:
        raise reader.error(
            f"{label} storage type",
            "0 (dense), 1 (row_sparse) or 2 (csr)" if version == V2 else "0 (dense)",
            f"{storage}",
            offset=start,
        )
    return int(storage)


def _read_shape(reader: BinaryReader, label: str, version: int) -> tuple[int, ...]:
    field = f"{label} shape"
    legacy = version not in {V1, V2, V3}
    start = reader.offset - 4 if legacy else reader.offset  # in v0 the magic is the number of axes
    axes = version if legacy else reader.unpack(I32, field)[0]
    if legacy and axes > _MAX_AXES:
        expected = f"the magic of V1, V2 or V3, or at most {_MAX_AXES} axes"
        raise reader.error(f"{label} magic", expected, f"{axes:#x}", offset=start)
    if not 0 <= axes <= _MAX_AXES:
        raise reader.error(field, f"0 to {_MAX_AXES} axes", f"{axes}", offset=start)
    # 0 axes meant "shape unknown" before numpy semantics, where it is a scalar.
    if axes == 0 and version != V3:
        raise reader.error(
            field,
            "one axis or more",
            "none: the array was never given a shape",
            offset=start,
            remedy="write the file again without this array",
        )
    # Version 0 has 32-bit sizes, later versions 64-bit ones.
    shape = reader.unpack(numbers("I" if legacy else "q", axes), field)
    if min(shape, default=0) < 0:
        raise reader.error(field, "sizes of 0 or more", f"{shape}", offset=start)
    return shape


def _read_index_shape(reader: BinaryReader, field: str, version: int) -> tuple[int, ...]:
    start = reader.offset
    (flag,) = reader.unpack(I32, f"{field} type flag")
    # Another width would change the size of all that follows, so it cannot be skipped.
    if flag != TYPE_FLAGS["int64"]:
        raise reader.error(
            f"{field} type flag", f"{TYPE_FLAGS['int64']} (int64)", f"{flag}", offset=start
        )
    return _read_shape(reader, field, version)


def _read_dtype(reader: BinaryReader, label: str) -> str:
    """Read the device, which says nothing here, and the dtype behind it."""
    field = f"{label} device and type flag"
    *_, flag = reader.unpack(_DEVICE_AND_TYPE, field)
    if flag not in DTYPE_NAMES:
        start = reader.offset - I32.size
        raise reader.error(
            f"{label} type flag", f"0 to {max(DTYPE_NAMES)}", f"{flag}", offset=start
        )
    return DTYPE_NAMES[flag]


def _read_part(reader: BinaryReader, label: str, dtype: str, shape: tuple[int, ...]) -> Part:
    start = reader.offset
    field = f"{label} values"
    return Part(field, start, dtype, reader.array(stored_dtype(dtype), shape, field))
