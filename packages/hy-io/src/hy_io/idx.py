"""Reader of IDX, the file format of MNIST and similar data sets.

A file has two zero bytes, the code of the dtype (u8), the number of axes (u8), the size of each
axis (u32), then the elements in C order. Everything is big-endian, and files are often compressed
by gzip.
"""

import gzip
import os
import sys
import zlib
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_io._errors import FileFormatError
from hy_io._expecting import expecting
from hy_io._paths import local_path, open_file
from hy_io.expanded import read_expanded

__all__ = ["load_idx", "loads_idx"]

_GZIP = b"\x1f\x8b"
# The codes of IDX; sizes and elements are big-endian, as MNIST was written in 1998.
_DTYPES = {8: "u1", 9: "i1", 11: ">i2", 12: ">i4", 13: ">f4", 14: ">f8"}
_HEAD_BYTES = 4  # bytes: two zeros, dtype, number of axes
# Checked before the sizes are read; numpy 1 allowed 32 axes, numpy 2 allows 64.
_MAX_AXES = 32


def load_idx(
    path: str | os.PathLike[str], *, axes: int | None = None, max_expansion: int | None = None
) -> npt.NDArray[Any]:
    """Read the array of an IDX file, which may be compressed by gzip.

    Args:
        path: The file.
        axes: Required number of axes; the dtype must then be uint8, as in MNIST's files. None
            accepts any array.
        max_expansion: Limit on the decompressed size, in bytes beyond the size of the file; None
            for the environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Raises:
        FileFormatError: The content is damaged, or not IDX.
        FileLimitError: The decompressed content exceeds the limit.
        OSError: The file cannot be read.

    Source:
        LeCun, Cortes, Burges, The MNIST database of handwritten digits, 1998.

    Example:
        >>> with open("two", "wb") as file:
        ...     _ = file.write(bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9]))
        >>> load_idx("two")
        array([[7, 9]], dtype=uint8)
    """
    with expecting("idx", path), open_file(path) as file:
        packed = file.read(len(_GZIP)) == _GZIP
        file.seek(0)
        content = _decompressed(path, max_expansion) if packed else file.read()
        return loads_idx(content, source=os.fspath(path), axes=axes)


def _decompressed(path: str | os.PathLike[str], max_expansion: int | None) -> bytes:
    try:
        with gzip.open(local_path(path)) as file:
            return read_expanded(file, path, max_expansion=max_expansion)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise FileFormatError(
            os.fspath(path), 0, "content", expected="whole gzip data", found=str(error)
        ) from error


def loads_idx(
    content: bytes, *, source: str | None = None, axes: int | None = None
) -> npt.NDArray[Any]:
    """Return the array in the bytes of an IDX file; a uint8 array is a view of them.

    Args:
        content: The decompressed content of the file.
        source: Name of the file, for messages.
        axes: See :func:`load_idx`.

    Raises:
        FileFormatError: The content is damaged, or not IDX.
    """
    head = content[:_HEAD_BYTES]
    if len(head) < _HEAD_BYTES or head[:2] != b"\0\0" or head[2] not in _DTYPES:
        raise FileFormatError(
            source, 0, "head", expected="that of an IDX file", found=head.hex() or "nothing"
        )
    if axes is not None and head[2:] != bytes([8, axes]):
        wanted = f"0x08{axes:02x}: unsigned bytes along {axes} axes"
        raise FileFormatError(
            source, 2, "dtype and axes", expected=wanted, found=f"0x{head[2:].hex()}"
        )
    dtype, rank = np.dtype(_DTYPES[head[2]]), head[3]
    if rank > _MAX_AXES:
        raise FileFormatError(source, 3, "axes", expected=f"at most {_MAX_AXES}", found=f"{rank}")
    start = _HEAD_BYTES + 4 * rank
    if len(content) < start:
        raise FileFormatError(
            source,
            _HEAD_BYTES,
            "sizes",
            expected=f"{rank} of 4 bytes",
            found=f"{len(content) - _HEAD_BYTES} bytes",
        )
    shape = tuple(int(n) for n in np.frombuffer(content[_HEAD_BYTES:start], ">u4"))
    # In Python's integers, which do not overflow: sizes of a forged head multiply to anything.
    if prod(max(n, 1) for n in shape) * dtype.itemsize > sys.maxsize:
        raise FileFormatError(
            source, _HEAD_BYTES, "sizes", expected="those of an array", found=f"{shape}"
        )
    size, length = prod(shape) * dtype.itemsize, len(content) - start
    if size != length:
        raise FileFormatError(
            source,
            start,
            "elements",
            expected=f"{size} bytes of shape {shape}",
            found=f"{length} bytes",
        )
    elements = np.frombuffer(content, dtype, offset=start).reshape(shape)
    return elements.astype(dtype.newbyteorder("="), copy=False)
