"""Reader and writer of safetensors files, with a graph, array order and lists in the metadata.

A file has the length of the header (u64), the header in JSON, and the values, little-endian without
gaps. The header has the dtype, the shape and the offsets of each array by name, and strings under
``__metadata__``. This is an independent implementation of the published specification, with the
same checks, errors and atomic writing as the other formats; the package ``safetensors`` is not
needed, but can read the files.

Entries of ``__metadata__`` with the prefix ``hy.`` hold what the format itself cannot:
``hy.symbol`` is the graph in JSON, ``hy.dialect`` the naming scheme, ``hy.order`` the order of the
arrays (values are sorted by alignment), ``hy.list`` marks arrays without names, and ``hy.np_shape``
numpy semantics.
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
        arrays: Arrays by name in their original order, or a list if they were saved without names.
        symbol: The graph as JSON, if there is one.
        np_shape: Whether the arrays have numpy semantics; None if the file does not say.
        metadata: All other strings under ``__metadata__``, by name.
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
    """Write arrays to a safetensors file, atomically.

    Args:
        path: The file to create or replace.
        arrays: Arrays by name, or without names in order.
        symbol: The graph that the arrays belong to, as JSON.
        np_shape: Whether the arrays have numpy semantics; None to leave it out of the file.
        metadata: Further strings to store, by name.

    Raises:
        TypeError: A value is not a numpy array (convert sparse arrays to dense ones before), or has
            a dtype that the format does not support.
        ValueError: An array is named ``__metadata__``, or a name in ``metadata`` begins with
            ``hy.``.

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
    """Read all arrays and the metadata of a safetensors file.

    Args:
        path: The file.
        copy: True reads the arrays into memory. False returns read-only views of the mapped file,
            which read from the disk on access; ``"on_write"`` returns writable copy-on-write views,
            which do not change the file.

    Returns:
        The arrays, the graph, and the other strings. bfloat16 and float8 have the dtypes of
        ``ml_dtypes``, or are converted to float32 if that is not installed.

    Raises:
        FileFormatError: The file is damaged or cut short, or an array has an unknown dtype;
            `open_safetensors` can read the other arrays.
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
