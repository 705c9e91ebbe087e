"""Functions that open, read and list files given by a path or a ``file://`` URL.

All readers and writers open files through this module, so that all accept the same paths, and
errors of the system become errors of hy that are also instances of Python's ``FileNotFoundError``
and the like.
"""

import errno
import os
import re
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO, overload

from hy_io._errors import ArgumentError, MissingFileError, access_error

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
# What MXNet's readers of text take after a name: the format, and a file to cache rows in.
_OPTIONS = re.compile(r"[?#][^/]*$")


def local_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the local file that a path or a ``file://`` URL refers to.

    As in MXNet, percent-encoding is not decoded: ``%20`` in a URL stands for these three
    characters.

    Args:
        path: A path, or a URL ``file:///folder/name``, whose host may be ``localhost``.

    Raises:
        ArgumentError: The URL has another scheme or another host.

    Example:
        >>> local_path("file:///data/train.rec").as_posix()
        '/data/train.rec'
    """
    return Path(local_name(path))


def local_name(path: str | os.PathLike[str]) -> str:
    """Return the result of `local_path` as a string, in a tenth of the time."""
    # `Path` and `urlsplit` cost more than opening a small file does.
    name = os.fspath(path)
    match = _SCHEME.match(name)
    # Of two characters or more before ``://``: ``C:/x`` is no scheme.
    if match is None:
        return name
    host, slash, rest = name[match.end() :].partition("/")
    if match[1] == "file" and slash and host in {"", "localhost"}:
        return rest if os.name == "nt" else slash + rest  # C:/folder/name on Windows
    if match[1] == "file":
        raise ArgumentError(
            f"{name}: {host!r} is a host; write file:///folder/name, or a path without file://"
        )
    raise ArgumentError(f"{name}: only local files can be opened; fetch it, and give its path")


class os_errors:  # noqa: N801  # a scope, which is called as contextlib's are
    """Context manager that converts ``OSError`` about files into `FileAccessError`."""

    def __enter__(self) -> None:
        """Enter the scope."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError):
            known = access_error(error)
            if known is not error:
                raise known from None  # it says all that Python's own says


@overload
def open_file(
    path: str | os.PathLike[str], mode: Literal["rb", "wb"] = "rb", **options: Any
) -> BinaryIO: ...
@overload
def open_file(path: str | os.PathLike[str], mode: Literal["r", "w"], **options: Any) -> TextIO: ...
def open_file(path: str | os.PathLike[str], mode: str = "rb", **options: Any) -> Any:
    """Open a file like the builtin `open`, but accept ``file://`` URLs.

    Args:
        path: See `local_path`.
        mode: See `open`.
        options: Further arguments of `open`.

    Raises:
        FileAccessError: The file cannot be opened.
        ArgumentError: See `local_path`.
    """
    try:
        return open(local_name(path), mode, **options)  # noqa: PTH123  # a Path takes four times as long
    except OSError as error:
        known = access_error(error)
        if known is error:
            raise
        raise known from None  # it says all that Python's own says


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file.

    Args:
        path: See `local_path`.

    Raises:
        FileAccessError: The file cannot be read.
        ArgumentError: See `local_path`.
    """
    with os_errors(), open_file(path) as file:
        return file.read()


def list_files(uri: str | os.PathLike[str]) -> list[Path]:
    r"""Return the files that a URI of MXNet's data streams refers to.

    Args:
        uri: Paths or ``file://`` URLs separated by ``;``. A folder stands for the files in it,
            sorted by name. A path that does not exist is a folder and a regular expression for
            names in it. ``?format=csv`` and ``#cache`` at the end of a path are ignored.

    Raises:
        MissingFileError: No file matches one of the paths.
        ArgumentError: See `local_path`.

    Example:
        >>> for name in ("a.csv", "b.csv", "notes.txt"):
        ...     Path(name).touch()
        >>> [path.name for path in list_files(r".*\.csv;notes.txt")]
        ['a.csv', 'b.csv', 'notes.txt']
    """
    whole = local_path(uri)
    # The name is tried as it is, before MXNet's syntax of several files is applied to it.
    if whole.is_file():
        return [whole]
    with os_errors():
        return [file for part in os.fspath(uri).split(";") if part for file in _files_of(part)]


def _files_of(uri: str) -> list[Path]:
    path = local_path(uri)
    if not path.exists():
        # MXNet's readers take ``name?format=csv`` and ``name#cache``.
        path = local_path(_OPTIONS.sub("", uri))
    if path.is_dir():
        return sorted(each for each in path.iterdir() if each.is_file())
    if path.exists():
        return [path]
    files = []
    if path.parent.is_dir():
        try:
            # MXNet's streams take a regular expression as the last component.
            pattern = re.compile(path.name)
        except re.error:
            pattern = re.compile(re.escape(path.name))
        files = sorted(
            each
            for each in path.parent.iterdir()
            if pattern.fullmatch(each.name) and each.is_file()
        )
    if not files:
        raise MissingFileError(errno.ENOENT, os.strerror(errno.ENOENT), uri)
    return files
