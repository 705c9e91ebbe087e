"""Reader of little-endian fields that checks every length before use, and memory-mapped files."""

import mmap
import os
import stat
import struct
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from math import prod
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from hy_io._errors import FileFormatError
from hy_io._paths import open_file

# 32 MiB, a multiple of the 2 MiB of a transparent huge page.
_BLOCK_BYTES = 1 << 25  # bytes
# One page of the page cache: headers are short, so that one `pread` serves dozens of fields.
_HEADER_BLOCK_BYTES = 1 << 12  # bytes that are read at once
I32, U32, U64 = struct.Struct("<i"), struct.Struct("<I"), struct.Struct("<Q")
# A cache line, and the width of an AVX-512 register.
_ALIGN_BYTES = 64  # bytes, to which arrays are aligned


@lru_cache(maxsize=256)
def numbers(code: str, count: int, then: str = "") -> struct.Struct:
    """Return the `struct` format of ``count`` little-endian numbers, followed by others.

    Args:
        code: Format character of the numbers, such as ``"q"``.
        count: Number of numbers.
        then: Format characters of the numbers after them.
    """
    return struct.Struct(f"<{count}{code}{then}")


def address_of(buffer: bytes | memoryview | mmap.mmap) -> int:
    """Return the memory address of a buffer's first byte."""
    # numpy's interface gives the address of read-only buffers, too, which ctypes' `from_buffer`
    # refuses.
    address: int = np.frombuffer(buffer, np.uint8).__array_interface__["data"][0]
    return address


def little_endian_view(array: npt.NDArray[Any]) -> memoryview:
    """Return an array's values as little-endian bytes in C order; copies only if it must."""
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8).data


class FileMap(mmap.mmap):
    """Memory map of a file for reading, which keeps the file open.

    Args:
        descriptor: An open file.
        path: Name of the file, for messages.
    """

    def __new__(cls, descriptor: int, path: str) -> Self:
        """Map the whole file of a descriptor."""
        file_map = super().__new__(cls, descriptor, 0, access=mmap.ACCESS_READ)
        file_map.address = address_of(file_map)
        # mmap keeps a private duplicate of the descriptor; `read` needs one that it can pass to
        # `pread`.
        file_map.descriptor = os.dup(descriptor)
        file_map.path = path
        return file_map

    path: str
    """Name of the file, for messages."""
    descriptor: int
    """An open descriptor of the file, for `os.pread`."""
    address: int
    """The memory address of the map's first byte."""

    # ``os.close`` is bound as a default: at exit the module ``os`` may be cleared before this runs.
    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        if hasattr(self, "descriptor"):  # it was opened a second time
            close(self.descriptor)


def map_file(path: str | os.PathLike[str]) -> memoryview:
    """Map a file read-only and return its bytes; it is unmapped when the last view is released.

    Args:
        path: The file. A file that cannot be mapped, such as a pipe, is read into memory.

    Raises:
        OSError: The file cannot be opened.

    Example:
        >>> from hy_io import map_file
        >>> with open("weights.bin", "wb") as file:
        ...     _ = file.write(b"hy")
        >>> bytes(map_file("weights.bin"))
        b'hy'
    """
    with open_file(path) as file:
        return map_open(file)


def map_open(file: BinaryIO, *, private: bool = False, read: bool = False) -> memoryview:
    """Map an open file into memory and return its bytes.

    Args:
        file: The file, open for reading. Pipes and empty files are read instead of mapped.
        private: Map copy-on-write: the bytes are writable, and writing does not change the file.
        read: Read the whole file into memory instead of mapping it.
    """
    status = os.fstat(file.fileno())
    # `mmap` raises for pipes and for files of length 0.
    if read or not stat.S_ISREG(status.st_mode) or status.st_size == 0:
        content = file.read()
        return memoryview(bytearray(content) if private else content)
    if private:
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    return memoryview(FileMap(file.fileno(), str(file.name)))


def allocate(views: Sequence[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return uninitialized arrays with the shapes and dtypes of ``views``.

    Consecutive arrays share a block of memory of up to 32 MiB: the system backs large blocks with
    huge pages, and allocation takes a third of the time.
    """
    sizes = [-(-view.nbytes // _ALIGN_BYTES) * _ALIGN_BYTES for view in views]
    arrays: list[npt.NDArray[Any]] = []
    start = 0
    while start < len(views):
        stop, total = start + 1, sizes[start]
        while stop < len(views) and total + sizes[stop] <= _BLOCK_BYTES:
            total += sizes[stop]
            stop += 1
        # numpy aligns to 16 bytes only: allocate one line more and begin at its first multiple of
        # 64.
        block = np.empty(total + _ALIGN_BYTES, np.uint8)
        at = -block.ctypes.data % _ALIGN_BYTES
        for view, size in zip(views[start:stop], sizes[start:stop], strict=True):
            values = block[at : at + view.nbytes]
            arrays.append(values.view(view.dtype).reshape(view.shape))
            at += size
        start = stop
    return arrays


def fill(file: BinaryIO, path: str, arrays: Sequence[tuple[int, npt.NDArray[Any]]]) -> None:
    """Read values at given offsets of a file into existing arrays.

    Args:
        file: The file, open and unbuffered.
        path: Name of the file, for messages.
        arrays: Pairs of the offset of the values in the file and the contiguous array to read them
            into.

    Raises:
        FileFormatError: The file was truncated while it was being read.
    """

    def read(item: tuple[int, npt.NDArray[Any]]) -> None:
        offset, array = item
        target = array.reshape(-1).view(np.uint8).data
        done = 0
        # `preadv` returns at most 2 GiB on Linux, and may return less than asked for at any time.
        while done < len(target):
            got = _read_at(file, target[done:], offset + done)
            if not got:
                raise FileFormatError(
                    path,
                    offset + done,
                    "values",
                    expected=f"{len(target) - done} bytes",
                    found="the end of the file",
                    remedy="it was cut short while it was read",
                )
            done += got

    for item in arrays:
        read(item)


def _read_at(file: BinaryIO, target: memoryview, offset: int) -> int:
    # Reads at an offset without moving the file's position, which threads and forks share.
    if hasattr(os, "preadv"):
        return os.preadv(file.fileno(), [target], offset)
    file.seek(offset)  # pragma: no cover  # Windows
    return file.readinto(target)  # type: ignore[attr-defined, no-any-return, unused-ignore]  # FileIO's


class BinaryReader:
    r"""Sequential reader of the binary fields of a buffer.

    Each method takes the name of the field it reads and raises `FileFormatError` if the buffer ends
    too early, so a length in a file is checked before anything of that length is allocated.

    Args:
        data: The contiguous bytes to read.
        path: Name of the file they come from, for messages.

    Example:
        >>> reader = BinaryReader(b"\x02\x00\x00\x00hy")
        >>> bytes(reader.take(*reader.unpack(U32, "length"), "text"))
        b'hy'
    """

    __slots__ = ("_block", "_map", "_size", "_start", "_view", "offset", "path")

    def __init__(
        self, data: bytes | bytearray | memoryview | mmap.mmap, path: str | None = None
    ) -> None:
        self._view = memoryview(data).cast("B")
        self._size = len(self._view)
        self._map: FileMap | None = None
        # Headers of a mapped file are read by `pread`: touching the map pulls in a whole huge page
        # (2 MiB), which counts as memory of this process.
        if isinstance(self._view.obj, FileMap) and self._view and hasattr(os, "pread"):
            self._map = self._view.obj
            self._start = address_of(self._view) - self._map.address
        self._block = 0, b""
        self.offset = 0
        self.path = path

    @property
    def remaining(self) -> int:
        """Return the number of bytes that have not been read yet."""
        return self._size - self.offset

    def error(
        self,
        field: str,
        expected: str,
        actual: str,
        *,
        offset: int | None = None,
        remedy: str | None = None,
    ) -> FileFormatError:
        """Return the error to raise about ``field``, at ``offset`` or the current position."""
        at = self.offset if offset is None else offset
        return FileFormatError(self.path, at, field, expected=expected, found=actual, remedy=remedy)

    def peek(self, size: int) -> bytes:
        """Return the next bytes, at most ``size``, without advancing."""
        start, size = self.offset, min(size, self.remaining)
        content = self.read(size, "begin")
        self.offset = start
        return content

    def read(self, size: int, field: str) -> bytes:
        """Return the next ``size`` bytes as a copy."""
        at = self.offset
        end = self.offset = at + size
        if end > self._size:
            raise self._cut_short(size, field)
        if self._map is None:
            return bytes(self._view[at:end])
        begin, block = self._block
        if at < begin or end > begin + len(block):
            # A block of headers at a time; a field larger than that is read alone.
            wanted = max(size, _HEADER_BLOCK_BYTES)
            begin, block = at, os.pread(self._map.descriptor, wanted, self._start + at)
            self._block = begin, block
        content = block[at - begin : at - begin + size]
        if len(content) < size:
            actual, remedy = "the end of the file", "it was cut short while it was read"
            raise self.error(field, f"{size} bytes", actual, offset=at, remedy=remedy)
        return content

    def take(self, size: int, field: str) -> memoryview:
        """Return a view of the next ``size`` bytes, without touching mapped pages, and advance."""
        start = self.offset
        end = self.offset = start + size
        if end > self._size:
            raise self._cut_short(size, field)
        return self._view[start:end]

    def _cut_short(self, size: int, field: str) -> FileFormatError:
        """Return the error about a field of ``size`` bytes that the file is too short for."""
        self.offset -= size
        actual = f"{self.remaining}"
        return self.error(field, f"{size} bytes", actual, remedy="the file is cut short")

    def unpack(self, form: struct.Struct, field: str) -> tuple[Any, ...]:
        """Read numbers in a format of `struct`."""
        at = self.offset
        end = at + form.size
        if self._map is not None or end > self._size:  # see read
            return form.unpack(self.read(form.size, field))
        self.offset = end
        return form.unpack_from(self._view, at)

    def count(self, field: str, item_bytes: int) -> int:
        """Read a number of items (u64); raise if the bytes left are too few for so many items."""
        # Checked against the bytes that are left, so that a forged count cannot allocate memory.
        start = self.offset
        (value,) = self.unpack(U64, field)
        max_items = (self._size - self.offset) // item_bytes
        if value > max_items:
            raise self.error(
                field,
                f"at most {max_items} in the {self.remaining} bytes left",
                f"{value}",
                offset=start,
            )
        return int(value)

    def text(self, field: str) -> str:
        """Read a string: its length in bytes (u64), then the bytes in UTF-8."""
        (size,) = self.unpack(U64, f"{field} length")
        start = self.offset
        raw = self.read(size, field)
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError as error:
            raise self.error(field, "UTF-8", f"{raw[:40]!r}", offset=start + error.start) from None

    def array(self, dtype: np.dtype[Any], shape: tuple[int, ...], field: str) -> npt.NDArray[Any]:
        """Return the next bytes as an array: a view, possibly unaligned, read-only like the buffer.

        Args:
            dtype: The dtype of the array, with byte order.
            shape: The shape of the array.
            field: Name of the array in messages.
        """
        # numpy refuses empty arrays, too, if their other axes overflow an index.
        # A forged shape must fail here: `prod` in Python's integers cannot overflow, numpy's can.
        if prod(filter(None, shape)) * dtype.itemsize > sys.maxsize:
            raise self.error(field, f"a shape that {self.remaining} bytes can fill", f"{shape}")
        start, size = self.offset, prod(shape) * dtype.itemsize
        end = self.offset = start + size
        if end > self._size:
            raise self._cut_short(size, field)
        return np.frombuffer(self._view[start:end], dtype).reshape(shape)

    def finish(self) -> None:
        """Raise an error if unread bytes are left."""
        if self.offset != self._size:
            raise self.error(
                "end",
                "the end of the file",
                f"{self.remaining} more bytes",
                remedy=f"the content may be whole: cut the file to {self.offset} bytes to read it",
            )
