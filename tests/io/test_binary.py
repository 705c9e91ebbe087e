"""The reader under every format: nothing is read or allocated beyond the end."""

import os
from pathlib import Path

import numpy as np
import pytest

from hy_io import FileFormatError
from hy_io._binary import I32, U32, U64, BinaryReader, map_file


def test_fields_are_read_in_order() -> None:
    reader = BinaryReader(b"\xfe\xff\xff\xff\xfe\xff\xff\xff\x02" + bytes(7) + b"hy")
    assert reader.unpack(I32, "signed") == (-2,)
    assert reader.unpack(U32, "unsigned") == (2**32 - 2,)
    assert reader.text("name") == "hy"
    reader.finish()


def test_peek_stays_in_place() -> None:
    reader = BinaryReader(b"hy")
    assert reader.peek(5) == b"hy"
    assert reader.offset == 0


def test_short_field_is_refused_by_name() -> None:
    reader = BinaryReader(b"\x00" * 7, "net.params")
    with pytest.raises(
        FileFormatError, match=r"net.params: byte 0: size: expected 8 bytes, found 7"
    ):
        reader.unpack(U64, "size")
    assert reader.offset == 0


def test_array_is_a_view() -> None:
    content = bytearray(b"\x01\x02\x03")
    array = BinaryReader(content).array(np.dtype("u1"), (3,), "values")
    content[0] = 9
    assert array.tolist() == [9, 2, 3]


def test_count_is_bounded_by_what_is_left() -> None:
    content = b"\x03" + bytes(7) + bytes(23)
    assert BinaryReader(content).count("items", 7) == 3
    with pytest.raises(FileFormatError, match="byte 0: items: expected at most 2 in the 23 bytes"):
        BinaryReader(content).count("items", 8)


def test_mapped_file_is_read_only(tmp_path: Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(b"hy")
    view = map_file(path)
    assert view.readonly
    assert bytes(view) == b"hy"


def test_empty_file_and_device_are_read_without_a_map(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert bytes(map_file(path)) == b""
    assert bytes(map_file(os.devnull)) == b""
