"""Protobuf's wire format: splits a mapped ONNX file into a small message and its weights.

A protobuf message is a sequence of fields: a tag with the field's number and wire type, then the
value (https://protobuf.dev/programming-guides/encoding).
"""

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["GRAPH", "INITIALIZER", "RAW_DATA", "Split", "length", "split"]

GRAPH, INITIALIZER, RAW_DATA = 7, 5, 9
"""Field numbers in ModelProto, GraphProto and TensorProto."""
_DATA_LOCATION, _EXTERNAL = 14, 1
"""TensorProto's field ``data_location``, and its value for external data."""
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED_BYTES = {_FIXED64: 8, _FIXED32: 4}
_MAX_VARINT_BYTES = 10  # bytes of a varint,
_MORE = 0x80  # which this bit of a byte says are not at their end


class Split(NamedTuple):
    """A model's message without large initializers, and these initializers."""

    model: bytes
    """The message without large initializers."""
    tensors: list[tuple[bytes, memoryview]]
    """For each large initializer its message without values, and a view of the values."""


class _Field(NamedTuple):
    number: int
    start: int
    """Offset of the tag."""
    first: int
    """Offset of the value, after its length."""
    end: int


def split(data: memoryview, min_bytes: int) -> Split:
    """Split off the initializers of at least ``min_bytes`` bytes from a model's message.

    Raises:
        ValueError: The bytes are not a protobuf message.
    """
    model, graph = bytearray(), bytearray()
    tensors: list[tuple[bytes, memoryview]] = []
    has_graph = False
    for field in _fields(data, 0, len(data)):
        if field.number != GRAPH:
            model += data[field.start : field.end]
            continue
        has_graph = True
        for inner in _fields(data, field.first, field.end):
            large = _large(data, inner, min_bytes) if inner.number == INITIALIZER else None
            if large is None:
                graph += data[inner.start : inner.end]
            else:
                tensors.append(large)
    if has_graph:
        model += length(GRAPH, len(graph)) + graph
    return Split(bytes(model), tensors)


def _large(data: memoryview, tensor: _Field, min_bytes: int) -> tuple[bytes, memoryview] | None:
    """Return message and values of a tensor with large raw data, None for other tensors."""
    values, rest = data[:0], bytearray()
    for field in _fields(data, tensor.first, tensor.end):
        if field.number == RAW_DATA:
            values = data[field.first : field.end]
            continue
        external = field.number == _DATA_LOCATION and data[field.first] == _EXTERNAL
        if (
            external or field.end - field.start > min_bytes
        ):  # the values are not, or not only, these
            return None
        rest += data[field.start : field.end]
    return None if len(values) < max(min_bytes, 1) else (bytes(rest), values)


def _fields(data: memoryview, start: int, end: int) -> Iterator[_Field]:
    while start < end:
        tag, first = _varint(data, start, end)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            _, stop = _varint(data, first, end)
        elif kind == _BYTES:
            size, first = _varint(data, first, end)
            stop = first + size
        elif kind in _FIXED_BYTES:
            stop = first + _FIXED_BYTES[kind]
        else:
            raise ValueError(f"a field of kind {kind} at byte {start}")
        if stop > end:
            raise ValueError(f"the field at byte {start} is cut off")
        yield _Field(number, start, first, stop)
        start = stop


def _varint(data: memoryview, start: int, end: int) -> tuple[int, int]:
    """Decode a variable-length integer; return it, and the offset after it."""
    value = 0
    for k, byte in enumerate(data[start : min(end, start + _MAX_VARINT_BYTES)]):
        # Seven bits a byte, the lowest first; the highest bit says that more follow.
        value |= (byte & 0x7F) << (7 * k)
        if not byte & _MORE:
            return value, start + k + 1
    raise ValueError(f"the number at byte {start} is cut off")


def length(field: int, size: int) -> bytes:
    """Encode the tag and length of field number ``field`` with a value of ``size`` bytes."""
    # A field's tag: its number, and 2 for "length follows".
    begin = [field << 3 | _BYTES]
    while size >> 7:
        begin.append(size & 0x7F | 0x80)
        size >>= 7
    return bytes([*begin, size])
