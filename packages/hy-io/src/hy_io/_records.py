"""Layout and low-level reader of record files.

Little-endian throughout. A record is ``u32 0xCED7230A`` (the magic), ``u32 flag << 29 | length``,
the content, and zeros up to a multiple of 4 bytes. If the content itself contains the magic at a
multiple of 4, the record is split there into parts, without the magic, flagged 1 (first), 2
(middle) and 3 (last); a record in one part has flag 0. So a magic at a multiple of 4 always begins
a part, which lets a reader resynchronize after damage. The format was learned from files and by
experiments.
"""

import os
import struct
from io import BytesIO

from hy_io._errors import ArgumentError, FileFormatError
from hy_io._expecting import another_format
from hy_io._paths import open_file
from hy_io.sniffing import sniff

# Its upper three bits, read as a flag, are 6: a header word of length and flag never equals it.
MAGIC = 0xCED7230A  # begins each part of a record
MAGIC_BYTES = struct.pack("<I", MAGIC)
HEAD = struct.Struct("<II")
ALONE, FIRST, MIDDLE, LAST = range(4)
# 29 bits hold the length, the upper three the flag.
MAX_PART_BYTES = (1 << 29) - 1  # bytes of a part
# Small at first, since random access reads one record; then by 16 up to 1 MiB for scans.
_FIRST_CHUNK, _CHUNK = 1 << 12, 1 << 20


def frame(content: bytes) -> bytes:
    """Return the encoded bytes of a record: header, content and padding of each part.

    Raises:
        ValueError: The content is longer than the format allows.
    """
    if len(content) > MAX_PART_BYTES:
        raise ArgumentError(
            f"a record holds at most {MAX_PART_BYTES} bytes, got {len(content)}; "
            "split it into several"
        )
    if MAGIC_BYTES not in content:
        return b"".join((HEAD.pack(MAGIC, len(content)), content, bytes(-len(content) % 4)))
    cuts = []
    at = content.find(MAGIC_BYTES)
    while at >= 0:
        aligned = at % 4 == 0
        # Only an aligned magic could be taken for the begin of a part.
        if aligned:
            cuts.append(at)
        at = content.find(MAGIC_BYTES, at + 4 if aligned else at + 1)
    pieces = []
    starts, ends = [0, *(cut + 4 for cut in cuts)], [*cuts, len(content)]
    for index, (start, end) in enumerate(zip(starts, ends, strict=True)):
        flag = MIDDLE if 0 < index < len(cuts) else LAST if index else FIRST
        pieces += [
            HEAD.pack(MAGIC, (flag if cuts else ALONE) << 29 | (end - start)),
            content[start:end],
            bytes((start - end) % 4),
        ]
    return b"".join(pieces)


class RecordSource:
    """Reader of the records of a file, in order or at a given offset.

    The size of the file is checked at each read, so records appended later are found.

    Args:
        path: The file.
    """

    __slots__ = ("_ahead", "_chunk", "_file", "_pos", "_start", "path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        # Unbuffered: Python's buffer would be stale for offsets that `pread` reads.
        self._file = open_file(path, buffering=0)  # closed by `close`
        self._chunk = b""
        self._start = 0  # of the chunk in the file
        self._pos = 0  # in the chunk
        self._ahead = _FIRST_CHUNK

    @property
    def offset(self) -> int:
        """Return the offset of the next record."""
        return self._start + self._pos

    @property
    def size(self) -> int:
        """Current size of the file in bytes."""
        # Read each time, so that a file that another process appends to shows its new
        # records.
        return os.fstat(self._file.fileno()).st_size

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        self._chunk = b""

    # Iterators of datasets are abandoned early; without this each leaves a ResourceWarning.
    def __del__(self) -> None:
        if hasattr(self, "_file"):  # a file left open by an iterator that was left early
            self._file.close()

    def seek(self, offset: int) -> None:
        """Set the position to a record that begins at ``offset``."""
        inside = offset - self._start
        if 0 <= inside <= len(self._chunk):
            self._pos = inside
        else:
            self._chunk, self._start, self._pos = b"", offset, 0
            self._ahead = _FIRST_CHUNK

    def length_ahead(self) -> int | None:
        """Return the length of the next record, unchecked; None if it is not one buffered part."""
        if self._pos + HEAD.size > len(self._chunk):
            self._fetch()
        if self._pos + HEAD.size > len(self._chunk):
            return None
        magic, length = HEAD.unpack_from(self._chunk, self._pos)
        whole = self._pos + HEAD.size + length + -length % 4 <= len(self._chunk)
        return length if magic == MAGIC and whole else None

    def bytes_at(self, offset: int, size: int) -> bytes:
        """Read at most ``size`` bytes of the file; fewer only at its end."""
        inside = offset - self._start
        if inside >= 0 and inside + size <= len(self._chunk):
            return self._chunk[inside : inside + size]
        # A forked worker shares the file's position with its parent, so reads give their own
        # offset.
        if hasattr(os, "pread"):
            got = os.pread(self._file.fileno(), size, offset)
            # A read of a signal-interrupted or network file may be short; 0 is the end.
            if len(got) in {0, size}:
                return got
            return got + self.bytes_at(offset + len(got), size - len(got))
        self._file.seek(offset)  # pragma: no cover  # Windows
        return self._file.read(size) or b""

    def read(self) -> bytes | None:
        """Return the content of the next record, or None at the end of the file.

        Raises:
            FileFormatError: The record is damaged or cut short; the position is unchanged.
        """
        position, chunk = self._pos, self._chunk
        # The fast path of sequential reading: one record in one part, all of it in the chunk.
        begin = position + 8
        if begin <= len(chunk):
            magic, length = HEAD.unpack_from(chunk, position)
            end = begin + length
            following = end + (-length & 3)
            if magic == MAGIC and following <= len(chunk):  # a flag would make `length` huge
                self._pos = following
                return chunk[begin:end]
        return self._read_slowly()

    def _read_slowly(self) -> bytes | None:
        self._fetch()
        at = self.offset
        if not self._chunk:
            return None
        if len(self._chunk) >= HEAD.size:
            magic, length = HEAD.unpack_from(self._chunk)
            following = HEAD.size + length + (-length & 3)
            if magic == MAGIC and following <= len(self._chunk):
                self._pos = following
                return self._chunk[HEAD.size : HEAD.size + length]
        content, following = self.record_at(at)
        self.seek(following)
        return content

    def record_at(self, offset: int) -> tuple[bytes, int]:
        """Return the content of the record at an offset, and the offset of the next record.

        The position of the source is not changed, so threads can share it.

        Raises:
            FileFormatError: The record is damaged or cut short.
        """
        size = self.size
        # No `self._pos` from here on: threads read records of one source at once.
        flag, begin, length, following = self.part(offset, size)
        if flag == ALONE:
            return self._exactly(begin, length), following
        if flag != FIRST:
            raise self.error("record flag", "0 or 1, a record's begin", f"{flag}", offset + 4)
        joined = BytesIO()
        joined.write(self._exactly(begin, length))
        while flag != LAST:
            # The magic between the parts was cut out by the writer.
            joined.write(MAGIC_BYTES)
            begin_of_part = following
            flag, begin, length, following = self.part(begin_of_part, size)
            if flag not in {MIDDLE, LAST}:
                raise self.error(
                    "record flag", "2 or 3, more of the record", f"{flag}", begin_of_part + 4
                )
            joined.write(self._exactly(begin, length))
        return joined.getvalue(), following

    def offsets(self) -> list[int]:
        """Return the offsets of all records, by reading headers only.

        Raises:
            FileFormatError: A header is damaged, or the last record is cut short.
        """
        offsets, at, size = [], 0, self.size
        while at < size:
            flag, _, _, following = self.part(at, size)
            if flag in {ALONE, FIRST}:
                offsets.append(at)
            at = following
        return offsets

    def _fetch(self) -> None:
        at = self.offset
        self._chunk, self._start, self._pos = self.bytes_at(at, self._ahead), at, 0
        self._ahead = min(16 * self._ahead, _CHUNK)

    def part(self, offset: int, size: int) -> tuple[int, int, int, int]:
        """Return flag, content offset, content length and end (with padding) of a part of a record.

        Args:
            offset: Offset of the part's magic.
            size: Size of the file in bytes.

        Raises:
            FileFormatError: No part begins there, or the part extends past the end of the file.
        """
        head = self.bytes_at(offset, HEAD.size)
        if len(head) < HEAD.size:
            raise self.error("record header", "8 bytes", f"{len(head)}", offset, _CUT)
        magic, word = HEAD.unpack(head)
        if magic != MAGIC:
            kind = None if offset else sniff(self.bytes_at(0, 1024))
            damaged = self.error("record magic", f"{MAGIC:#x}", f"{magic:#x}", offset, _SKIP)
            raise another_format(self.path, "records", kind) or damaged
        flag, length = word >> 29, word & MAX_PART_BYTES
        if flag > LAST:
            raise self.error("record flag", "0 to 3", f"{flag}", offset + 4, _SKIP)
        begin = offset + HEAD.size
        following = begin + length + -length % 4
        # Checked against the size of the file before `bytes_at` allocates that much.
        if following > size:
            raise self.error("record", f"{following - begin} bytes", f"{size - begin}", begin, _CUT)
        return flag, begin, length, following

    def _exactly(self, offset: int, size: int) -> bytes:
        content = self.bytes_at(offset, size)
        if len(content) < size:
            raise self.error("record", f"{size} bytes", f"{len(content)}", offset, _CUT)
        return content

    def error(
        self, field: str, expected: str, actual: str, offset: int, remedy: str | None = None
    ) -> FileFormatError:
        """Return the error to raise about ``field``."""
        return FileFormatError(
            self.path, offset, field, expected=expected, found=actual, remedy=remedy
        )


_CUT = "the file is cut short: `scan_records` reads what is whole"
_SKIP = "the file is damaged: `scan_records` skips to the next whole record"
