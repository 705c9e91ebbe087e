"""Limit on the memory of decoded content beyond the size of its file, for all readers.

Dense arrays take as much memory as their file. Sparse arrays made dense, compressed archives and
images take more, and a few bytes of a file can request more memory than there is. The limit is a
number of bytes beyond the size of the file: the argument ``max_expansion`` of a reader, or else the
environment variable ``HY_MAX_FILE_EXPANSION``, or else `EXPANSION` for arrays and `IMAGE_EXPANSION`
for an image.
"""

import os
from typing import Any

from hy_io._errors import ArgumentError, FileLimitError

VARIABLE = "HY_MAX_FILE_EXPANSION"
EXPANSION = 1 << 32
"""Default for arrays, 4 GiB: more than compressed and sparse arrays of real models need."""
IMAGE_EXPANSION = 1 << 28
"""Default for an image: 256 MiB, or 89 million pixels of three bytes, where Pillow warns, too."""
IMAGE_RATIO = 64
"""Expansion of an image that is always allowed: photographs take 5 to 50 times their file."""


def expansion_limit(requested: int | None = None, default: int = EXPANSION) -> int:
    """Return the limit in bytes: the argument, the environment variable, or the default.

    Args:
        requested: The limit that the caller passed; None for that of the environment.
        default: The limit if the environment variable is not set.

    Raises:
        ValueError: The limit is negative or not an integer.

    Example:
        >>> expansion_limit(1 << 20)
        1048576
    """
    value: Any = os.environ.get(VARIABLE, default) if requested is None else requested
    try:
        limit = int(value)
    except (TypeError, ValueError):
        limit = -1
    if limit < 0:
        name = VARIABLE if requested is None else "max_expansion"
        raise ArgumentError(f"{name} must be a whole number of bytes, 0 or more, got {value!r}")
    return int(limit)


def check_expansion(
    path: str | None,
    offset: int,
    field: str,
    size: int,
    file_size: int,
    limit: int,
    times: int = 1,
) -> None:
    """Raise if ``size`` bytes of decoded content exceed ``times * file_size + limit``.

    Args:
        path: The file, for messages.
        offset: Offset of the field that states the size, for messages.
        field: Name of the content, for messages.
        size: Size of the decoded content in bytes.
        file_size: Size of the encoded content in bytes.
        limit: Permitted excess in bytes, from `expansion_limit`.
        times: Expansion factor that is allowed without counting against the limit.

    Raises:
        FileLimitError: The content is larger; the message says which limit to set.
    """
    # Only what exceeds the stored bytes counts, so a large file is not refused for being large.
    free = times * file_size
    if size - free > limit:
        stored = f"the {file_size}" if times == 1 else f"{times} times the {file_size}"
        raise FileLimitError(
            path,
            offset,
            field,
            expected=f"at most {limit} bytes more than {stored} it is stored in",
            found=f"{size} bytes",
            remedy=f"if the file is to be trusted, set {VARIABLE}={size - free} in the "
            "environment, or pass max_expansion to a reader of hy_io",
        )
