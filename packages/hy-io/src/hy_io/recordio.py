"""MXNet's RecordIO files: sequences of byte strings, with or without an index.

Names and signatures are those of ``mxnet.recordio``. Threads may write to a file concurrently, and
a reader continues to work in a forked process.
"""

import os
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, Self, TextIO

from hy_io._errors import ArgumentError, FileFormatError, HyError
from hy_io._paths import open_file, read_file
from hy_io._records import RecordSource, frame
from hy_io._sync import sync_file
from hy_io.packing import (
    IRHeader,
    pack,
    pack_img,
    unpack,
    unpack_img,
)

__all__ = [
    "IRHeader",
    "MXIndexedRecordIO",
    "MXRecordIO",
    "pack",
    "pack_img",
    "unpack",
    "unpack_img",
]

_BUFFER_BYTES = 1 << 20  # bytes


class MXRecordIO:
    """Record file for sequential reading or for writing.

    Opening for writing empties the file at once, and records are written to it directly, so that
    those of an interrupted run are kept; `close` flushes the file to the disk.

    Args:
        uri: The file.
        flag: ``r`` to read, ``w`` to write.

    Raises:
        ValueError: ``flag`` is something else.
        OSError: The file cannot be opened.

    Example:
        >>> with MXRecordIO("words.rec", "w") as records:
        ...     records.write(b"some")
        ...     records.write(b"words")
        >>> list(MXRecordIO("words.rec", "r"))
        [b'some', b'words']
    """

    def __init__(self, uri: str | os.PathLike[str], flag: str) -> None:
        self.uri = os.fspath(uri)
        self.flag = flag
        self.is_open = False
        self.open()

    def open(self) -> None:
        """Open the file at its start; empty it if it is opened for writing."""
        if self.flag not in {"r", "w"}:
            raise ArgumentError(
                f"{type(self).__name__}: flag must be 'r' or 'w', got {self.flag!r}"
            )
        self.writable = self.flag == "w"
        self.pid = os.getpid()
        # Reentrant: `read_idx` holds it over `seek` and `read`.
        self._lock = threading.RLock()
        self._source: RecordSource | None = None
        self._file: BinaryIO | None = None
        self._written = 0
        if self.writable:
            self._file = open_file(self.uri, "wb", buffering=_BUFFER_BYTES)  # until `close`
        else:
            self._source = RecordSource(self.uri)
        self.is_open = True

    def close(self) -> None:
        """Close the file, after flushing written records to the disk."""
        if not self.is_open:
            return
        self.is_open = False
        with self._lock:
            if self._source is not None:
                self._source.close()
            elif self._file is not None:
                self._close_written(self._file)

    def _close_written(self, file: BinaryIO) -> None:
        # After a fork both processes hold the same buffer: flushing it here would write its records
        # twice. The descriptor alone is closed.
        if self.pid != os.getpid():
            os.close(file.fileno())
            return
        # Records, then (by the caller) the index: a crash leaves no index of records that are not
        # there.
        try:
            file.flush()
            sync_file(file)
        finally:
            file.close()

    def reset(self) -> None:
        """Return to the first record; a file open for writing is emptied."""
        self.close()
        self.open()

    def read(self) -> bytes | None:
        """Return the next record, or None at the end of the file.

        Raises:
            FileFormatError: The record is damaged or cut short; the message gives the offset.
            RuntimeError: The file is closed, or is being written.
        """
        source = self._source
        if source is None or not self.is_open:
            raise self._state_error("read")
        with self._lock:
            return source.read()

    def write(self, buf: bytes | bytearray | memoryview) -> None:
        """Add a record.

        Args:
            buf: The bytes of the record, less than 512 MiB.

        Raises:
            RuntimeError: The file is closed, is being read, or was opened by another process.
            TypeError: ``buf`` is not bytes-like.
            ValueError: ``buf`` is too long.
        """
        self._append(buf)

    def _append(self, buf: bytes | bytearray | memoryview) -> int:
        """Write a record at the end and return its offset."""
        file = self._file
        if file is None or not self.is_open or self.pid != os.getpid():
            raise self._state_error("write")
        if not isinstance(buf, bytes):
            buf = self._as_bytes(buf)
        # Framed before the lock, which is held only for the write.
        framed = frame(buf)
        with self._lock:
            start = self._written
            file.write(framed)
            self._written += len(framed)
        return start

    def _as_bytes(self, buf: object) -> bytes:
        if not isinstance(buf, bytearray | memoryview):
            raise ArgumentError(
                f"{type(self).__name__}.write: needs bytes, got {type(buf).__name__}"
            )
        return bytes(buf)

    def _state_error(self, what: str) -> HyError:
        if self.is_open and self.pid != os.getpid():
            why = "was opened by another process; open it in this one"
        elif not self.is_open:
            why = "is closed"
        else:
            return ArgumentError(
                f"{type(self).__name__}.{what}: {self.uri} was opened with flag {self.flag!r}"
            )
        return HyError(f"{type(self).__name__}.{what}: {self.uri} {why}")

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> bytes:
        record = self.read()
        if record is None:
            raise StopIteration
        return record

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "is_open", False):
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        if self.writable:
            # Unpickled in a worker it would be opened again, and so emptied.
            raise ArgumentError(
                f"{type(self).__name__}: a file that is being written cannot be pickled, "
                "because opening it again would empty it"
            )
        return {"uri": self.uri, "flag": self.flag, "is_open": self.is_open}

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__.update(d)
        was_open = self.is_open
        # State before `open` runs, so that an error in it leaves a closed object for `__del__`.
        self.is_open = False
        self.writable = False
        if was_open:
            self.open()


class MXIndexedRecordIO(MXRecordIO):
    """Record file with an index file, which maps keys to offsets of records.

    The index is text with lines ``key<TAB>offset``. `rebuild_index` restores a lost index.

    Args:
        idx_path: The index file.
        uri: The record file.
        flag: ``r`` to read, ``w`` to write.
        key_type: Function that converts the text of a key in the index to a key, such as ``int``.

    Raises:
        FileFormatError: A line of the index is damaged, or its offset is outside of the file.
        ValueError: ``flag`` is neither ``r`` nor ``w``.
        OSError: A file cannot be opened.

    Example:
        >>> with MXIndexedRecordIO("words.idx", "words.rec", "w") as records:
        ...     records.write_idx(7, b"some")
        ...     records.write_idx(9, b"words")
        >>> MXIndexedRecordIO("words.idx", "words.rec", "r").read_idx(9)
        b'words'
    """

    def __init__(
        self,
        idx_path: str | os.PathLike[str],
        uri: str | os.PathLike[str],
        flag: str,
        key_type: Callable[[Any], Any] = int,
    ) -> None:
        self.idx_path = os.fspath(idx_path)
        self.idx: dict[Any, int] = {}
        self.keys: list[Any] = []
        self.key_type = key_type
        self.fidx: TextIO | None = None
        super().__init__(uri, flag)

    def open(self) -> None:
        """Open both files at their start; empty them if they are opened for writing."""
        super().open()
        self.idx, self.keys, self.fidx = {}, [], None
        try:
            if self.writable:
                self.fidx = open_file(self.idx_path, "w", encoding="utf-8")  # until `close`
            else:
                self._read_index()
        # The record file is open by now, so it must be closed when its index cannot be read.
        except BaseException:
            super().close()
            raise

    def close(self) -> None:
        """Close both files, after flushing to the disk first the records, then the index."""
        if not self.is_open:
            return
        try:
            super().close()
        finally:
            if self.fidx is not None:
                self._close_index(self.fidx)
                self.fidx = None

    def _close_index(self, index: TextIO) -> None:
        if self.pid != os.getpid():
            os.close(index.fileno())
            return
        with index:
            index.flush()
            sync_file(index)

    def _read_index(self) -> None:
        assert self._source is not None
        size = self._source.size
        try:
            content = read_file(self.idx_path)
        except FileNotFoundError as error:
            error.add_note(f"make one with `hy-io rec reindex {self.uri}`, or hy_io.rebuild_index")
            raise
        start = 0
        for line in content.splitlines(keepends=True):
            if line.strip():
                key, offset = self._read_line(line, start, size)
                self.idx[key] = offset
                self.keys.append(key)
            start += len(line)

    def _read_line(self, line: bytes, start: int, size: int) -> tuple[Any, int]:
        try:
            name, text, *_ = line.decode().rstrip("\r\n").split("\t")
            key, offset = self.key_type(name), int(text)
        except (ValueError, TypeError):
            kind = getattr(self.key_type, "__name__", self.key_type)
            raise FileFormatError(
                self.idx_path,
                start,
                "index line",
                expected=f"a key ({kind}), a tab and an offset",
                found=repr(line[:60]),
                remedy=f"make a new index with `hy-io rec reindex {self.uri}`",
            ) from None
        # Offsets outside the file mean an index of another file.
        if not 0 <= offset < size:
            raise FileFormatError(
                self.idx_path,
                start,
                f"offset of {key!r}",
                expected=f"0 to {size - 1}, within {self.uri}",
                found=f"{offset}",
                remedy=f"make a new index with `hy-io rec reindex {self.uri}`",
            )
        return key, offset

    def seek(self, idx: Any) -> None:
        """Set the position to the record of a key.

        Raises:
            KeyError: There is no such key.
            RuntimeError: The file is closed, or is being written.
        """
        source = self._source
        if source is None or not self.is_open:
            raise self._state_error("seek")
        with self._lock:
            source.seek(self.idx[idx])

    def tell(self) -> int:
        """Return the offset at which the next record will be written.

        Raises:
            RuntimeError: The file is closed, or is being read.
        """
        if self._file is None or not self.is_open:
            raise self._state_error("tell")
        return self._written

    def read_idx(self, idx: Any) -> bytes:
        """Return the record of a key.

        Raises:
            KeyError: There is no such key.
            FileFormatError: The record is damaged or cut short; the message gives the offset.
            RuntimeError: The file is closed, or is being written.
        """
        with self._lock:
            self.seek(idx)
            record = self.read()
        assert record is not None, "offsets are within the file"
        return record

    def write_idx(self, idx: Any, buf: bytes | bytearray | memoryview) -> None:
        """Write a record and add its key to the index.

        Args:
            idx: The key, which is converted by ``key_type``.
            buf: The record.

        Raises:
            ValueError: The text of the key contains a tab or a line break.
            RuntimeError, TypeError: See `write`.
        """
        key = self.key_type(idx)
        name = str(key)
        # `splitlines` knows every line break that reading the index splits at.
        if len(name.splitlines()) != 1 or "\t" in name:
            raise ArgumentError(
                f"write_idx: a key is text without tabs and line breaks, got {name!r}"
            )
        # Record and index line under one lock: other threads' records must not come between them.
        with self._lock:
            start = self._append(buf)
            assert self.fidx is not None
            self.fidx.write(f"{name}\t{start}\n")
            self.idx[key] = start
            self.keys.append(key)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"idx_path": self.idx_path, "key_type": self.key_type}
