"""Writes byte buffers to a file; buffers mapped from other files are copied by the system."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from hy_io._binary import FileMap, address_of
from hy_io._errors import FileFormatError
from hy_io._sync import waits_for_disk

if TYPE_CHECKING:
    from threading import Thread

Part = bytes | memoryview

# Below 64 KiB a system call costs more than copying the bytes.
_MIN_COPIED_BYTES = 1 << 16  # bytes
# A buffer of 1 MiB stays in the second-level cache between reading and writing.
_PIECE_BYTES = 1 << 20
# At once 16 MiB at most, so that a watcher of progress hears of them. In pieces of 1 MiB the system
# takes a fifth longer to take 100 MB over, as it finds smaller pages for them.
_WRITTEN_BYTES = 1 << 24
# Every 64 MiB: often enough to keep the disk busy; 100 MB in four parts cost a tenth more.
_ADVISED_BYTES = 1 << 26


_WATCHER: ContextVar[Callable[[int], object] | None] = ContextVar("hy_io_watcher", default=None)


@contextmanager
def written_bytes_to(watcher: Callable[[int], object]) -> Iterator[None]:
    """Context manager that reports progress: calls ``watcher`` with the size of each written piece.

    It applies to files written in the current thread or asyncio task.
    """
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def write_parts(file: BinaryIO, parts: Iterable[Part]) -> None:
    r"""Write buffers to a file one after the other.

    Views of a mapped file are copied from file to file by the system (``copy_file_range``), or else
    read into one small buffer: touching their mapped pages would take longer than the copy and
    count as memory of this process. Another thread asks the system to write data back to the disk
    while later data is still being written, so that a following ``fsync`` has little to wait for.

    Args:
        file: The file, open for writing.
        parts: Contiguous byte buffers.

    Raises:
        FileFormatError: A mapped file was truncated while it was being copied.

    Example:
        >>> from io import BytesIO
        >>> file = BytesIO()
        >>> write_parts(file, [b"hy", np.arange(2, dtype=np.uint8).data])
        >>> file.getvalue()
        b'hy\x00\x01'
    """
    disk, watcher = _WriteBack(file), _WATCHER.get()
    try:
        for count in _written(file, parts):
            disk.add(count)
            if watcher is not None:
                watcher(count)
    finally:
        disk.wait()


def _written(file: BinaryIO, parts: Iterable[Part]) -> Iterator[int]:
    """Write the parts piece by piece, and yield the size of each piece in bytes."""
    buffers = list[memoryview]()
    for part in parts:
        rest = part
        source = _source(part) if len(part) >= _MIN_COPIED_BYTES else None
        while source is not None and rest and (count := _copy(source, rest, file)):
            rest = memoryview(rest)[count:]
            yield count
        for piece in pieces([rest], buffers, _WRITTEN_BYTES):
            file.write(piece)
            yield len(piece)


def _copy(source: FileMap, part: Part, file: BinaryIO) -> int:
    """Copy the start of a part with ``copy_file_range``; return the bytes copied, 0 if it fails.

    This touches neither the mapped pages nor a buffer, and the system uses small pages for the
    copy: a virtual machine takes longer to get the huge pages used for written data than to fill
    them.
    """
    if not hasattr(os, "copy_file_range"):
        return 0
    # Python's buffer must be out before the system writes at the file's position.
    file.flush()
    start = address_of(part) - source.address
    with suppress(OSError):  # another device or a pipe; what else is wrong, `write` tells
        offset = file.tell()
        size = min(len(part), _WRITTEN_BYTES)
        # As `cp` does. 1 GB with fsync: 0.44 to 0.53 s, against 0.9 to 2.6 s through a buffer, for
        # which a virtual machine's host must find large pages.
        count = os.copy_file_range(source.descriptor, file.fileno(), size, start, offset)
        file.seek(offset + count)
        return count
    return 0


def pieces(
    parts: Iterable[Part], buffers: list[memoryview], max_bytes: int = _PIECE_BYTES
) -> Iterator[Part]:
    """Yield the bytes of all parts in pieces; a piece is valid only until the next is requested.

    Args:
        parts: Contiguous byte buffers.
        buffers: A list, initially empty, that holds the read buffer for reuse by the next call:
            allocating a new one costs as much as the copy.
        max_bytes: Maximum size of a piece of a part in memory; parts of mapped files have pieces of
            1 MiB.
    """
    for part in parts:
        source = _source(part) if len(part) >= _MIN_COPIED_BYTES and hasattr(os, "preadv") else None
        if source is not None:
            # One buffer for all parts: a new one for each would be cleared by the system each time.
            if not buffers:
                buffers.append(memoryview(bytearray(_PIECE_BYTES)))
            yield from _read_into(source, address_of(part) - source.address, len(part), buffers[0])
        elif len(part) <= max_bytes:
            yield part
        else:
            view = memoryview(part)
            for start in range(0, len(view), max_bytes):
                yield view[start : start + max_bytes]


def _read_into(source: FileMap, start: int, size: int, buffer: memoryview) -> Iterator[memoryview]:
    done = 0
    while done < size:
        count = os.preadv(source.descriptor, [buffer[: size - done]], start + done)
        if not count:
            raise FileFormatError(
                source.path,
                start + done,
                "values",
                expected=f"{size - done} bytes",
                found="the end of the file",
                remedy="it was cut short while it was copied",
            )
        yield buffer[:count]
        done += count


class _WriteBack:
    """Starts writing data back to the disk while later data is still being written.

    The request blocks for about a third of the time of the copy, so a thread makes it.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._unsynced = 0
        self._thread: Thread | None = None

    def add(self, count: int) -> None:
        """Count written bytes, and request write-back after every 64 MiB."""
        self._unsynced += count
        # Without fsync at the end there is nothing to hasten.
        if self._unsynced >= _ADVISED_BYTES and hasattr(os, "posix_fadvise") and waits_for_disk():
            self.wait()
            # `fadvise` blocks while it queues pages (a third of the copy's time), hence the thread.
            with suppress(OSError):
                self._begin(self._file.tell() - self._unsynced, self._unsynced)
            self._unsynced = 0

    def _begin(self, start: int, count: int) -> None:
        from threading import Thread  # noqa: PLC0415  # 1 ms, and most files are small

        args = self._file, start, count
        try:
            thread = Thread(target=_begin_sync, args=args, name="hy-io-disk")
            thread.start()
        # Threads are refused at exit, or above the limit of processes: do it here, later but
        # surely.
        except RuntimeError:
            _begin_sync(*args)
        else:
            self._thread = thread

    def wait(self) -> None:
        """Wait for the thread that requests the write-back."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None


def _begin_sync(file: BinaryIO, start: int, count: int) -> None:
    with suppress(OSError):  # no such advice: `fsync` does all of it
        # Linux starts to write pages that differ from the disk, and lets go of others only.
        os.posix_fadvise(file.fileno(), start, count, os.POSIX_FADV_DONTNEED)


def _source(part: Part) -> FileMap | None:
    owner: object = part
    # Slices of a map are views of views; the map itself owns the bytes.
    while isinstance(owner, memoryview | np.ndarray):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    return owner if isinstance(owner, FileMap) else None
