"""Images in records: as MXNet packs and unpacks them with OpenCV."""

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from PIL import Image

from hy_io import (
    ArgumentError,
    FileFormatError,
    IRHeader,
    MXIndexedRecordIO,
    pack,
    pack_img,
    unpack,
    unpack_img,
)

DATA = Path(__file__).parent / "data" / "recordio"
ROWS: list[dict[str, Any]] = json.loads((DATA / "records.json").read_text())["indexed"]
HEADER = IRHeader(0, 1.0, 2, 3)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['key']}{row['format']}")
def test_images_of_mxnet_are_decoded_and_encoded_alike(row: dict[str, Any]) -> None:
    index = row["key"] - 10
    with (
        np.load(DATA / "indexed.npz") as images,
        MXIndexedRecordIO(DATA / "indexed.idx", DATA / "indexed.rec", "r") as file,
    ):
        record = file.read_idx(row["key"])
        header, image = unpack_img(record)
        assert_array_equal(image, images[f"decoded_bgr{index}"])
        assert np.ravel(header.label).tolist() == np.ravel(row["label"]).tolist()
        assert (header.flag, header.id, header.id2) == (row["flag"], row["id"], row["id2"])
        written = images[f"written{index}"]
    if row["format"] == ".jpg":  # png is the same image, but compressed by another library
        assert pack_img(header, written) == record
    again = pack_img(header, written, quality=9, img_fmt=".png")
    assert_array_equal(unpack_img(again)[1], written)


@pytest.mark.parametrize(
    ("shape", "dtype", "iscolor", "result"),
    [
        ((7, 5), np.uint8, -1, (7, 5)),
        ((7, 5), np.uint16, -1, (7, 5)),
        ((7, 5), np.uint16, 0, (7, 5)),
        ((7, 5), np.uint16, 1, (7, 5, 3)),
        ((7, 5, 1), np.uint8, 1, (7, 5, 3)),
        ((7, 5, 3), np.uint8, 0, (7, 5)),
        ((7, 5, 4), np.uint8, -1, (7, 5, 4)),
        ((7, 5, 4), np.uint8, 1, (7, 5, 3)),
    ],
)
def test_channels_asked_for(
    rng: np.random.Generator,
    shape: tuple[int, ...],
    dtype: type,
    iscolor: int,
    result: tuple[int, ...],
) -> None:
    image = rng.integers(0, np.iinfo(dtype).max, shape, dtype)
    _, loaded = unpack_img(pack_img(HEADER, image, 9, ".png"), iscolor)
    assert loaded.shape == result
    if loaded.shape == image.shape and loaded.dtype == image.dtype:
        assert_array_equal(loaded, image)


@pytest.mark.parametrize(
    ("iscolor", "grey", "color"),
    [
        (2, ("uint16", (2, 3)), (2, 3)),
        (3, ("uint16", (2, 3, 3)), (2, 3, 3)),
        (4, ("uint8", (2, 3)), (2, 3, 3)),
        (5, ("uint8", (2, 3, 3)), (2, 3, 3)),
        (6, ("uint16", (2, 3)), (2, 3, 3)),
        (128, ("uint8", (2, 3)), (2, 3)),
        (129, ("uint8", (2, 3, 3)), (2, 3, 3)),
        (-5, ("uint16", (2, 3)), (2, 3, 4)),
    ],
)
def test_flags_of_opencv(
    iscolor: int, grey: tuple[str, tuple[int, ...]], color: tuple[int, ...]
) -> None:
    deep = np.arange(6, dtype=np.uint16).reshape(2, 3) * 3000
    loaded = unpack_img(pack_img(HEADER, deep, 9, ".png"), iscolor)[1]
    assert (loaded.dtype.name, loaded.shape) == grey
    # 16 bits are cut to the upper ones: 12000 becomes 46, as in MXNet with OpenCV 4.8.
    assert loaded[1, 1].max() == (12000 if grey[0] == "uint16" else 46)
    with_alpha = np.arange(24, dtype=np.uint8).reshape(2, 3, 4)
    loaded = unpack_img(pack_img(HEADER, with_alpha, 9, ".png"), iscolor)[1]
    assert (loaded.dtype.name, loaded.shape) == ("uint8", color)


def test_a_picture_stays_turned_where_the_flag_says_so() -> None:
    target = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (4, 3)).save(target, "JPEG", exif=exif)
    record = pack(HEADER, target.getvalue())
    assert [unpack_img(record, flags)[1].shape for flags in (2, 4, 128, 129)] == [
        (4, 3),
        (4, 3, 3),
        (3, 4),
        (3, 4, 3),
    ]


@pytest.mark.parametrize("iscolor", [8, 16, 33, 65])
def test_flags_that_pillow_cannot_follow_are_refused(iscolor: int) -> None:
    record = pack_img(HEADER, np.zeros((2, 2), np.uint8), 9, ".png")
    with pytest.raises(ArgumentError, match=f"iscolor={iscolor}: flags 8 .GDAL. and 16, 32, 64"):
        unpack_img(record, iscolor)


@pytest.mark.parametrize("ending", [".png", ".tiff"])
def test_16_bits_are_kept_in_grey_and_refused_in_colour(ending: str) -> None:
    grey = np.array([[0, 1, 255], [256, 4000, 65535]], np.uint16)
    _, loaded = unpack_img(pack_img(HEADER, grey[:, :, None], 9, ending))
    assert loaded.dtype == np.uint16
    assert_array_equal(loaded, grey)
    colour = np.dstack([grey, grey, grey])
    with pytest.raises(ValueError, match=r"uint16 in colour, \(2, 3, 3\) up to 65535"):
        pack_img(HEADER, colour, 9, ending)
    _, loaded = unpack_img(pack_img(HEADER, colour // 256, 9, ending))
    assert_array_equal(loaded, colour // 256)


def test_grey_jpeg_and_rounded_floats(rng: np.random.Generator) -> None:
    image = rng.integers(0, 255, (8, 8, 3)).astype(np.float32)
    record = pack_img(HEADER, image, img_fmt=".JPEG")
    assert record == pack_img(HEADER, image.astype(np.uint8))
    assert unpack_img(record, 0)[1].shape == (8, 8)


@pytest.mark.parametrize(
    ("kind", "expected"), [("PNG", [1, 124, 255, 123, 148]), ("BMP", [2, 124, 255, 124, 148])]
)
def test_the_grey_of_colours_is_that_of_mxnet(kind: str, expected: list[int]) -> None:
    colours = [[1, 2, 3], [200, 100, 50], [255, 255, 255], [10, 200, 30], [3, 250, 7]]
    target = io.BytesIO()
    Image.fromarray(np.array([colours], np.uint8)).save(target, kind)
    assert unpack_img(pack(HEADER, target.getvalue()), 0)[1].tolist() == [expected]


def test_palettes_and_turned_pictures() -> None:
    target = io.BytesIO()
    Image.fromarray(np.arange(12, dtype=np.uint8).reshape(3, 4)).convert("P").save(target, "PNG")
    assert unpack_img(pack(HEADER, target.getvalue()))[1].shape == (3, 4, 3)
    target = io.BytesIO()
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    Image.new("RGB", (4, 3)).save(target, "JPEG", exif=exif)
    assert unpack_img(pack(HEADER, target.getvalue()), 1)[1].shape == (4, 3, 3)
    assert unpack_img(pack(HEADER, target.getvalue()), -1)[1].shape == (3, 4, 3)


def test_wrong_images_are_refused() -> None:
    with pytest.raises(ValueError, match=r"pack_img: needs an image .*; got \(2, 2, 5\)"):
        pack_img(HEADER, np.zeros((2, 2, 5), np.uint8))
    with pytest.raises(ValueError, match=r"pack_img: no image format 'jpg'; use '\.jpg'"):
        pack_img(HEADER, np.zeros((2, 2), np.uint8), img_fmt="jpg")
    with pytest.raises(ValueError, match="needs an image of numbers, got <U1"):
        pack_img(HEADER, np.array([["a"]]))


def test_damaged_images_are_refused(rng: np.random.Generator) -> None:
    for content in (b"", b"no image"):
        with pytest.raises(FileFormatError, match="image: expected a whole image"):
            unpack_img(pack(HEADER, content))
    image = rng.integers(0, 255, (9, 9, 3), np.uint8)
    for ending in (".png", ".jpg"):
        _, whole = unpack(pack_img(HEADER, image, 9, ending))
        for size in range(0, len(whole) * 3 // 4, 5):
            with pytest.raises(FileFormatError):
                unpack_img(pack(HEADER, whole[:size]))


def test_without_pillow_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    for work in (
        lambda: unpack_img(pack(HEADER, b"image")),
        lambda: pack_img(HEADER, np.zeros((2, 2), np.uint8)),
    ):
        with pytest.raises(ImportError, match=r'pip install "hy-io\[images\]"'):
            work()
