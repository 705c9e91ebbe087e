"""Writes parts of a file; what lies in another file goes from file to file, past this process."""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import BinaryIO

import numpy as np

from hy_io._binary import FileMap, address_of

__all__ = ["Part", "write_parts"]

Part = bytes | memoryview

_MUCH = 1 << 16  # bytes
_PIECE = 1 << 24  # bytes; the disk is told of each


def write_parts(file: BinaryIO, parts: Iterable[Part]) -> None:
    """Write bytes one after the other.

    Views of a file that is mapped to be read are copied by the system, which takes half the time
    and none of this process's memory. The disk begins with what is written while the rest is, so
    that a following ``fsync`` has little to wait for.

    Args:
        file: Open for writing.
        parts: Contiguous bytes.
    """
    untold = 0
    for part in parts:
        for piece in _pieces(part):
            done = _copied(file, piece) if len(piece) >= _MUCH else 0
            if done < len(piece):
                file.write(piece[done:] if done else piece)
            untold += len(piece)
            if untold >= _PIECE:
                _begin_sync(file, untold)
                untold = 0


def _pieces(part: Part) -> Iterator[Part]:
    if len(part) <= _PIECE:
        yield part
        return
    view = memoryview(part)
    for start in range(0, len(view), _PIECE):
        yield view[start : start + _PIECE]


def _begin_sync(file: BinaryIO, count: int) -> None:
    """Have the system begin to bring the last ``count`` bytes to the disk, without waiting."""
    if hasattr(os, "posix_fadvise"):
        with suppress(OSError):  # a pipe, or no such advice: `fsync` does all of it
            # Linux starts to write pages that differ from the disk, and lets go of others only.
            os.posix_fadvise(file.fileno(), file.tell() - count, count, os.POSIX_FADV_DONTNEED)


def _copied(file: BinaryIO, part: Part) -> int:
    """How many bytes of ``part`` the system has copied out of the file that they are a view of."""
    source = _source(part)
    if source is None or not hasattr(os, "copy_file_range") or not file.seekable():
        return 0
    start = address_of(part) - source.address
    place, done = file.tell(), 0
    file.flush()
    with suppress(OSError):  # not between these files; a full disk is told by the next write
        while done < len(part):
            count = os.copy_file_range(
                source.descriptor, file.fileno(), len(part) - done, start + done, place + done
            )
            if count == 0:
                break
            done += count
    file.seek(place + done)
    return done


def _source(part: Part) -> FileMap | None:
    owner: object = part
    while isinstance(owner, memoryview | np.ndarray):
        owner = owner.obj if isinstance(owner, memoryview) else owner.base
    return owner if isinstance(owner, FileMap) else None
