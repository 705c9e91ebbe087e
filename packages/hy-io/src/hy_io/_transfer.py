"""Writes parts of a file; what lies in another file goes from file to file, past this process."""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import BinaryIO

import numpy as np

from hy_io._binary import FileMap, address_of

__all__ = ["Part", "write_parts"]

Part = bytes | memoryview

_MUCH = 1 << 16  # bytes


def write_parts(file: BinaryIO, parts: Iterable[Part]) -> None:
    """Write bytes one after the other.

    Views of a file that is mapped to be read are copied by the system, which takes half the time
    and none of this process's memory.

    Args:
        file: Open for writing.
        parts: Contiguous bytes.
    """
    for part in parts:
        done = _copied(file, part) if len(part) >= _MUCH else 0
        if done < len(part):
            file.write(part[done:] if done else part)


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
