"""The base class of hy's exceptions, and exceptions about files.

`HyError` is defined here because this package is the lowest that raises it: ``hy_ndarray`` derives
its errors from it, and ``mxnet.MXNetError`` is an alias, so that one ``except`` clause catches the
errors of operators and of files.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any


class HyError(RuntimeError):
    """Base of every error hy raises on purpose; ``mxnet.MXNetError`` is its alias."""


# All of Python's classes that MXNet raises for arguments, so that handlers of either kind work.
class ArgumentError(HyError, TypeError, ValueError, AssertionError):
    """Unknown, missing or malformed arguments; both a `TypeError` and a `ValueError`."""


class FileAccessError(OSError, HyError):
    """The system refuses to open, read or write a file; has ``errno`` and ``filename``.

    Example:
        >>> from hy_io import load_ndarrays
        >>> try:
        ...     load_ndarrays("missing.params")
        ... except HyError as error:
        ...     print(type(error).__name__, isinstance(error, FileNotFoundError), error)
        MissingFileError True [Errno 2] No such file or directory: 'missing.params'
    """


class MissingFileError(FileAccessError, FileNotFoundError):
    """There is no such file."""


class FolderError(FileAccessError, IsADirectoryError):
    """The path is a folder, and a file is needed."""


class NoFolderError(FileAccessError, NotADirectoryError):
    """The path is a file, and a folder is needed."""


class FilePermissionError(FileAccessError, PermissionError):
    """The user lacks the permission to open a file."""


_REFUSALS: tuple[type[FileAccessError], ...] = (
    MissingFileError,
    FolderError,
    NoFolderError,
    FilePermissionError,
)


def access_error(error: OSError) -> OSError:
    """Return the `FileAccessError` that corresponds to an ``OSError``, with the same message.

    It is also an instance of the builtin class, such as ``FileNotFoundError``. Other errors, such
    as those of sockets and archives, are returned unchanged.
    """
    # Chosen by the builtin class, which comes last among the bases.
    kinds = {kind.__bases__[-1]: kind for kind in _REFUSALS} | {OSError: FileAccessError}
    kind = kinds.get(type(error))
    if kind is None:
        return error
    return kind(*error.args) if error.filename is None else kind(*error.args, error.filename)


class FileFormatError(HyError, ValueError):
    """A file is damaged, cut short, or not of the format it was opened as.

    Args:
        path: The file; None if the bytes came from memory.
        offset: Offset of the invalid field, in bytes from the start of the file.
        field: Name of the invalid field.
        expected: Description of valid values.
        found: Text of the actual value.
        remedy: Advice to the user, None if there is none.

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
        return partial(type(self), *self._arguments(self.path)), (), self.__dict__

    def _arguments(self, path: str | None) -> tuple[Any, ...]:
        return path, self.offset, self.field, self.expected, self.found, self.remedy


class FileLimitError(FileFormatError):
    """The content of a file, which may be undamaged, would take more memory than the limit.

    The limit is the argument ``max_expansion`` of the reader, or else the environment variable
    ``HY_MAX_FILE_EXPANSION``, in bytes beyond the size of the file.
    """


@contextmanager
def named_source(name: str) -> Iterator[None]:
    """Context manager that adds the name of their source to errors about bytes in memory.

    Args:
        name: A file, or a part of a file, such as ``train.rec: record 7 at byte 4096``.

    Raises:
        FileFormatError: A `FileFormatError` was raised inside; the new one has the name, and the
            original as its cause.

    Example:
        >>> import hy_io
        >>> with named_source("weights"):  # doctest: +ELLIPSIS
        ...     hy_io.loads_ndarrays(b"")
        Traceback (most recent call last):
        hy_io._errors.FileFormatError: weights: byte 0: format: expected arrays of MXNet ...
    """
    try:
        yield
    except FileFormatError as error:
        if error.path is not None:
            raise
        # A new error, since the message was put together without the name.
        named = type(error)(*error._arguments(name))
        named.__notes__ = getattr(error, "__notes__", [])
        raise named from error
