"""The safetensors format, with what MXNet's files say beyond names: the graph, order and lists.

A file is ``u64`` length of the header, the header in JSON, and the values, little-endian without
gaps. The header has the dtype, the shape and the place of each array by name, and strings under
``__metadata__``. It is read and written here, by the published description, with the checks, the
messages and the single step of replacement of every other format; the package ``safetensors`` is
not needed, and reads what is written here.

Texts under ``__metadata__`` that begin with ``hy.`` keep the rest: ``hy.symbol`` is the graph in
JSON, ``hy.dialect`` the dialect of the names, ``hy.order`` the order of the arrays (values lie in
the order of their alignment), ``hy.list`` marks arrays without names, and ``hy.np_shape`` numpy
semantics.
"""

import json
import mmap
import os
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from math import prod
from typing import Any, Literal

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._binary import BinaryReader, allocate, fill, map_open
from hy_io._dtypes import as_dtype, check_dtype, stored_dtype
from hy_io._errors import ArgumentError
from hy_io._expecting import expecting
from hy_io._ndarray_format import Array
from hy_io._paths import open_file
from hy_io._transfer import write_parts
from hy_io.names import dialect_of

__all__ = ["SafetensorsContent", "load_safetensors", "save_safetensors"]

_DTYPES = {
    "BOOL": "bool",
    "U8": "uint8",
    "I8": "int8",
    "U16": "uint16",
    "I16": "int16",
    "F16": "float16",
    "BF16": "bfloat16",
    "U32": "uint32",
    "I32": "int32",
    "F32": "float32",
    "U64": "uint64",
    "I64": "int64",
    "F64": "float64",
    "C64": "complex64",
    "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2",
}
_CODES = {name: code for code, name in _DTYPES.items()}
_MOST_HEADER = 100_000_000  # bytes, as the published reader allows


@dataclass(frozen=True, slots=True)
class SafetensorsContent:
    """What a safetensors file holds.

    Args:
        arrays: By name in their order, or a list if they were saved without names.
        symbol: The graph as JSON, if there is one.
        np_shape: True if they come from a file in numpy semantics, None if that is not told.
        metadata: Every other text of the file.
    """

    arrays: dict[str, Array] | list[Array]
    symbol: str | None = None
    np_shape: bool | None = None
    metadata: dict[str, str] = field(default_factory=dict)


def save_safetensors(
    path: str | os.PathLike[str],
    arrays: Mapping[str, Array] | Sequence[Array],
    *,
    symbol: str | None = None,
    np_shape: bool | None = None,
    metadata: Mapping[str, str] | None = None,
) -> None:
    """Write arrays as safetensors, in one step: a crash leaves the old file or the new one.

    Args:
        path: The file to make or to replace.
        arrays: Arrays by name, or without names in order.
        symbol: The graph they belong to, as JSON.
        np_shape: Whether they come from a file in numpy semantics, if that is to be told.
        metadata: Other strings to keep.

    Raises:
        TypeError: Something is no numpy array (make sparse ones dense before), or has a dtype
            that the format has not.
        ValueError: A name is ``__metadata__``, or a text's name begins with ``hy.``.

    Example:
        >>> save_safetensors("net.safetensors", {"b": np.arange(2), "a": np.zeros(1, np.uint8)})
        >>> load_safetensors("net.safetensors").arrays
        {'b': array([0, 1]), 'a': array([0], dtype=uint8)}
    """
    named = dict(arrays) if isinstance(arrays, Mapping) else dict(_numbered(arrays))
    for name, array in named.items():
        _check_writable(name, array)
    texts = dict(metadata or {})
    _check_texts(texts)
    texts |= {"format": texts.get("format", "np")}
    texts |= _texts(named, listed=not isinstance(arrays, Mapping), np_shape=np_shape)
    if symbol is not None:
        texts["hy.symbol"] = symbol
    placed = sorted(named, key=lambda name: -named[name].itemsize)  # wide ones first: all aligned
    if placed != list(named):
        texts["hy.order"] = json.dumps(list(named))
    header: dict[str, Any] = {"__metadata__": texts}
    end = 0
    for name in placed:
        array = named[name]
        place = [end, end + array.nbytes]
        code = _CODES[array.dtype.name]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": place}
        end = place[1]
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    with atomic_write(path, size=8 + len(head) + end) as file:
        values = (_values(named[name]) for name in placed)
        write_parts(file, chain([struct.pack("<Q", len(head)) + head], values))


def _values(array: Array) -> memoryview:
    little = np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8).data


def _numbered(arrays: Sequence[Array]) -> list[tuple[str, Array]]:
    given: Any = arrays  # untyped callers pass anything
    if not isinstance(given, Sequence) or isinstance(given, str | bytes):
        raise ArgumentError(
            "save_safetensors: arrays must be a mapping or a sequence of arrays, "
            f"got {type(given).__name__}"
        )
    return [(str(index), array) for index, array in enumerate(arrays)]


def _check_writable(name: Any, array: Any) -> None:
    if not isinstance(name, str) or not isinstance(array, np.ndarray):
        raise ArgumentError(
            f"save_safetensors: {name!r} must be the name of a numpy array, got "
            f"{type(array).__name__}; make a sparse array dense with to_dense()"
        )
    if array.dtype.name not in _CODES:
        raise ArgumentError(
            f"save_safetensors: array {name!r} has dtype {array.dtype}, which the format cannot "
            f"hold; it holds {', '.join(_CODES)}"
        )
    if name == "__metadata__":
        raise ArgumentError("save_safetensors: no array can be called '__metadata__'")


def _check_texts(texts: Mapping[Any, Any]) -> None:
    for name, text in texts.items():
        if not isinstance(name, str) or not isinstance(text, str):
            raise ArgumentError(
                f"save_safetensors: metadata must be strings, got {name!r}: {text!r}"
            )
        if name.startswith("hy."):
            raise ArgumentError(f"save_safetensors: metadata {name!r}: 'hy.' begins hy's own names")


def _texts(named: Mapping[str, Array], *, listed: bool, np_shape: bool | None) -> dict[str, str]:
    texts = {} if np_shape is None else {"hy.np_shape": str(np_shape).lower()}
    if listed:
        return texts | {"hy.list": "true"}
    try:
        return texts | {"hy.dialect": dialect_of(named)}
    except ValueError:  # a mixture is no dialect
        return texts


def load_safetensors(
    path: str | os.PathLike[str], *, copy: bool | Literal["on_write"] = True
) -> SafetensorsContent:
    """Read a safetensors file.

    Args:
        path: The file.
        copy: True gives arrays of their own. False gives read-only views of the mapped file,
            which read from the disk what is used; ``"on_write"`` such views that can be written,
            which copies their pages and leaves the file as it is.

    Returns:
        The arrays, the graph, and the other strings.

    Raises:
        FileFormatError: The file is damaged or cut short, or has a dtype for which ``ml_dtypes``
            is needed and not installed.
    """
    with expecting("safetensors", path):
        name = os.fspath(path)
        with open_file(path, buffering=0) as file:
            content = map_open(file, private=copy == "on_write")
            reader = BinaryReader(content, name)
            header, texts = _read_header(reader)
            views = _read_views(reader, header)
            if copy is True and isinstance(content.obj, mmap.mmap):
                arrays = dict(zip(views, allocate(list(views.values())), strict=True))
                fill(file, name, [(place, arrays[key]) for key, place in _places(header, reader)])
            else:
                arrays = {
                    key: np.array(view) if copy is True else view for key, view in views.items()
                }
        typed = {
            key: as_dtype(reader, array, _DTYPES[header[key]["dtype"]], f"values of {key!r}", place)
            for (key, array), (_, place) in zip(
                arrays.items(), _places(header, reader), strict=True
            )
        }
        return _content(reader, typed, texts)


Header = dict[str, dict[str, Any]]


def _read_header(reader: BinaryReader) -> tuple[Header, dict[str, str]]:
    size = reader.count("header length", 1)
    if size > _MOST_HEADER:
        raise reader.error("header length", f"at most {_MOST_HEADER}", f"{size}", offset=0)
    raw = reader.read(size, "header")
    try:
        header = json.loads(raw.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        offset = 8 + getattr(error, "pos", getattr(error, "start", 0))
        raise reader.error("header", "JSON", str(error)[:80], offset=offset) from None
    if not isinstance(header, dict):
        raise reader.error("header", "arrays by name", type(header).__name__, offset=8)
    texts = header.pop("__metadata__", {})
    if not isinstance(texts, dict) or not all(isinstance(v, str) for v in texts.values()):
        raise reader.error("__metadata__", "texts by name", repr(texts)[:60], offset=8)
    return header, texts


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a name is there twice")
    return made


def _read_views(reader: BinaryReader, header: Header) -> dict[str, Array]:
    """Check every entry, and give the values as they lie in the file."""
    for name, entry in header.items():
        _check_entry(reader, name, entry)
    views = {}
    start = end = reader.offset
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        first, last = entry["data_offsets"]
        if first != end - start:
            expected = f"values from {end - start} on, without gaps"
            raise reader.error(f"data_offsets of {name!r}", expected, f"{first}", offset=end)
        itemsize = stored_dtype(_DTYPES[entry["dtype"]]).itemsize
        shape = tuple(entry["shape"])
        if last - first != prod(shape) * itemsize:
            raise reader.error(
                f"data_offsets of {name!r}",
                f"{prod(shape) * itemsize} bytes for {entry['dtype']} of shape {shape}"[:120],
                f"{last - first}",
                offset=end,
            )
        views[name] = reader.array(
            stored_dtype(_DTYPES[entry["dtype"]]), shape, f"values of {name!r}"
        )
        end = reader.offset
    reader.finish()
    return {name: views[name] for name in header}


def _check_entry(reader: BinaryReader, name: str, entry: Any) -> None:
    def is_sizes(value: Any) -> bool:
        return isinstance(value, list) and all(type(x) is int and 0 <= x < 1 << 63 for x in value)

    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        expected = "dtype, shape and data_offsets"
        raise reader.error(f"entry of {name!r}", expected, repr(entry)[:60], offset=8)
    if not is_sizes(entry["shape"]) or len(entry["shape"]) > _MOST_AXES:
        expected = f"at most {_MOST_AXES} sizes of 0 or more"
        raise reader.error(f"shape of {name!r}", expected, repr(entry["shape"])[:60], offset=8)
    if not is_sizes(entry["data_offsets"]) or len(entry["data_offsets"]) != 2:  # noqa: PLR2004
        found = repr(entry["data_offsets"])[:60]
        raise reader.error(f"data_offsets of {name!r}", "begin and end", found, offset=8)
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in _DTYPES:
        expected, found = f"one of {', '.join(_DTYPES)}", repr(entry["dtype"])[:60]
        raise reader.error(f"dtype of {name!r}", expected, found, offset=8)
    check_dtype(reader, _DTYPES[entry["dtype"]], f"dtype of {name!r}", 8)


_MOST_AXES = 64  # numpy's limit


def _places(header: Header, reader: BinaryReader) -> list[tuple[str, int]]:
    start = reader.offset - max((e["data_offsets"][1] for e in header.values()), default=0)
    return [(name, start + entry["data_offsets"][0]) for name, entry in header.items()]


def _content(
    reader: BinaryReader, arrays: dict[str, Array], texts: dict[str, str]
) -> SafetensorsContent:
    own = {name: text for name, text in texts.items() if name.startswith("hy.")}
    others = {name: text for name, text in texts.items() if name not in own}
    if "hy.order" in own:
        arrays = _ordered(reader, arrays, own["hy.order"])
    listed = own.get("hy.list") == "true"
    told = own.get("hy.np_shape")
    return SafetensorsContent(
        list(arrays.values()) if listed else arrays,
        own.get("hy.symbol"),
        None if told is None else told == "true",
        others,
    )


def _ordered(reader: BinaryReader, arrays: dict[str, Array], text: str) -> dict[str, Array]:
    try:
        order = json.loads(text)
        if sorted(order) == sorted(arrays):
            return {name: arrays[name] for name in order}
    except (ValueError, TypeError, RecursionError):
        pass
    raise reader.error("hy.order", "the names of all arrays, in JSON", repr(text[:60]), offset=8)
