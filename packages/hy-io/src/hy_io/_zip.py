"""Reader with bounds checks and streaming writer of ZIP archives of uncompressed members.

Members are never decompressed: each is a byte range of the file, or refused. An entry of the
central directory is accepted only if its range lies in the file, agrees with the member's local
header, and does not overlap another member.
"""

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hy_io._binary import U64, BinaryReader, numbers
from hy_io._transfer import Part, pieces

_LOCAL = struct.Struct("<4s5H3I2H")
_CENTRAL = struct.Struct("<4s6H3I5H2I")
_END = struct.Struct("<4s4H2IH")
_END64 = struct.Struct("<4sQ2H2I4Q")
_LOCATOR = struct.Struct("<4sIQI")
_MAX_COMMENT_BYTES = 0xFFFF  # bytes; its length is a 16-bit field
_MAX16, _MAX32 = 0xFFFF, 0xFFFFFFFF
"""Placeholders of numbers that are too large for their field and stored in a ZIP64 record."""
_ENCRYPTED, _CHECKSUM_FOLLOWS, _UTF8 = 1, 1 << 3, 1 << 11
_VERSION, _VERSION64 = 20, 45
# DOS date of 1 January 1980, the earliest: equal content gives equal files, and equal hashes.
_DAY = 1 << 5 | 1
# A megabyte's CRC takes 330 µs here, handing a task to a thread 20 µs when idle.
_MIN_THREADED_BYTES = 1 << 20  # bytes, to sum which takes longer than to wake a thread
_PADDING = 0x4246  # the kind of extra field that PyTorch pads with


@dataclass(frozen=True, slots=True)
class Member:
    """Member of an archive: the byte range of its content.

    Args:
        name: Name of the member.
        offset: Offset of the content in the file in bytes.
        size: Size of the content in bytes.
        crc: CRC-32 of the content, 0 if the writer left it out.
        packing: Description of the compression or encryption, None if there is none.
    """

    name: str
    offset: int
    size: int
    crc: int
    packing: str | None


def read_members(reader: BinaryReader) -> dict[str, Member]:
    """Return the members of an archive by name, without reading their content.

    Args:
        reader: Of the whole file.

    Raises:
        FileFormatError: The archive is damaged or cut short.
    """
    # The directory at the end counts, as for every reader of ZIP; local headers must agree with it.
    count, start, end = _directory(reader)
    reader.offset = start
    members: dict[str, Member] = {}
    ranges: list[tuple[int, int, str]] = []
    for index in range(count):
        header, member = _read_entry(reader, index, start)
        if member.name in members:
            raise reader.error("name", "a new name", f"{member.name!r} again", offset=header)
        members[member.name] = member
        ranges.append((header, member.offset + member.size, member.name))
    if reader.offset != end:
        raise reader.error("central directory", f"its end at byte {end}", f"{reader.offset}")
    # Overlapping members are a ZIP bomb (Fifield 2019): a few bytes read as many members.
    before = 0
    for header, last, name in sorted(ranges):
        if header < before:
            expected = f"an offset of {before} or more, after the member before"
            raise reader.error(f"member {name!r}", expected, f"{header}", offset=header)
        before = last
    return members


def check_stored(reader: BinaryReader, member: Member) -> None:
    """Raise if a member is compressed or encrypted.

    Raises:
        FileFormatError: The member is compressed or encrypted.
    """
    if member.packing is not None:
        field = f"member {member.name!r}"
        raise reader.error(field, "bytes as they are", member.packing, offset=member.offset)


def check_members(reader: BinaryReader, members: Sequence[Member]) -> None:
    """Check the CRC-32 of members that have one, in parallel on all cores.

    Args:
        reader: Of the whole file.
        members: The members to check.

    Raises:
        FileFormatError: A checksum differs, or a member is compressed or encrypted.
    """
    contents = []
    for member in members:
        check_stored(reader, member)
        reader.offset = member.offset
        contents.append(reader.take(member.size, f"member {member.name!r}"))
    for member, crc in zip(members, _checksums(contents), strict=True):
        # 0 stands for a checksum that the writer left out.
        if member.crc not in {0, crc}:
            field = f"CRC-32 of {member.name!r}"
            raise reader.error(field, f"{member.crc:#x}", f"{crc:#x}", offset=member.offset)


def _checksums(contents: Sequence[Part]) -> list[int]:
    """Return the CRC-32 of each buffer, computed in parallel."""
    threads = min(os.cpu_count() or 1, len(contents))
    if threads <= 1:
        return _share_checksums(contents)
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # 4 ms

    shares = [contents[k::threads] for k in range(threads)]  # few: a task takes as long as 100 KB
    with ThreadPoolExecutor(threads) as pool:
        sums = list(pool.map(_share_checksums, shares))
    return [sums[k % threads][k // threads] for k in range(len(contents))]


def _share_checksums(contents: Sequence[Part]) -> list[int]:
    buffers = list[memoryview]()
    return [_crc32(content, 0, buffers) for content in contents]


def _crc32(content: Part, crc: int, buffers: list[memoryview]) -> int:
    """Return the CRC-32 of data continued from ``crc``; see `pieces` for ``buffers``."""
    for piece in pieces([content], buffers):
        crc = zlib.crc32(piece, crc)
    return crc


def _directory(reader: BinaryReader) -> tuple[int, int, int]:
    """Return the number of members, and the start and end offset of the central directory."""
    size = reader.offset + reader.remaining
    # The end record stands before a comment of up to 64 KiB, so it is looked for from the end.
    reader.offset = max(0, size - _END.size - _MAX_COMMENT_BYTES)
    tail = reader.peek(reader.remaining)
    at = tail.rfind(b"PK\5\6")
    if at < 0 or at + _END.size > len(tail):
        remedy = "the file is cut short, or no ZIP archive"
        raise reader.error("end of the archive", "its record", "none", offset=size, remedy=remedy)
    record_offset = reader.offset + at
    _, disk, first, here, count, length, start, comment = _END.unpack_from(tail, at)
    # A comment may hold the signature, too: its length must end at the end of the file.
    if record_offset + _END.size + comment != size:
        actual = f"{size - record_offset - _END.size} bytes"
        raise reader.error("comment", f"{comment} bytes to the end", actual, offset=record_offset)
    if _MAX16 in (here, count) or _MAX32 in (length, start):
        record_offset, here, count, length, start = _directory64(reader, record_offset)
    if disk or first or here != count:
        actual = f"disk {disk} of several"
        raise reader.error("end of the archive", "one file", actual, offset=record_offset)
    # A central header has 46 bytes at least, which bounds the claimed count before the loop.
    if start + length > record_offset or count * _CENTRAL.size > length:
        expected = f"{count} members in the {record_offset} bytes before"
        actual = f"{length} bytes from {start} on"
        raise reader.error("central directory", expected, actual, offset=record_offset)
    return count, start, start + length


def _directory64(reader: BinaryReader, record_offset: int) -> tuple[int, int, int, int, int]:
    reader.offset = max(0, record_offset - _LOCATOR.size)
    sign, _, start, _ = _LOCATOR.unpack(reader.read(_LOCATOR.size, "offset of 64-bit sizes"))
    if sign != b"PK\6\7" or start + _END64.size > record_offset:
        expected = f"an offset below {record_offset}"
        raise reader.error("offset of 64-bit sizes", expected, f"{start}", offset=record_offset)
    reader.offset = start
    fields = _END64.unpack(reader.read(_END64.size, "64-bit sizes"))
    sign, _, _, _, _, _, here, count, length, first = fields
    if sign != b"PK\6\6":
        raise reader.error("64-bit sizes", "their record", repr(sign), offset=start)
    return start, here, count, length, first


def _read_entry(reader: BinaryReader, index: int, end: int) -> tuple[int, Member]:
    """Read a directory entry; return the local header's offset and the member, before ``end``."""
    at, field = reader.offset, f"entry of member {index}"
    fields = _CENTRAL.unpack(reader.read(_CENTRAL.size, field))
    sign, _, _, flags, method, _, _, crc, packed, size, long, extra, comment, *_, record_offset = (
        fields
    )
    if sign != b"PK\1\2":
        raise reader.error(field, "its mark", repr(sign), offset=at)
    raw = reader.read(long, f"name of member {index}")
    try:
        name = raw.decode()
    except UnicodeDecodeError:
        expected = "UTF-8"
        raise reader.error(f"name of member {index}", expected, repr(raw[:40]), offset=at) from None
    more = BinaryReader(reader.read(extra, f"extra field of {name!r}"), reader.path)
    size, packed, record_offset = _member_sizes(more, name, (size, packed, record_offset))
    reader.take(comment, f"comment of {name!r}")
    start = _values_offset(reader, raw, name, record_offset, end)
    if start + packed > end:
        expected = f"at most {end - start} bytes"
        raise reader.error(f"size of {name!r}", expected, f"{packed}", offset=at)
    packing = None
    if flags & _ENCRYPTED or method or size != packed:
        packing = "encrypted ones" if flags & _ENCRYPTED else f"method {method} of packing"
    return record_offset, Member(name, offset=start, size=packed, crc=crc, packing=packing)


def _member_sizes(extra: BinaryReader, name: str, sizes32: tuple[int, int, int]) -> tuple[int, ...]:
    """Return sizes and header offset of a member; numbers over 32 bits come from extra fields."""
    while extra.remaining:
        kind, length = extra.unpack(numbers("H", 2), f"extra field of {name!r}")
        content = BinaryReader(extra.take(length, f"extra field of {name!r}"), extra.path)
        if kind == 1:
            large = f"64-bit sizes of {name!r}"
            return tuple(content.unpack(U64, large)[0] if one == _MAX32 else one for one in sizes32)
    return sizes32


def _values_offset(
    reader: BinaryReader, raw: bytes, name: str, record_offset: int, end: int
) -> int:
    """Return the offset of a member's content, after checking its local header."""
    field = f"header of {name!r}"
    if record_offset + _LOCAL.size > end:
        raise reader.error(field, f"an offset below {end}", f"{record_offset}")
    back, reader.offset = reader.offset, record_offset
    sign, *_, long, extra = _LOCAL.unpack(reader.read(_LOCAL.size, field))
    # Name and signature of the local header must be those of the directory: two readers could
    # otherwise see two files.
    if sign != b"PK\3\4" or reader.read(long, field) != raw:
        raise reader.error(field, "the mark and that name", repr(sign), offset=record_offset)
    reader.take(extra, field)
    start, reader.offset = reader.offset, back
    return start


def zip_parts(
    members: Iterable[tuple[str, int, Iterable[Part]]], *, align: int = 1
) -> Iterator[Part]:
    """Yield the bytes of an archive of uncompressed members, in parts.

    The checksum of a large part is computed by another thread while the caller writes the part.

    Args:
        members: Name, size in bytes, and content in parts, of each member.
        align: Alignment of each member's content in the file, in bytes.
    """
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  # 4 ms

    record_offset, count, central = 0, 0, bytearray()
    buffers = list[memoryview]()
    with ThreadPoolExecutor(1) as pool:
        for name, size, parts in members:
            head = _local_header(name.encode(), size, record_offset, align)
            yield head
            crc = 0
            for part in parts:
                # The CRC runs beside the write; zlib releases the GIL.
                adding = (
                    pool.submit(_crc32, part, crc, buffers)
                    if len(part) >= _MIN_THREADED_BYTES
                    else None
                )
                yield part
                crc = _crc32(part, crc, buffers) if adding is None else adding.result()
            # The data descriptor has 64-bit sizes if the local header announced ZIP64.
            form = "<4sI2Q" if size >= _MAX32 else "<4s3I"
            tail = struct.pack(form, b"PK\7\x08", crc, size, size)
            yield tail
            central += _central_header(name.encode(), size, record_offset, crc)
            record_offset += len(head) + size + len(tail)
            count += 1
    yield bytes(central)
    yield _end(count, len(central), record_offset)


def _local_header(name: bytes, size: int, record_offset: int, align: int) -> bytes:
    large = size >= _MAX32
    sizes = struct.pack("<2H2Q", 1, 16, 0, 0) if large else b""
    begin = record_offset + _LOCAL.size + len(name) + len(sizes) + 4
    # PyTorch maps tensors, whose first byte must be aligned: an extra field of this size pads to
    # it.
    padding = b"Z" * (-begin % align)
    extra = sizes + struct.pack("<2H", _PADDING, len(padding)) + padding
    return (
        _LOCAL.pack(
            b"PK\3\4",
            _VERSION64 if large else _VERSION,
            _CHECKSUM_FOLLOWS | _UTF8,
            *(0, 0, _DAY, 0),
            *((_MAX32, _MAX32) if large else (0, 0)),
            len(name),
            len(extra),
        )
        + name
        + extra
    )


def _central_header(name: bytes, size: int, record_offset: int, crc: int) -> bytes:
    large = [number for number in (size, size, record_offset) if number >= _MAX32]
    extra = struct.pack(f"<2H{len(large)}Q", 1, 8 * len(large), *large) if large else b""
    version = _VERSION64 if large else _VERSION
    return (
        _CENTRAL.pack(
            b"PK\1\2",
            *(version, version, _CHECKSUM_FOLLOWS | _UTF8),
            *(0, 0, _DAY),
            *(crc, min(size, _MAX32), min(size, _MAX32), len(name), len(extra)),
            *(0, 0, 0, 0, min(record_offset, _MAX32)),
        )
        + name
        + extra
    )


def _end(count: int, length: int, start: int) -> bytes:
    record = b""
    if count >= _MAX16 or start >= _MAX32 or length >= _MAX32:
        sizes = (count, count, length, start)
        record = _END64.pack(b"PK\6\6", _END64.size - 12, _VERSION64, _VERSION64, 0, 0, *sizes)
        record += _LOCATOR.pack(b"PK\6\7", 0, start + length, 1)
    count16, sizes32 = min(count, _MAX16), (min(length, _MAX32), min(start, _MAX32))
    return record + _END.pack(b"PK\5\6", 0, 0, count16, count16, *sizes32, 0)
