"""`RecordFile`: records by number, for many threads at once; and `open_image`."""

import io
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from hy_io import FileFormatError, MXIndexedRecordIO, RecordFile, open_image

MAGIC = b"\x0a\x23\xd7\xce"
RECORDS = [b"", b"one", MAGIC, b"longer" * 999, b"abcd" + MAGIC + b"efgh" + MAGIC, b"end"]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.rec"
    with MXIndexedRecordIO(tmp_path / "a.idx", path, "w") as file:
        for key, record in enumerate(RECORDS):
            file.write_idx(key, record)
    return path


def test_records_are_found_by_their_number(path: Path) -> None:
    file = RecordFile(path)
    assert list(file) == RECORDS
    assert len(file) == len(RECORDS)
    assert file[-1] == b"end"
    assert file[1:5:2] == RECORDS[1:5:2]
    assert file.size == os.path.getsize(path)  # noqa: PTH202
    with pytest.raises(IndexError):
        file[len(RECORDS)]


def test_the_order_of_an_index_is_that_of_the_records(path: Path) -> None:
    lines = path.with_suffix(".idx").read_text("utf-8").splitlines(keepends=True)
    path.with_suffix(".idx").write_text("".join([lines[3], lines[1]]), encoding="utf-8")
    assert list(RecordFile(path, path.with_suffix(".idx"))) == [RECORDS[3], RECORDS[1]]


def test_the_beginning_of_a_record_is_read_alone(path: Path) -> None:
    file = RecordFile(path)
    assert [file.beginning(i, 4) for i in range(4)] == [b"", b"one", b"", b"long"]


def test_threads_read_at_once(path: Path) -> None:
    file = RecordFile(path)
    order = np.random.default_rng(0).integers(0, len(RECORDS), 2000).tolist()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(file.__getitem__, order)) == [RECORDS[i] for i in order]


@pytest.mark.parametrize("length", [4, 11, 41])
def test_a_file_cut_short_is_an_error(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(FileFormatError, match=r"a\.rec: byte"):
        RecordFile(path)


def test_a_closed_file_is_not_read(path: Path) -> None:
    file = RecordFile(path)
    file.close()
    with pytest.raises(ValueError, match="closed"):
        file[0]


@pytest.mark.parametrize(
    ("mode", "found"), [("RGB", "RGB"), ("L", "L"), ("RGBA", "RGBA"), ("I;16", "L")]
)
def test_an_image_is_opened_with_the_channels_asked_for(mode: str, found: str) -> None:
    shape = (4, 5) if len(found) == 1 else (4, 5, len(found))
    array = np.arange(np.prod(shape)).reshape(shape).astype("uint16" if "16" in mode else "uint8")
    content = io.BytesIO()
    Image.fromarray(array).save(content, "PNG")
    assert [open_image(content.getvalue(), color).mode for color in (1, 0, -1)] == [
        "RGB",
        "L",
        found,
    ]
    if mode == "RGB":
        assert_array_equal(np.asarray(open_image(content.getvalue())), array)


def test_what_is_no_image_is_not_opened() -> None:
    with pytest.raises(FileFormatError, match="a whole image"):
        open_image(b"GIF89a")
