"""Files of numpy, ``.npz`` and ``.npy``, with lengths checked before memory is taken."""

import zipfile
import zlib
from collections.abc import Iterable
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from hy_io._atomic import atomic_write
from hy_io._errors import FileFormatError
from hy_io._ndarray_format import Array

__all__ = ["load_npz", "save_npz"]

_DEFLATE = 1032  # what deflate can make of a byte at most
_DAMAGE = (
    ValueError,
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    KeyError,
    NotImplementedError,
    RuntimeError,  # a password is needed
    SyntaxError,
    TypeError,
    OverflowError,
)


def load_npz(path: str) -> dict[str, Array]:
    """The arrays of an ``.npz``, or that of an ``.npy`` under the name ``array``.

    Raises:
        FileFormatError: The file is damaged, or holds objects, which only pickles can.
    """
    try:
        with Path(path).open("rb") as file:
            if file.read(6) == npy.MAGIC_PREFIX:
                file.seek(0)
                return {"array": _read(path, file, "array", Path(path).stat().st_size)}
        with zipfile.ZipFile(path) as archive:
            return {
                info.filename.removesuffix(".npy"): _member(path, archive, info)
                for info in archive.infolist()
            }
    except FileFormatError:
        raise
    except _DAMAGE as error:
        found = f"{type(error).__name__}: {error}"[:120]
        raise FileFormatError(path, 0, "npz", "arrays of numpy", found) from None


def _member(path: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> Array:
    most = info.compress_size * (_DEFLATE if info.compress_type != zipfile.ZIP_STORED else 1)
    if info.file_size > most:
        expected, found = f"at most {most} bytes", f"{info.file_size}"
        field = f"size of {info.filename!r}"
        raise FileFormatError(path, info.header_offset, field, expected, found)
    with archive.open(info) as member:
        return _read(path, member, info.filename, info.file_size, info.header_offset)


def _read(path: str, file: IO[bytes], name: str, size: int, offset: int = 0) -> Array:
    version = npy.read_magic(file)
    read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    shape, fortran, dtype = read_header(file)
    need = prod(shape) * dtype.itemsize
    if dtype.hasobject or min(shape, default=0) < 0 or need != size - file.tell():
        expected = f"{size - file.tell()} bytes of numbers"
        found = f"{dtype} of shape {shape}"[:120]
        raise FileFormatError(path, offset, f"array {name!r}", expected, found)
    array: Array = np.empty(shape, dtype, order="F" if fortran else "C")
    target = array.reshape(-1, order="A").view(np.uint8).data if need else memoryview(b"")
    done = 0
    while done < need:
        got: int = file.readinto(target[done:])  # type: ignore[attr-defined]  # both kinds have it
        if not got:
            raise EOFError(f"{need - done} bytes are missing")
        done += got
    return array


def save_npz(path: str, arrays: Iterable[tuple[Any, Array]]) -> None:
    """Write an ``.npz`` in one step, not compressed."""
    with (
        atomic_write(path) as file,
        zipfile.ZipFile(file, "w", zipfile.ZIP_STORED, allowZip64=True) as archive,
    ):
        for name, array in arrays:
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, np.asarray(array), allow_pickle=False)
