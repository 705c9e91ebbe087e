"""Reader and writer of numpy's ``.npz`` and ``.npy``; checks sizes before allocating memory.

Headers of ``.npy`` are Python literals, which numpy evaluates; here they must match the form that
numpy writes for arrays of numbers. Members may be stored or deflated.
"""

import errno
import os
import re
import struct
import sys
import zlib
from collections.abc import Iterable, Mapping
from io import BytesIO
from math import prod
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.lib import format as npy

from hy_io._atomic import atomic_write
from hy_io._binary import BinaryReader, map_open
from hy_io._errors import ArgumentError, FileFormatError
from hy_io._expecting import expecting
from hy_io._limits import check_expansion, expansion_limit
from hy_io._ndarray_format import Array
from hy_io._paths import open_file
from hy_io._transfer import Part, write_parts
from hy_io._zip import check_members, read_members, zip_parts

if TYPE_CHECKING:
    from zipfile import ZipFile, ZipInfo

__all__ = ["load_npz", "loads_npz", "save_npz"]

_BLOCK_BYTES = 1 << 20  # bytes that are unpacked at once
# Deflate makes at most 1032 bytes of one (RFC 1951: 258 bytes for a match of 2 bits).
_METHODS = {0: 1, 8: 1032}
"""Maximum expansion factor by ZIP compression method: stored and deflated."""
_MAX_AXES = 64  # numpy's limit
_MAX_HEADER_BYTES = 10_000  # numpy's limit
# Possessive quantifiers (Python 3.11): a forged header cannot make the pattern backtrack.
_SHAPE_PATTERN = r"\(\s*+(?:\d{1,19}+L?+\s*+(?:,\s*+\d{1,19}+L?+\s*+)*+,?+\s*+)?+\)"
_VALUE = rf"['\"][<>|=][biufc]\d{{1,2}}+['\"]|True|False|{_SHAPE_PATTERN}"
_PAIR = re.compile(rf"['\"](descr|fortran_order|shape)['\"]\s*+:\s*+({_VALUE})\s*+,?+\s*+")
_HEADER = re.compile(rf"\{{\s*+(?:{_PAIR.pattern}){{3}}\}}\s*+")
# zipfile trusts offsets and sizes of the archive, so damaged ones surface as any of these.
_DAMAGE = (
    ValueError,
    zlib.error,
    struct.error,
    EOFError,
    KeyError,
    IndexError,
    RuntimeError,  # a password is needed, or a newer version of the format
    OverflowError,
)


def load_npz(
    path: str | os.PathLike[str], *, copy: bool = True, max_expansion: int | None = None
) -> dict[str, Array]:
    """Read the arrays of an ``.npz`` file; the array of an ``.npy`` is named ``array``.

    Args:
        path: The file.
        copy: False returns read-only views of the mapped file for uncompressed members of an
            ``.npz``, after checking their CRC-32; other arrays are copied.
        max_expansion: Limit on the memory of the arrays, in bytes beyond the size of the file; None
            for the environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Returns:
        The arrays by name, in native byte order.

    Raises:
        FileFormatError: The file is damaged, or contains arrays of strings or objects.
        FileLimitError: The arrays would take more than ``max_expansion``.

    Example:
        >>> save_npz("net.npz", {"weight": np.ones(2)})
        >>> load_npz("net.npz")
        {'weight': array([1., 1.])}
    """
    with expecting("npz", path):
        name = os.fspath(path)
        limit = expansion_limit(max_expansion)
        with open_file(path) as file:
            size = os.fstat(file.fileno()).st_size
            return _contents(name, file, size, limit, None if copy else file)


def loads_npz(data: bytes, *, max_expansion: int | None = None) -> dict[str, Array]:
    """Read arrays from the bytes of a file, like :func:`load_npz`.

    Args:
        data: The content of the file.
        max_expansion: See :func:`load_npz`.

    Raises:
        FileFormatError, FileLimitError: See :func:`load_npz`.
    """
    limit = expansion_limit(max_expansion)
    return _contents("<buffer>", BytesIO(data), len(data), limit, None)


def _contents(
    name: str, file: IO[bytes], size: int, limit: int, to_map: BinaryIO | None
) -> dict[str, Array]:
    """Return the arrays of an open file; views of ``to_map``, if given, for stored members."""
    try:
        if file.read(len(npy.MAGIC_PREFIX)) == npy.MAGIC_PREFIX:
            file.seek(0)
            return {"array": _read_array(name, file, "array", size, 0)}
        mapped = {} if to_map is None else _mapped(name, to_map)
        return _members(name, file, size, limit, mapped)
    except FileFormatError:
        raise
    except OSError as error:
        # EINVAL: a forged offset before the begin of the file made `seek` fail.
        if error.errno != errno.EINVAL:
            raise
        raise _damaged(name, error) from None
    except _DAMAGE as error:
        raise _damaged(name, error) from None


def _damaged(path: str, error: Exception) -> FileFormatError:
    actual = f"{type(error).__name__}: {error}"[:120]
    return FileFormatError(path, 0, "npz", expected="arrays of numpy", found=actual)


def _mapped(path: str, file: BinaryIO) -> dict[str, Array]:
    """Map a file and return views of its uncompressed arrays, by member name."""
    reader = BinaryReader(map_open(file), path)
    arrays = {}
    # Only members that are stored can be views; deflated ones are read by zipfile.
    members = {name: one for name, one in read_members(reader).items() if one.packing is None}
    check_members(reader, list(members.values()))
    for name, member in members.items():
        reader.offset = member.offset
        begin = BytesIO(reader.peek(min(member.size, 2 * _MAX_HEADER_BYTES)))
        field, size = f"array {name!r}", member.size
        shape, fortran, dtype, left = _header(path, begin, field, size, member.offset)
        _checked_nbytes(path, field, shape, dtype, left, member.offset)
        # Order F is the transpose of order C with reversed sizes.
        reader.offset = member.offset + size - left
        values = reader.array(dtype, shape[::-1] if fortran else shape, field)
        arrays[name] = _native(path, values.T if fortran else values, field, member.offset)
    return arrays


def _members(
    path: str, file: IO[bytes], size: int, limit: int, mapped: Mapping[str, Array]
) -> dict[str, Array]:
    from zipfile import BadZipFile, ZipFile  # noqa: PLC0415  # 3 ms, for one format

    try:
        with ZipFile(file) as archive:
            return _unpacked(path, archive, size, limit, mapped)
    except BadZipFile as error:
        raise _damaged(path, error) from None


def _unpacked(
    path: str, archive: "ZipFile", size: int, limit: int, mapped: Mapping[str, Array]
) -> dict[str, Array]:
    infos = archive.infolist()
    total = 0
    # The sum of all sizes, before the first is unpacked: members that share bytes are a ZIP bomb.
    for info in infos:
        total += info.file_size
        field = f"array {info.filename!r}"
        check_expansion(path, info.header_offset, field, total, size, limit)
    arrays: dict[str, Array] = {}
    for info in infos:
        key = info.filename.removesuffix(".npy")
        if key in arrays:
            actual = f"{key!r} again"
            raise FileFormatError(
                path, info.header_offset, "name", expected="a new name", found=actual
            )
        known = mapped.get(info.filename)
        arrays[key] = _member(path, archive, info, size) if known is None else known
    return arrays


def _member(path: str, archive: "ZipFile", info: "ZipInfo", size: int) -> Array:
    if info.compress_type not in _METHODS:
        expected, actual = "stored or deflated", f"method {info.compress_type}"
        field = f"compression of {info.filename!r}"
        raise FileFormatError(path, info.header_offset, field, expected=expected, found=actual)
    stored = info.compress_size
    # Sizes that a member claims are held against what its bytes can make at most, before memory is
    # taken.
    for what, stated, limit in (
        ("stored", stored, size),
        ("unpacked", info.file_size, stored * _METHODS[info.compress_type]),
    ):
        if stated > limit:
            field, expected = f"{what} size of {info.filename!r}", f"at most {limit} bytes"
            raise FileFormatError(
                path, info.header_offset, field, expected=expected, found=f"{stated}"
            )
    with archive.open(info) as member:
        return _read_array(path, member, info.filename, info.file_size, info.header_offset)


def _read_array(path: str, file: IO[bytes], name: str, size: int, offset: int) -> Array:
    """Read an array of ``size`` bytes, header included, from the file's current offset."""
    field = f"array {name!r}"
    shape, fortran, dtype, left = _header(path, file, field, size, offset)
    need = _checked_nbytes(path, field, shape, dtype, left, offset)
    array: Array = np.empty(shape, dtype, order="F" if fortran else "C")
    # ``order="A"`` flattens in the order of the memory, so the view is contiguous for F, too.
    target = array.reshape(-1, order="A").view(np.uint8).data if need else memoryview(b"")
    done = 0
    while done < need:
        # In blocks: `ZipExtFile.readinto` first reads all that is asked for into bytes.
        got: int = file.readinto(target[done : done + _BLOCK_BYTES])  # type: ignore[attr-defined]  # both
        if not got:
            raise EOFError(f"{need - done} bytes are missing")
        done += got
    return _native(path, array, field, offset)


def _checked_nbytes(
    path: str, field: str, shape: tuple[int, ...], dtype: np.dtype[Any], left: int, offset: int
) -> int:
    """Return the size of an array in bytes; raise if it is not equal to ``left``."""
    need = prod(shape) * dtype.itemsize
    fits = prod(axis for axis in shape if axis) * dtype.itemsize <= sys.maxsize
    if need != left or not fits or len(shape) > _MAX_AXES:
        actual = f"{dtype} of shape {shape}"[:120]
        raise FileFormatError(
            path, offset, field, expected=f"{left} bytes of numbers", found=actual
        )
    return need


def _native(path: str, array: Array, field: str, offset: int) -> Array:
    # A byte other than 0 and 1 is neither True nor False for numpy.
    if array.dtype.kind == "b" and array.size and (largest := array.view(np.uint8).max()) > 1:
        raise FileFormatError(
            path, offset, field, expected="0 and 1", found=f"{largest}"
        )  # neither True nor False
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _header(
    path: str, file: IO[bytes], field: str, size: int, offset: int
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Parse an ``.npy`` header: shape, Fortran order, dtype, and the bytes left for the values."""
    major, _ = npy.read_magic(file)
    # Version 1.0 has a length of 16 bits, 2.0 and 3.0 one of 32.
    width = 2 if major == 1 else 4
    length = int.from_bytes(_exactly(file, width), "little")
    if length > _MAX_HEADER_BYTES:
        expected = f"a header of at most {_MAX_HEADER_BYTES} bytes"
        raise FileFormatError(path, offset, field, expected=expected, found=f"{length}")
    text = _exactly(file, length).decode("latin-1")
    # numpy evaluates this literal; a pattern for arrays of numbers accepts no code and no objects.
    parts = dict(_PAIR.findall(text)) if _HEADER.fullmatch(text) else {}
    dtype = re.fullmatch(r"['\"]([<>|=][biufc]\d{1,2})['\"]", parts.get("descr", ""))
    fortran = parts.get("fortran_order", "")
    shape = parts.get("shape", "")
    if dtype is None or fortran not in {"True", "False"} or not shape.startswith("("):
        expected = "the header of an array of numbers"
        raise FileFormatError(path, offset, field, expected=expected, found=repr(text[:80]))
    sizes = tuple(map(int, re.findall(r"\d+", shape)))
    left = size - npy.MAGIC_LEN - width - length
    return sizes, fortran == "True", _parsed_dtype(dtype[1]), left


def _parsed_dtype(text: str) -> np.dtype[Any]:
    try:
        return np.dtype(text)
    except TypeError as error:  # "<f3"
        raise ValueError(str(error)) from None


def _exactly(file: IO[bytes], size: int) -> bytes:
    content = file.read(size)
    if len(content) < size:
        raise EOFError(f"{size - len(content)} bytes of a header are missing")
    return content


def save_npz(
    path: str | os.PathLike[str], arrays: Mapping[str, Array] | Iterable[tuple[Any, Array]]
) -> None:
    """Write arrays to an uncompressed ``.npz`` file, atomically.

    Args:
        path: The file to create or replace.
        arrays: Arrays by name, or pairs of a name and an array.

    Raises:
        ValueError: An array has the dtype object.
    """
    pairs = arrays.items() if isinstance(arrays, Mapping) else arrays
    with atomic_write(path) as file:
        write_parts(
            file, zip_parts((_encoded_member(str(name), np.asarray(one)) for name, one in pairs))
        )


def _encoded_member(name: str, array: Array) -> tuple[str, int, list[Part]]:
    """Return an array as a ZIP member: name, size, and its ``.npy`` header and values."""
    if array.dtype.hasobject:
        raise ArgumentError(f"save_npz: array {name!r} holds objects, which only pickles can")
    header = BytesIO()
    # numpy's own writer makes the header, so that it is padded as numpy pads it.
    header_data = npy.header_data_from_array_1_0(array)
    npy.write_array_header_1_0(header, header_data)
    contiguous = np.ascontiguousarray(array.T if header_data["fortran_order"] else array)
    head, values = header.getvalue(), contiguous.reshape(-1).view(np.uint8).data
    return f"{name}.npy", len(head) + len(values), [head, values]
