"""IDX files, as bytes, whole and damaged."""

import gzip
from pathlib import Path

import numpy as np
import pytest

from hy_io import FileFormatError, FileLimitError, load_idx, loads_idx

TWO = bytes([0, 0, 8, 2, 0, 0, 0, 1, 0, 0, 0, 2, 7, 9])


@pytest.mark.parametrize(
    ("code", "dtype"),
    [(8, "u1"), (9, "i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")],
)
def test_every_dtype_is_read(code: int, dtype: str) -> None:
    values = np.arange(6).reshape(2, 3).astype(dtype)
    found = loads_idx(bytes([0, 0, code, 2, 0, 0, 0, 2, 0, 0, 0, 3]) + values.tobytes())
    assert found.dtype == np.dtype(dtype).newbyteorder("=")
    np.testing.assert_array_equal(found, values)


def test_arrays_without_axes_and_without_elements_are_read() -> None:
    assert loads_idx(bytes([0, 0, 8, 0, 5])) == 5
    assert loads_idx(bytes([0, 0, 8, 2, 0, 0, 0, 0, 0, 0, 0, 3])).shape == (0, 3)


def test_a_file_is_read_plain_and_compressed(tmp_path: Path) -> None:
    (tmp_path / "plain").write_bytes(TWO)
    (tmp_path / "packed").write_bytes(gzip.compress(TWO))
    assert load_idx(tmp_path / "plain").tolist() == [[7, 9]]
    assert load_idx(str(tmp_path / "packed"), axes=2).tolist() == [[7, 9]]


@pytest.mark.parametrize("cut", range(len(TWO)))
def test_a_file_that_is_cut_is_refused(cut: int) -> None:
    with pytest.raises(FileFormatError, match="two: byte"):
        loads_idx(TWO[:cut], source="two")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\1" + TWO[1:], "head: expected that of an IDX file, found 01000802"),
        (b"", "head: expected that of an IDX file, found nothing"),
        (bytes([0, 0, 10]) + TWO[3:], "head"),
        (TWO + b"x", r"elements: expected 2 bytes of shape \(1, 2\), found 3 bytes"),
        (bytes([0, 0, 8, 33]) + bytes(4 * 33), "axes: expected at most 32, found 33"),
        (bytes([0, 0, 14, 3]) + b"\xff" * 12, "sizes: expected those of an array"),
        (bytes([0, 0, 8, 3]) + bytes(4) + b"\xff" * 8, "sizes: expected those of an array"),
    ],
)
def test_damage_is_named(content: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=message):
        loads_idx(content)


def test_the_number_of_axes_can_be_asked_for() -> None:
    with pytest.raises(FileFormatError, match="0x0803: unsigned bytes along 3 axes, found 0x0802"):
        loads_idx(TWO, axes=3)


def test_damaged_gzip_is_a_damaged_file(tmp_path: Path) -> None:
    path = tmp_path / "packed"
    whole = gzip.compress(TWO)
    for content in (whole[:-9], whole[:5], whole[:12] + b"\xff" * 9 + whole[21:]):
        path.write_bytes(content)
        with pytest.raises(FileFormatError, match="whole gzip data"):
            load_idx(path)


def test_a_small_file_cannot_ask_for_all_memory(tmp_path: Path) -> None:
    path = tmp_path / "packed"
    path.write_bytes(gzip.compress(bytes(1 << 20)))
    with pytest.raises(FileLimitError):
        load_idx(path, max_expansion=1000)
