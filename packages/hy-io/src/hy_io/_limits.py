"""Limit of how much memory content may take beyond the size of its file, for all readers.

Dense arrays take what the file takes. Sparse arrays, compressed archives and images take more, and
a few bytes of them can ask for more memory than there is. What is read may be larger than the file
by so many bytes: the argument ``max_expansion`` of a reader, or else the environment variable
``HY_MAX_FILE_EXPANSION``, or else `EXPANSION` for arrays and `IMAGE_EXPANSION` for an image.
"""

import os

from hy_io._errors import ArgumentError, FileLimitError

__all__ = [
    "EXPANSION",
    "IMAGE_EXPANSION",
    "IMAGE_RATIO",
    "VARIABLE",
    "check_expansion",
    "expansion_limit",
]

VARIABLE = "HY_MAX_FILE_EXPANSION"
EXPANSION = 1 << 32
"""4 GiB: beyond what compressed and sparse arrays of working models need."""
IMAGE_EXPANSION = 1 << 28
"""256 MiB, or 89 million pixels of three bytes; above that Pillow warns, too."""
IMAGE_RATIO = 64
"""The limit of an image begins at so many times its file: photographs take 5 to 50 times theirs."""


def expansion_limit(requested: int | None = None, default: int = EXPANSION) -> int:
    """Return the number of bytes by which content may exceed its file: the argument or the default.

    Args:
        requested: What the caller asks for; None leaves it to the environment.
        default: The limit if the environment has none.

    Raises:
        ValueError: The limit is negative or no whole number.

    Example:
        >>> expansion_limit(1 << 20)
        1048576
    """
    value: object = os.environ.get(VARIABLE, default) if requested is None else requested
    try:
        limit = int(value)  # type: ignore[call-overload]  # refuses what it cannot take
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
    """Refuse ``size`` bytes of content from a file of ``file_size`` if they exceed the limit.

    Args:
        path: The file, for messages.
        offset: Where the sizes are said in it.
        field: What would be made.
        size: The bytes it would take.
        file_size: The bytes it is made of.
        limit: How many more they may be.
        times: The limit begins at so many times ``file_size``.

    Raises:
        FileLimitError: They are more; the message says what to set.
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
