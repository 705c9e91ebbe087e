"""The registry of array file formats: detected by content or suffix, extensible.

Everything that reads or writes arrays of any format asks here: ``nd.load``, ``load_parameters``,
the commands. A package adds formats of its own by an entry point of the group ``hy_io.formats``
whose value is a `Format`, or a program by `register_format`. What belongs to one format alone, such
as reading single arrays, is in the modules of the formats.
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
"""Which package adds an ending that users expect."""

# For these endings the packages' formats need not be loaded to know the reader.
_OWN_SUFFIXES = frozenset(suffix for one in OWN for suffix in one.suffixes)

_others: list[Format] = []
_installed: list[str] = []
"""Entry points that are among the others."""


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
    """Return all formats, including those of installed packages.

    Raises:
        TypeError: An entry point of the group ``hy_io.formats`` is no `Format`.
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
    """Return the formats in the order to try; loading entry points is slow and rarely needed.

    Others come first where the ending is none of hy's: their files may be ZIP archives, too.
    """
    return chain(OWN, _added()) if suffix in _OWN_SUFFIXES else chain(_added(), OWN)


def _added() -> Iterator[Format]:
    """Return the formats that packages and programs registered."""
    yield from known_formats()[len(OWN) :]


def format_of(path: str | os.PathLike[str]) -> Format | None:
    """Return the format of a file, by its first bytes, or else by its ending; None if it has none.

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
    """Return the format to write a file in, by its suffix.

    Raises:
        ArgumentError: No format that can be written has it; lists the endings that there are.
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
    """Read the arrays of a file of any format.

    Args:
        path: The file.
        copy: True gives arrays in memory, False read-only views of the mapped file where its format
            allows them, and ``"on_write"`` such views that can be written, or else arrays in
            memory.
        dense: Make sparse arrays dense.
        max_expansion: How many bytes more than the file the arrays may take; None takes
            ``HY_MAX_FILE_EXPANSION`` of the environment, or 4 GiB.

    Returns:
        The arrays, and what else the file holds.

    Raises:
        FileFormatError: The file is damaged, or of no known format; a file of which nothing is
            known is read as one of MXNet's, and the message says what it looks like.
        FileLimitError: The arrays would take more than ``max_expansion``.
        ArgumentError: Its format has no arrays, as that of records.
    """
    # A file without a known beginning is read as .params, whose errors name what it is.
    name = os.fspath(path)
    form = format_of(name) or next(one for one in OWN if one.name == "params")
    if form.load is None:
        raise ArgumentError(f"{name} holds {form.name}, no arrays")
    return form.load(name, copy=copy, dense=dense, max_expansion=max_expansion)


def writable_formats() -> dict[str, Format]:
    """Return the formats that can be written, by name.

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
    """Write arrays in the format that the ending of the file asks for, in one step.

    Args:
        path: The file to make or to replace.
        contents: Arrays by name, or all that a file is to hold.
        form: Another format than that of the ending.

    Raises:
        ArgumentError: The ending is not known, or the format holds no arrays without names, or no
            sparse ones.
        TypeError: The format has not the dtype of an array.

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
    """Refuse what a format cannot hold.

    Raises:
        ArgumentError: It has no arrays without names, or no sparse ones.
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
