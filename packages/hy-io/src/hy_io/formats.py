"""Registry of file formats for arrays, detected by content or suffix and extensible.

All code that reads or writes arrays of any format uses it: ``nd.load``, ``load_parameters`` and the
command ``hy-io``. A package adds a format by an entry point of the group ``hy_io.formats`` whose
value is a `Format`, a program by `register_format`. Functions of one format only are in the module
of the format.
"""

import os
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

from hy_io._errors import ArgumentError
from hy_io._format import Contents, Copy, Format
from hy_io._opened import OpenedFile
from hy_io._own_formats import OWN
from hy_io._paths import open_file

__all__ = [
    "Contents",
    "Format",
    "OpenedFile",
    "format_for",
    "format_of",
    "known_formats",
    "load_arrays",
    "register_format",
    "save_arrays",
    "writable_formats",
]

_GROUP = "hy_io.formats"
# 30 bytes of a local header and a name of at most 255.
_HEAD_BYTES = 300  # as far as a file is looked at; a member's name in a ZIP may have 255


_ADDED = {".onnx": "; `pip install 'hy-onnx[onnx]'` adds .onnx"}
"""Hints in errors: how to install the package that adds a suffix."""

# For these endings the packages' formats need not be loaded to know the reader.
_OWN_SUFFIXES = frozenset(suffix for one in OWN for suffix in one.suffixes)

_others: list[Format] = []
_installed: list[str] = []
"""Entry points whose formats have been registered."""


def register_format(added: Format) -> None:
    """Register a format, or replace the registered one of the same name.

    Args:
        added: The format.

    Example:
        >>> register_format(
        ...     Format(
        ...         "raw bytes",
        ...         (".raw",),
        ...         lambda head, suffix: suffix == ".raw",
        ...         lambda path, **_: Contents({"bytes": np.fromfile(path, np.uint8)}),
        ...     )
        ... )
        >>> _ = Path("a.raw").write_bytes(b"hy")
        >>> load_arrays("a.raw").arrays
        {'bytes': array([104, 121], dtype=uint8)}
    """
    # A format that is registered again replaces the old one, so that a cell of a notebook can
    # rerun.
    _others[:] = [one for one in _others if one.name != added.name] + [added]


def known_formats() -> tuple[Format, ...]:
    """Return all registered formats, after loading those of installed packages.

    Raises:
        TypeError: An entry point of the group ``hy_io.formats`` is not a `Format`.
    """
    # Imported here: importlib.metadata takes 20 ms.
    from importlib.metadata import entry_points  # noqa: PLC0415  # 20 ms, for other formats

    for point in entry_points(group=_GROUP):
        if point.value in _installed:
            continue
        form = point.load()
        if not isinstance(form, Format):
            raise TypeError(
                f"entry point {point.name!r} of the group {_GROUP} must be a hy_io.Format, and "
                f"{point.value} is a {type(form).__name__}"
            )
        _installed.append(point.value)
        register_format(form)
    return (*OWN, *_others)


def _formats_to_try(suffix: str) -> Iterator[Format]:
    """Return an iterator over all formats, lazily, in order of detection for a suffix.

    Loading entry points is slow, so hy-io's own formats come first. For a foreign suffix they come
    last: files of other formats may be ZIP archives, which ``npz`` would match.
    """
    return chain(OWN, _added()) if suffix in _OWN_SUFFIXES else chain(_added(), OWN)


def _added() -> Iterator[Format]:
    """Yield the formats that other packages and programs have registered."""
    yield from known_formats()[len(OWN) :]


def format_of(path: str | os.PathLike[str]) -> Format | None:
    """Detect the format of a file by its first bytes, or else by its suffix; None if unknown.

    Raises:
        OSError: The file cannot be read.

    Example:
        >>> from hy_io import save_ndarrays
        >>> save_ndarrays("weights.bin", {"a": np.ones(2)})
        >>> format_of("weights.bin").name
        'params'
    """
    with open_file(path) as file:
        head = file.read(_HEAD_BYTES)
    suffix = os.path.splitext(path)[1].lower()  # noqa: PTH122  # a Path takes four times as long
    # Content before ending: files are renamed more often than they change.
    for one in _formats_to_try(suffix):
        if one.matches(head, suffix):
            return one
    return _with_suffix(suffix)


def _with_suffix(suffix: str) -> Format | None:
    return next((one for one in _formats_to_try(suffix) if suffix in one.suffixes), None)


def format_for(path: str | os.PathLike[str]) -> Format:
    """Return the format for writing a file with the given name, by its suffix.

    Raises:
        ArgumentError: No writable format has the suffix; the message lists the known ones.
    """
    form = _with_suffix(Path(path).suffix.lower())
    if form is None or form.save is None:
        endings = [end for one in known_formats() if one.save is not None for end in one.suffixes]
        more = _ADDED.get(Path(path).suffix.lower(), "")
        raise ArgumentError(
            f"the ending of {os.fspath(path)} must be one of {', '.join(endings)}{more}"
        )
    return form


def load_arrays(
    path: str | os.PathLike[str],
    *,
    copy: Copy = True,
    dense: bool = False,
    max_expansion: int | None = None,
) -> Contents:
    """Read the arrays of a file of any known format.

    Args:
        path: The file.
        copy: True reads the arrays into memory. False returns read-only views of the mapped file
            and ``"on_write"`` writable, copy-on-write views, if the format allows that, or else
            arrays in memory.
        dense: Convert sparse arrays to dense ones.
        max_expansion: Limit on the memory of the arrays, in bytes beyond the size of the file; None
            for the environment variable ``HY_MAX_FILE_EXPANSION``, or else 4 GiB.

    Returns:
        The arrays and, if the format has them, the graph and metadata.

    Raises:
        FileFormatError: The file is damaged or of an unknown format; the message says what it looks
            like.
        FileLimitError: The arrays would take more than ``max_expansion``.
        ArgumentError: The format does not hold arrays, such as record files.
    """
    # A file without a known beginning is read as .params, whose errors name what it is.
    name = os.fspath(path)
    form = format_of(name) or next(one for one in OWN if one.name == "params")
    if form.load is None:
        raise ArgumentError(f"{name} holds {form.name}, no arrays")
    return form.load(name, copy=copy, dense=dense, max_expansion=max_expansion)


def writable_formats() -> dict[str, Format]:
    """Return the formats that can be written, by format name.

    Example:
        >>> {"params", "npz", "mxnet2"} <= writable_formats().keys()
        True
    """
    return {one.name: one for one in known_formats() if one.save is not None}


def save_arrays(
    path: str | os.PathLike[str],
    contents: Contents | Mapping[str, Any],
    *,
    form: Format | None = None,
) -> None:
    """Write arrays atomically, in the format of the file's suffix.

    Args:
        path: The file to create or replace.
        contents: Arrays by name, or a `Contents` with arrays, graph and metadata.
        form: The format, if not that of the suffix.

    Raises:
        ArgumentError: The suffix is unknown, or the format cannot hold arrays without names or
            sparse arrays.
        TypeError: The format does not support the dtype of an array.

    Example:
        >>> save_arrays("net.npz", {"weight": np.ones(2)})
        >>> load_arrays("net.npz").arrays
        {'weight': array([1., 1.])}
    """
    target = format_for(path) if form is None else form
    packed = contents if isinstance(contents, Contents) else Contents(contents)
    _check_writable(target, os.fspath(path), packed)
    assert target.save is not None
    target.save(os.fspath(path), packed)


def _check_writable(form: Format, path: str, contents: Contents) -> None:
    """Raise if the format cannot hold the contents.

    Raises:
        ArgumentError: The format cannot hold arrays without names, or sparse arrays.
    """
    arrays = contents.arrays
    if not isinstance(arrays, Mapping) and not form.has_lists:
        raise ArgumentError(f"{path}: the arrays have no names, which {form.name} files need")
    pairs = arrays.items() if isinstance(arrays, Mapping) else enumerate(arrays)
    for name, array in [] if form.has_sparse else pairs:
        if hasattr(array, "to_dense"):
            raise ArgumentError(
                f"{path}: array {name!r} is sparse, which only .params files hold; load it and "
                "call to_dense()"
            )
