"""MXNet's NDArray-list format: ``.params``, and whatever ``nd.save`` and ``npx.save`` write.

Little-endian throughout. A file is::

    u64 0x112, u64 reserved, u64 count, count arrays, u64 names (0 or count), names (u64, UTF-8)

and an array, by its first 4 bytes:

======  ==============  ==========================================================================
form    first 4 bytes   then
======  ==============  ==========================================================================
v0      number of axes  sizes (u32), device (i32, i32), type flag (i32), values
V1      ``0xF993FAC8``  shape, device, type flag, values
V2      ``0xF993FAC9``  storage type (i32), stored shape if sparse, shape, device, type flag,
                        type flag and shape of each index array, values, index arrays
V3      ``0xF993FACA``  as V2, dense, and a shape without axes is a number
======  ==============  ==========================================================================

A shape is the number of axes (i32) and the sizes (i64). Before V3 a shape without axes means an
array that was never given a shape. MXNet 1.9.1 writes V2, or V3 in numpy semantics; the device
is ignored. The format was learned from files and by experiments.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._binary import BinaryReader
from hy_io._expecting import expecting
from hy_io._limits import expansion_limit
from hy_io._ndarray_format import Array, StoredArray
from hy_io._ndarray_reader import check_dense, load_list, named, read_arrays, read_entries
from hy_io._ndarray_writer import list_parts
from hy_io._transfer import write_parts

__all__ = [
    "Array",
    "StoredArray",
    "dumps_ndarrays",
    "load_ndarrays",
    "loads_ndarrays",
    "save_ndarrays",
]


@overload
def load_ndarrays(
    path: str | os.PathLike[str],
    *,
    copy: bool | Literal["on_write"] = True,
    dense: Literal[False] = False,
    max_expansion: int | None = None,
) -> dict[str, StoredArray] | list[StoredArray]: ...


@overload
def load_ndarrays(
    path: str | os.PathLike[str],
    *,
    copy: bool | Literal["on_write"] = True,
    dense: Literal[True],
    max_expansion: int | None = None,
) -> dict[str, Array] | list[Array]: ...


def load_ndarrays(
    path: str | os.PathLike[str],
    *,
    copy: bool | Literal["on_write"] = True,
    dense: bool = False,
    max_expansion: int | None = None,
) -> Any:
    """Read every array of a file.

    Args:
        path: The file.
        copy: True gives arrays in memory, which share blocks of up to 32 MiB: one of them keeps
            its block. False gives read-only views of the mapped file, which read from the disk what
            is used, may be unaligned, and keep the file open. ``"on_write"`` gives such views that
            can be written: a page of them that is written is copied first, and the file stays as it
            is; processes share all other pages.
        dense: Make sparse arrays dense.
        max_expansion: How many bytes more than the file the arrays may then take; None takes
            ``HY_MAX_FILE_EXPANSION`` of the environment, or 4 GiB.

    Returns:
        The arrays by name, or a list if the file has no names (an empty file of arrays is an
        empty list). Dense arrays are numpy arrays; bfloat16 has the dtype of ``ml_dtypes``,
        and is float32 where that is not installed.

    Raises:
        FileFormatError: The file is not an NDArray list, is damaged or cut short.
        FileLimitError: Dense arrays would take more than ``max_expansion``.

    Example:
        >>> save_ndarrays("net.params", {"0.weight": np.ones((2, 3), np.float32)})
        >>> load_ndarrays("net.params")
        {'0.weight': array([[1., 1., 1.],
               [1., 1., 1.]], dtype=float32)}
    """
    with expecting("params", path):
        arrays, _ = load_list(os.fspath(path), copy, dense, expansion_limit(max_expansion))
        return arrays


@overload
def loads_ndarrays(
    data: bytes | bytearray | memoryview,
    *,
    copy: bool = True,
    dense: Literal[False] = False,
    max_expansion: int | None = None,
) -> dict[str, StoredArray] | list[StoredArray]: ...


@overload
def loads_ndarrays(
    data: bytes | bytearray | memoryview,
    *,
    copy: bool = True,
    dense: Literal[True],
    max_expansion: int | None = None,
) -> dict[str, Array] | list[Array]: ...


def loads_ndarrays(
    data: bytes | bytearray | memoryview,
    *,
    copy: bool = True,
    dense: bool = False,
    max_expansion: int | None = None,
) -> Any:
    """Read every array from bytes; otherwise as `load_ndarrays`.

    Args:
        data: The content of a file.
        copy: False gives views of ``data``, writable if it is.
        dense: Make sparse arrays dense.
        max_expansion: As for `load_ndarrays`.

    Returns:
        The arrays by name, or a list if they have no names.

    Raises:
        FileFormatError: As for `load_ndarrays`.
    """
    with expecting("params", data):
        limit = expansion_limit(max_expansion)
        reader = BinaryReader(data)
        entries, names = read_entries(reader)
        if dense:
            check_dense(reader, entries, limit)
        return named(read_arrays(reader, entries, copy=copy, dense=dense), names)


def save_ndarrays(
    path: str | os.PathLike[str],
    arrays: Mapping[str, StoredArray] | Sequence[StoredArray],
    *,
    np_shape: bool | None = None,
) -> None:
    """Write arrays to a file, in one step: a crash leaves the old file or the new one.

    The bytes are those that MXNet 1.9.1 writes for the same content. It reads every dtype but
    int16, uint16, uint32 and uint64, which only MXNet 2 has.

    Args:
        path: The file to make or to replace.
        arrays: Arrays by name, or without names in order.
        np_shape: True writes what MXNet writes in numpy semantics (``npx.save``), and reads
            in numpy semantics alone; False writes what it writes otherwise; None takes the
            first only if an array has no axes or no elements.

    Raises:
        TypeError: ``arrays`` is not a mapping or sequence of numpy or sparse arrays, or the
            format has no such dtype.
        ValueError: An array has no axes and ``np_shape`` is False, or there are sparse arrays
            and ``np_shape`` is True.
    """
    parts = list_parts(arrays, np_shape=np_shape)
    values = arrays.values() if isinstance(arrays, Mapping) else arrays
    # Only dense arrays: a lower bound suffices, as `atomic_write` corrects the length.
    size = sum(array.nbytes for array in values if isinstance(array, np.ndarray))
    with atomic_write(path, size=size) as file:
        write_parts(file, parts)


def dumps_ndarrays(
    arrays: Mapping[str, StoredArray] | Sequence[StoredArray], *, np_shape: bool | None = None
) -> bytes:
    """Return the bytes that `save_ndarrays` writes.

    Args:
        arrays: Arrays by name, or without names in order.
        np_shape: As for `save_ndarrays`.

    Returns:
        The content of a file.

    Raises:
        TypeError: As for `save_ndarrays`.
        ValueError: As for `save_ndarrays`.

    Example:
        >>> loads_ndarrays(dumps_ndarrays([np.arange(3), np.array(2.5)]))
        [array([0, 1, 2]), array(2.5)]
    """
    return b"".join(list_parts(arrays, np_shape=np_shape))
