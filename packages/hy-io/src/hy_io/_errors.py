"""The exceptions that readers raise for files they cannot accept."""

from functools import partial
from typing import Any

__all__ = ["FileFormatError", "FileLimitError"]


class FileFormatError(ValueError):
    """A file is damaged, cut short, or not of the format it was opened as.

    Args:
        path: The file, or None where the bytes came from memory.
        offset: Position of the refused field, in bytes from the start.
        field: The refused field.
        expected: What the format allows there.
        found: What is there.
        remedy: What the reader of the message can do about it, if anything is known.

    Example:
        >>> raise FileFormatError("net.params", 8, "array count", "at most 3", "70")
        Traceback (most recent call last):
        hy_io._errors.FileFormatError: net.params: byte 8: array count: expected at most 3, found 70
    """

    def __init__(
        self,
        path: str | None,
        offset: int,
        field: str,
        expected: str,
        found: str,
        remedy: str | None = None,
    ) -> None:
        where = "<bytes>" if path is None else path
        message = f"{where}: byte {offset}: {field}: expected {expected}, found {found}"
        super().__init__(message if remedy is None else f"{message}; {remedy}")
        self.path = path
        self.offset = offset
        self.field = field
        self.expected = expected
        self.found = found
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        # Exceptions are rebuilt from their message alone, and so could not leave a worker process.
        arguments = (self.path, self.offset, self.field, self.expected, self.found, self.remedy)
        return partial(type(self), *arguments), (), self.__dict__


class FileLimitError(FileFormatError):
    """What a file holds would take more memory than the limit; the file may be whole.

    The limit is the argument ``max_expansion`` of the reader, or else the environment variable
    ``HY_MAX_FILE_EXPANSION``, in bytes beyond the size of the file.
    """
