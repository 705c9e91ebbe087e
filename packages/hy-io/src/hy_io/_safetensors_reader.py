"""Reader and validator of the header of a safetensors file."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from hy_io._binary import BinaryReader
from hy_io._dtypes import as_dtype, stored_dtype
from hy_io._ndarray_format import Array

DTYPES = {
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
    "F8_E8M0": "float8_e8m0fnu",
    "F8_E4M3FNUZ": "float8_e4m3fnuz",
    "F8_E5M2FNUZ": "float8_e5m2fnuz",
}
_MAX_HEADER_BYTES = 100_000_000  # as the published reader allows
_MAX_AXES = 64  # numpy's limit
Texts = dict[str, str]


@dataclass(frozen=True, slots=True)
class Slot:
    """Entry of one array in a file: a view of its values, whose size was checked, not read yet.

    Args:
        name: Name of the array.
        code: The dtype's name in the file, such as ``"F32"``; it may be unknown here.
        shape: Shape of the array.
        offset: Offset of the values in the file in bytes.
        stored: The values as stored, little-endian; their bytes if the dtype is unknown.
    """

    name: str
    code: str
    shape: tuple[int, ...]
    offset: int
    stored: Array

    @property
    def dtype(self) -> str:
        """Name of the dtype in numpy; the file's own name if the dtype is unknown."""
        return DTYPES.get(self.code, self.code)


def read_slots(reader: BinaryReader) -> tuple[dict[str, Slot], Texts]:
    """Read and check the header; return the entries of arrays, and the metadata.

    Returns:
        The entries by name in the order of the header, and the strings under ``__metadata__``.

    Raises:
        FileFormatError: The header is damaged, or the file is cut short.
    """
    header, texts = _read_header(reader)
    for name, entry in header.items():
        _check_entry(reader, name, entry)
    slots = {}
    start = end = reader.offset
    for name, entry in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
        # Arrays must follow each other without gaps or overlaps, or a file could hide bytes in it,
        # or hold one range as many arrays.
        first, last = entry["data_offsets"]
        if first != end - start:
            expected = f"values from {end - start} on, without gaps"
            raise reader.error(f"data_offsets of {name!r}", expected, f"{first}", offset=end)
        slots[name] = _read_slot(reader, name, entry, last - first)
        end = reader.offset
    reader.finish()
    return {name: slots[name] for name in header}, texts


def _read_slot(reader: BinaryReader, name: str, entry: dict[str, Any], size: int) -> Slot:
    start, code, shape = reader.offset, entry["dtype"], tuple(entry["shape"])
    if code in DTYPES:
        dtype, sizes = stored_dtype(DTYPES[code]), shape
    else:
        # Unknown dtypes are read as bytes, so that the other arrays of the file stay readable.
        dtype, sizes = np.dtype(np.uint8), (max(size, 0),)
    if size != prod(sizes) * dtype.itemsize:
        raise reader.error(
            f"data_offsets of {name!r}",
            f"{prod(shape) * dtype.itemsize} bytes for {code} of shape {shape}"[:120],
            f"{size}",
            offset=start,
        )
    return Slot(
        name, code, shape, offset=start, stored=reader.array(dtype, sizes, f"values of {name!r}")
    )


def _read_header(reader: BinaryReader) -> tuple[dict[str, dict[str, Any]], Texts]:
    size = reader.count("header length", 1)
    if size > _MAX_HEADER_BYTES:
        raise reader.error("header length", f"at most {_MAX_HEADER_BYTES}", f"{size}", offset=0)
    raw = reader.read(size, "header")
    try:
        # JSON lets a key be there twice and Python keeps the last one; readers would disagree on
        # the file.
        header = json.loads(raw.decode(), object_pairs_hook=_reject_duplicates)
    except (ValueError, RecursionError) as error:
        offset = 8 + getattr(error, "pos", getattr(error, "start", 0))
        raise reader.error("header", "JSON", str(error)[:80], offset=offset) from None
    if not isinstance(header, dict):
        raise reader.error("header", "arrays by name", type(header).__name__, offset=8)
    texts = header.pop("__metadata__", {})
    if not isinstance(texts, dict) or not all(isinstance(v, str) for v in texts.values()):
        raise reader.error("__metadata__", "texts by name", repr(texts)[:60], offset=8)
    return header, texts


def _reject_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    unique = dict(pairs)
    if len(unique) < len(pairs):
        raise ValueError("a name is there twice")
    return unique


def _check_entry(reader: BinaryReader, name: str, entry: Any) -> None:
    def is_sizes(value: Any) -> bool:
        # ``type(x) is int``: JSON's true is an int for isinstance.
        return isinstance(value, list) and all(type(x) is int and 0 <= x < 1 << 63 for x in value)

    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        expected = "dtype, shape and data_offsets"
        raise reader.error(f"entry of {name!r}", expected, repr(entry)[:60], offset=8)
    if not is_sizes(entry["shape"]) or len(entry["shape"]) > _MAX_AXES:
        expected = f"at most {_MAX_AXES} sizes of 0 or more"
        raise reader.error(f"shape of {name!r}", expected, repr(entry["shape"])[:60], offset=8)
    if not is_sizes(entry["data_offsets"]) or len(entry["data_offsets"]) != 2:  # noqa: PLR2004
        actual = repr(entry["data_offsets"])[:60]
        raise reader.error(f"data_offsets of {name!r}", "begin and end", actual, offset=8)
    if not isinstance(entry["dtype"], str):
        actual = repr(entry["dtype"])[:60]
        raise reader.error(f"dtype of {name!r}", "the name of a dtype", actual, offset=8)


def check_known(reader: BinaryReader, slot: Slot) -> None:
    """Raise if the dtype of an array is unknown.

    Raises:
        FileFormatError: The dtype is unknown.
    """
    if slot.code not in DTYPES:
        expected, actual = f"one of {', '.join(DTYPES)}", repr(slot.code)[:60]
        remedy = "`hy_io.open_safetensors` reads the other arrays of the file"
        raise reader.error(f"dtype of {slot.name!r}", expected, actual, offset=8, remedy=remedy)


def decode(reader: BinaryReader, slot: Slot, stored: Array) -> Array:
    """Convert the stored values of a slot to an array; `check_known` must have passed.

    Raises:
        FileFormatError: The values are invalid for the dtype.
    """
    return as_dtype(reader, stored, slot.dtype, f"values of {slot.name!r}", slot.offset)


def ordered(reader: BinaryReader, names: Iterable[str], texts: Mapping[str, str]) -> list[str]:
    """Return the names of arrays in the order of the metadata entry ``hy.order``, if present."""
    ordered = list(names)
    text = texts.get("hy.order")
    if text is None:
        # hy writes the order of arrays as a text, since JSON objects have none that readers must
        # keep.
        return ordered
    try:
        order: list[str] = json.loads(text)
        if sorted(order) == sorted(ordered):
            return order
    except (ValueError, TypeError, RecursionError):
        pass
    raise reader.error("hy.order", "the names of all arrays, in JSON", repr(text[:60]), offset=8)


def np_shape_of(texts: Mapping[str, str]) -> bool | None:
    """Return the metadata entry ``hy.np_shape``: numpy semantics or not, None if missing."""
    text = texts.get("hy.np_shape")
    return None if text is None else text == "true"
