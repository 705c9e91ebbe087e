"""Random access to the records of a file by index, safe for concurrent threads."""

import os
from collections.abc import Sequence
from typing import Any, overload

from hy_io._records import RecordSource
from hy_io.recordio import MXIndexedRecordIO

__all__ = ["RecordFile"]


class RecordFile(Sequence[bytes]):
    """Sequence of the records of a file, for random access by index.

    Without an index file, the headers of all records are read when the file is opened. Threads and
    forked processes may read concurrently.

    Args:
        path: The record file.
        idx_path: The index file, which determines the order of the records; None for the order of
            the record file.

    Raises:
        FileFormatError: A header or a line of the index is damaged.
        OSError: A file cannot be opened.

    Example:
        >>> from hy_io import MXRecordIO
        >>> with MXRecordIO("words.rec", "w") as records:
        ...     records.write(b"some")
        ...     records.write(b"words")
        >>> RecordFile("words.rec")[1]
        b'words'
    """

    def __init__(
        self, path: str | os.PathLike[str], idx_path: str | os.PathLike[str] | None = None
    ) -> None:
        self.path = os.fspath(path)
        self._source = RecordSource(path)
        if idx_path is None:
            self.offsets = self._source.offsets()
        else:
            with MXIndexedRecordIO(idx_path, path, "r") as indexed:
                self.offsets = [indexed.idx[key] for key in indexed.keys]

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return self._source.size

    def __len__(self) -> int:
        return len(self.offsets)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> list[bytes]: ...
    def __getitem__(self, index: Any) -> Any:
        # No lock: `record_at` reads at offsets and leaves the source's position alone.
        if isinstance(index, slice):
            return [self._source.record_at(offset)[0] for offset in self.offsets[index]]
        return self._source.record_at(self.offsets[index])[0]

    def beginning(self, index: int, size: int) -> bytes:
        """Return the first ``size`` bytes of a record, or its first part if that is shorter."""
        source = self._source
        _, begin, length, _ = source.part(self.offsets[index], source.size)
        return source.bytes_at(begin, min(size, length))

    def close(self) -> None:
        """Close the file."""
        self._source.close()
