"""The safetensors format, with MXNet's further content: the graph, order and lists.

A file is ``u64`` length of the header, the header in JSON, and the values, little-endian without
gaps. The header has the dtype, the shape and the offsets of each array by name, and strings under
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
from typing import Any, Literal

import numpy as np

from hy_io._atomic import atomic_write
from hy_io._binary import BinaryReader, allocate, fill, little_endian_view, map_open
from hy_io._errors import ArgumentError
from hy_io._expecting import expecting
from hy_io._ndarray_format import Array
from hy_io._paths import open_file
from hy_io._safetensors_reader import (
    DTYPES,
    Texts,
    check_known,
    decode,
    np_shape_of,
    ordered,
    read_slots,
)
from hy_io._transfer import write_parts
from hy_io.names import dialect_of

__all__ = ["SafetensorsContent", "load_safetensors", "save_safetensors"]

_CODES = {name: code for code, name in DTYPES.items()}


@dataclass(frozen=True, slots=True)
class SafetensorsContent:
    """Content of a safetensors file.

    Args:
        arrays: By name in their order, or a list if they were saved without names.
        symbol: The graph as JSON, if there is one.
        np_shape: True if they come from a file in numpy semantics, None if the file does not say.
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
        np_shape: Whether they come from a file in numpy semantics, if the file is to say so.
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
    # By width, descending: then every array is aligned to its element, whatever the sizes are,
    # since the data begin at a multiple of 8.
    ordered = sorted(named, key=lambda name: -named[name].itemsize)
    if ordered != list(named):
        # Names come back in the caller's order, as MXNet's files have it.
        texts["hy.order"] = json.dumps(list(named))
    header: dict[str, Any] = {"__metadata__": texts}
    end = 0
    for name in ordered:
        array = named[name]
        span = [end, end + array.nbytes]
        code = _CODES[array.dtype.name]
        header[name] = {"dtype": code, "shape": list(array.shape), "data_offsets": span}
        end = span[1]
    head = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    # Spaces after the JSON keep the first byte of the data at a multiple of 8.
    head += b" " * (-len(head) % 8)
    with atomic_write(path, size=8 + len(head) + end) as file:
        values = (little_endian_view(named[name]) for name in ordered)
        write_parts(file, chain([struct.pack("<Q", len(head)) + head], values))


def _numbered(arrays: Sequence[Array]) -> list[tuple[str, Array]]:
    untyped: Any = arrays  # untyped callers pass anything
    if not isinstance(untyped, Sequence) or isinstance(untyped, str | bytes):
        raise ArgumentError(
            "save_safetensors: arrays must be a mapping or a sequence of arrays, "
            f"got {type(untyped).__name__}"
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
        The arrays, the graph, and the other strings. bfloat16 and float8 have the dtypes of
        ``ml_dtypes``, and are float32 where that is not installed.

    Raises:
        FileFormatError: The file is damaged or cut short, or an array has a dtype that is not
            known; `open_safetensors` reads the others.
    """
    with expecting("safetensors", path):
        name = os.fspath(path)
        with open_file(path, buffering=0) as file:
            content = map_open(file, private=copy == "on_write")
            reader = BinaryReader(content, name)
            slots, texts = read_slots(reader)
            # The order of the caller; slots are in the order of the file.
            keys = ordered(reader, slots, texts)
            for slot in slots.values():
                check_known(reader, slot)
            stored = [slot.stored for slot in slots.values()]
            if copy is True and isinstance(content.obj, mmap.mmap):
                offsets = [slot.offset for slot in slots.values()]
                stored = allocate(stored)
                fill(file, name, list(zip(offsets, stored, strict=True)))
            elif copy is True:
                stored = [array.copy() for array in stored]
        pairs = zip(slots.items(), stored, strict=True)
        typed = {key: decode(reader, slot, array) for (key, slot), array in pairs}
        return _content({key: typed[key] for key in keys}, texts)


def _content(arrays: dict[str, Array], texts: Texts) -> SafetensorsContent:
    listed = texts.get("hy.list") == "true"
    return SafetensorsContent(
        list(arrays.values()) if listed else arrays,
        texts.get("hy.symbol"),
        np_shape_of(texts),
        {name: text for name, text in texts.items() if not name.startswith("hy.")},
    )
