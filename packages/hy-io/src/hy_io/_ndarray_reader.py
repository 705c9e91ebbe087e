"""Reader of all versions of MXNet's NDArray-list format: first all headers, then values."""

import mmap
import os
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice
from math import prod
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from hy_io._binary import I32, U32, U64, BinaryReader, allocate, fill, map_open, numbers
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
from hy_io._paths import open_file
from hy_io.sparse import CSRArray, RowSparseArray

_MAX_AXES = 64  # numpy's limit
_STORED = attrgetter("stored")
# 500 arrays of 16 x 16: 6.8 ms of CPU time read at once, 13 to 20 mapped and read one by one.
_MAX_READ_BYTES = 1 << 20
"""Files smaller than this are read at once, which takes less time than mapping them."""
# Bounds the count of arrays that a header may claim.
_MIN_ARRAY_BYTES = 4  # bytes: what even a damaged entry takes
# The magic as a big-endian machine writes it, which is distinguished from a file of another format.
_SWAPPED_MAGIC = int.from_bytes(LIST_MAGIC.to_bytes(8, "big"), "little")


class Part(NamedTuple):
    """Values of one array in a file: ``stored`` is a view, whose size was checked, not read yet."""

    field: str
    offset: int
    dtype: str
    stored: Array


class Entry(NamedTuple):
    """Header of one array; ``parts`` are its values and, if it is sparse, its index arrays."""

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


def load_list(
    path: str, copy: bool | Literal["on_write"], dense: bool, limit: int
) -> tuple[dict[str, StoredArray] | list[StoredArray], bool]:
    """Read all arrays of a file; arguments and errors are those of `load_ndarrays`.

    Returns:
        The arrays, and whether the file uses numpy semantics, judged by the first array.
    """
    # Unbuffered: `readinto` of large arrays would pass through Python's buffer of 8 KiB.
    with open_file(path, buffering=0) as file:
        is_small = copy is True and os.fstat(file.fileno()).st_size < _MAX_READ_BYTES
        content = map_open(file, private=copy == "on_write", read=is_small)
        reader = BinaryReader(content, path)
        entries, names = read_entries(reader)
        if dense:
            check_dense(reader, entries, limit)
        np_shape = bool(entries) and entries[0].version == V3
        if copy is not True or not isinstance(content.obj, mmap.mmap):
            arrays = read_arrays(reader, entries, copy=copy is True, dense=dense)
            return named(arrays, names), np_shape
        # The values are read into own memory by `preadv`; copying from the map would count its
        # pages twice.
        parts = [part for entry in entries for part in entry.parts]
        flat = allocate([part.stored for part in parts])
        fill(file, path, [(p.offset, a) for p, a in zip(parts, flat, strict=True)])
    native = (array.astype(array.dtype.newbyteorder("="), copy=False) for array in flat)
    arrays = [decode(reader, entry, list(islice(native, len(entry.parts)))) for entry in entries]
    return named(list(map(to_dense, arrays)) if dense else arrays, names), np_shape


def read_arrays(
    reader: BinaryReader, entries: Sequence[Entry], *, copy: bool, dense: bool
) -> list[StoredArray]:
    """Return the arrays of entries; arguments and errors are those of `load_ndarrays`."""
    loaded: list[StoredArray] = []
    for entry in entries:
        # Values that are not copied are the file's: pages of a map that nobody has touched.
        values = map(_STORED, entry.parts)
        array = decode(reader, entry, map(_copied, values) if copy else values)
        loaded.append(to_dense(array) if dense and entry.storage != DENSE else array)
    return loaded


def named(
    arrays: list[StoredArray], names: Sequence[str]
) -> dict[str, StoredArray] | list[StoredArray]:
    """Return a dictionary of the arrays by name, or the list itself if there are no names."""
    return dict(zip(names, arrays, strict=True)) if names else arrays


def check_dense(reader: BinaryReader, entries: Sequence[Entry], limit: int) -> None:
    """Raise if the arrays of a file, made dense, would together exceed the limit.

    Raises:
        FileLimitError: The dense arrays would take more than ``limit``.
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
    """Return a dense array unchanged, a sparse one as dense; `check_dense` checked the limit."""
    return array if isinstance(array, np.ndarray) else array.to_dense(max_expansion=sys.maxsize)


def read_single(reader: BinaryReader) -> StoredArray:
    """Read one array that is stored without a list around it and ends at the end of the bytes."""
    entry = _read_entry(reader, "array")
    reader.finish()
    return decode(reader, entry, map(_copied, map(_STORED, entry.parts)))


def _copied(stored: Array) -> Array:
    """Return a copy in native byte order."""
    return stored.astype(native(stored.dtype))


def read_entries(reader: BinaryReader) -> tuple[list[Entry], list[str]]:
    """Read the headers and names of all arrays, no values; unnamed arrays give an empty list."""
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
    # In version 0 this word is the number of axes, so it is used again by `_read_sizes`.
    (version,) = reader.unpack(U32, f"{label} magic")
    storage = DENSE
    if version in {V2, V3}:
        (storage,) = reader.unpack(I32, f"{label} storage type")
        # The form for numpy semantics (V3) has no sparse arrays.
        if storage != DENSE and not (version == V2 and storage in INDEX_ARRAYS):
            known = "0 (dense), 1 (row_sparse) or 2 (csr)" if version == V2 else "0 (dense)"
            at = reader.offset - I32.size
            raise reader.error(f"{label} storage type", known, f"{storage}", offset=at)
    if storage == DENSE:
        *sizes, _, _, flag = _read_sizes(reader, label, version, "iii")
        shape = tuple(sizes)
        part = _read_part(reader, label, flag, shape)
        return Entry(label, start, version, storage, shape, (part,))
    stored_shape = _read_sizes(reader, label, version)
    *sizes, _, _, flag = _read_sizes(reader, label, version, "iii")
    shape = tuple(sizes)
    fields = [f"{label} {name}" for name in INDEX_ARRAYS[storage]]
    index_shapes = [_read_index_shape(reader, field, version) for field in fields]
    if stored_shape[:1] < index_shapes[-1][:1]:
        # MXNet may write the length that an array had before it was filled.
        stored_shape = *index_shapes[-1][:1], *stored_shape[1:]
    shapes = [stored_shape, *index_shapes]
    # MXNet's index arrays are int64.
    flags = [flag] + [TYPE_FLAGS["int64"]] * len(fields)
    parts = tuple(map(partial(_read_part, reader), [label, *fields], flags, shapes))
    return Entry(label, start, version, storage, shape, parts)


def decode(reader: BinaryReader, entry: Entry, values: Iterable[Array]) -> StoredArray:
    """Return the array of an entry from the values of its parts.

    Raises:
        FileFormatError: The values are invalid for the dtype, or do not make a valid sparse array.
    """
    arrays: list[Array] = []
    # A comprehension is a call of its own before Python 3.12, for each array of a file.
    for part, x in zip(entry.parts, values, strict=True):
        arrays.append(as_dtype(reader, x, part.dtype, part.field, part.offset))
    data, *index = arrays
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


def _read_sizes(reader: BinaryReader, label: str, version: int, then: str = "") -> tuple[int, ...]:
    """Read a shape and the fields that follow it in one call, which saves time per array.

    Args:
        reader: Reader of the file, positioned before the number of axes, or in version 0 after it.
        label: Name of the array in messages.
        version: The version of the header; in version 0, the number of axes.
        then: `struct` format of the fields that follow: ``"iii"`` for the type and number of the
            device, which are ignored, and the type flag.

    Returns:
        The sizes of the shape, followed by the values of these fields.
    """
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
    read = reader.unpack(numbers("I" if legacy else "q", axes, then), field)
    if axes and min(shape := read[:axes]) < 0:
        raise reader.error(field, "sizes of 0 or more", f"{shape}", offset=start)
    return read


def _read_index_shape(reader: BinaryReader, field: str, version: int) -> tuple[int, ...]:
    start = reader.offset
    (flag,) = reader.unpack(I32, f"{field} type flag")
    # Another width would change the size of all that follows, so it cannot be skipped.
    if flag != TYPE_FLAGS["int64"]:
        raise reader.error(
            f"{field} type flag", f"{TYPE_FLAGS['int64']} (int64)", f"{flag}", offset=start
        )
    return _read_sizes(reader, field, version)


def _read_part(reader: BinaryReader, label: str, flag: int, shape: tuple[int, ...]) -> Part:
    start = reader.offset
    dtype = DTYPE_NAMES.get(flag)
    if dtype is None:
        expected = f"0 to {max(DTYPE_NAMES)}"
        at = start - I32.size
        raise reader.error(f"{label} type flag", expected, f"{flag}", offset=at)
    field = f"{label} values"
    return Part(field, start, dtype, reader.array(stored_dtype(dtype), shape, field))
