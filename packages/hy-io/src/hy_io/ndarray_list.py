"""MXNet's NDArray-list format: ``.params`` files, and files of ``nd.save`` and ``npx.save``.

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

A shape is the number of axes (i32) and the sizes (i64). Before V3 a shape without axes means that
the shape is unknown. MXNet 1.9.1 writes V2, or V3 in numpy semantics; the device is ignored. The
format was learned from files and by experiments.
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
    """Read all arrays of an NDArray-list file.

    Args:
        path: The file.
        copy: True reads the arrays into memory, in shared blocks of up to 32 MiB: a block is freed
            when all its arrays are. False returns read-only views of the mapped file, which read
            from the disk on access, may be unaligned, and keep the file open. ``"on_write"``
            returns writable copy-on-write views: written pages are copied, the file is not changed,
            and processes share the other pages.
        dense: Convert sparse arrays to dense ones.
        max_expansion: Limit on the memory of the dense arrays, in bytes beyond the size of the
            file; None for the environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Returns:
        The arrays by name, or a list if the file has no names (an empty list if it has no arrays).
        Dense arrays are numpy arrays; bfloat16 has the dtype of ``ml_dtypes``, or is converted to
        float32 if that is not installed.

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
    """Read all arrays from the bytes of an NDArray-list file, like `load_ndarrays`.

    Args:
        data: The content of the file.
        copy: False returns views of ``data``, which are writable if ``data`` is.
        dense: Convert sparse arrays to dense ones.
        max_expansion: See `load_ndarrays`.

    Returns:
        The arrays by name, or a list if they have no names.

    Raises:
        FileFormatError: See `load_ndarrays`.
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
    """Write arrays to an NDArray-list file, atomically.

    The bytes are the same as MXNet 1.9.1 writes for the same content. MXNet 1.9.1 reads all dtypes
    except int16, uint16, uint32 and uint64, which only MXNet 2 has.

    Args:
        path: The file to create or replace.
        arrays: Arrays by name, or without names in order.
        np_shape: True writes the version for numpy semantics (V3, as ``npx.save``), which MXNet
            reads only in numpy semantics; False writes V2, as ``nd.save``. None chooses V3 only if
            an array has no axes or no elements.

    Raises:
        TypeError: ``arrays`` is not a mapping or sequence of numpy or sparse arrays, or the format
            does not support a dtype.
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
    """Serialize arrays to the bytes that `save_ndarrays` writes.

    Args:
        arrays: Arrays by name, or without names in order.
        np_shape: See `save_ndarrays`.

    Returns:
        The content of a file.

    Raises:
        TypeError: See `save_ndarrays`.
        ValueError: See `save_ndarrays`.

    Example:
        >>> loads_ndarrays(dumps_ndarrays([np.arange(3), np.array(2.5)]))
        [array([0, 1, 2]), array(2.5)]
    """
    return b"".join(list_parts(arrays, np_shape=np_shape))
