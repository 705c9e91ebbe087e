"""Reads decompressed content up to a limit that depends on the size of the file."""

import os
from typing import Protocol

from hy_io._limits import check_expansion, expansion_limit
from hy_io._paths import local_path

__all__ = ["read_expanded"]

_BLOCK_BYTES = 1 << 20  # bytes


class _Stream(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_expanded(
    source: _Stream, path: str | os.PathLike[str], *, max_expansion: int | None = None
) -> bytes:
    """Read a decompressing stream to its end, up to a limit on the decompressed size.

    Args:
        source: The stream, such as the result of `gzip.open` or an opened member of an archive.
        path: The compressed file.
        max_expansion: Limit on the decompressed size, in bytes beyond the size of the file; None
            for the environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Raises:
        FileLimitError: The content exceeds the limit; reading stopped there.

    Example:
        >>> import gzip
        >>> with gzip.open("a.gz", "wb") as file:
        ...     _ = file.write(b"hy")
        >>> with gzip.open("a.gz") as file:
        ...     read_expanded(file, "a.gz")
        b'hy'
    """
    limit = expansion_limit(max_expansion)
    stored = local_path(path).stat().st_size
    content = bytearray()
    # Checked block by block while it grows: the size in a gzip trailer is modulo 2**32, and a lie
    # in a bomb.
    while block := source.read(_BLOCK_BYTES):
        content += block
        check_expansion(os.fspath(path), 0, "unpacked content", len(content), stored, limit)
    return bytes(content)
