"""Images are read in the formats of OpenCV, up to a size; all else is refused with one error.

Both readers are tested: that of ``image.imdecode`` and records, and the operator ``_cvimdecode``.
"""

import io
import struct
import traceback
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("PIL")
from PIL import Image

from hy_gluon import image
from hy_io import (
    FileFormatError,
    FileLimitError,
    IRHeader,
    MXIndexedRecordIO,
    pack,
    pack_img,
    unpack_img,
)
from hy_kernels.numpy.vision import image_files
from hy_ndarray import DTypeError, HyError, NDArray, ShapeError, nd, npx

VARIABLE = "HY_MAX_FILE_EXPANSION"
READ = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM")
NOT_READ = ("GIF", "ICO", "PCX", "TGA", "EPS", "DDS", "JPEG2000", "SGI", "MSP", "XBM")
Reader = Callable[[bytes], NDArray]


def by_operator(content: bytes) -> NDArray:
    result: NDArray = nd._internal._cvimdecode(
        nd.array(np.frombuffer(content, np.uint8), dtype="uint8")
    )
    return result


@pytest.fixture(params=[image.imdecode, by_operator], ids=["imdecode", "operator"])
def read(request: pytest.FixtureRequest) -> Any:
    return request.param


REFUSED = (FileFormatError, HyError)


def encoded(kind: str, mode: str = "RGB", size: tuple[int, int] = (9, 7), **options: Any) -> bytes:
    file = io.BytesIO()
    Image.new(mode, size).save(file, kind, **options)
    return file.getvalue()


def flat_png(width: int, height: int) -> bytes:
    """An image of one bit a pixel, all black, whatever its size."""
    packer = zlib.compressobj(9)
    rows = b"".join(packer.compress(bytes(1 + (width + 7) // 8)) for _ in range(height))
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)),
        (b"IDAT", rows + packer.flush()),
        (b"IEND", b""),
    ]
    chunks = [
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


@pytest.mark.parametrize("kind", READ)
def test_formats_of_opencv_are_read(read: Reader, kind: str) -> None:
    assert read(encoded(kind)).shape == (7, 9, 3)


@pytest.mark.parametrize("kind", NOT_READ)
def test_other_formats_of_pillow_are_not_reached(read: Reader, kind: str) -> None:
    content = encoded(kind, "1" if kind in {"MSP", "XBM"} else "RGB")
    with pytest.raises(REFUSED, match=r"image"):
        read(content)


def test_no_program_is_started_for_postscript(
    read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    def started(*arguments: object, **options: object) -> None:
        pytest.fail("a program was started")

    monkeypatch.setattr("subprocess.Popen", started)
    with pytest.raises(REFUSED, match=r"image"):
        read(encoded("EPS"))


def test_what_is_written_is_read() -> None:
    pixels = np.zeros((3, 4, 3), np.uint8)
    for ending in (".jpg", ".png", ".bmp", ".tif", ".webp", ".ppm"):
        assert unpack_img(pack_img(IRHeader(0, 0, 0, 0), pixels, img_fmt=ending))[1].shape == (
            3,
            4,
            3,
        )
    with pytest.raises(ValueError, match=r"no image format '\.gif'"):
        pack_img(IRHeader(0, 0, 0, 0), pixels, img_fmt=".gif")


@pytest.mark.parametrize("size", [(13_000, 13_000), (1 << 20, 1 << 20)])
def test_a_small_file_of_a_huge_image_is_refused(read: Reader, size: tuple[int, int]) -> None:
    content = flat_png(1, 1).replace(struct.pack(">II", 1, 1), struct.pack(">II", *size))
    head = content[12:29]
    content = content.replace(
        zlib.crc32(flat_png(1, 1)[12:29]).to_bytes(4, "big"), zlib.crc32(head).to_bytes(4, "big")
    )
    with pytest.raises(REFUSED, match=r"set HY_MAX_FILE_EXPANSION=|MAX_IMAGE_PIXELS|exceeds limit"):
        read(content)


def test_the_environment_raises_and_lowers_the_limit(
    read: Reader, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = flat_png(400, 300)
    needed = 3 * 400 * 300 - 64 * len(content)
    assert needed > 0
    monkeypatch.setenv(VARIABLE, str(needed - 1))
    with pytest.raises(REFUSED, match=rf"400 x 300.*set {VARIABLE}={needed}"):
        read(content)
    monkeypatch.setenv(VARIABLE, str(needed))
    assert read(content).shape == (300, 400, 3)
    monkeypatch.setenv(VARIABLE, "much")
    with pytest.raises((ValueError, HyError), match=f"{VARIABLE} must be .* number of bytes"):
        read(content)


def test_the_argument_raises_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "0")
    record = pack(IRHeader(0, 0.0, 0, 0), flat_png(400, 300))
    with pytest.raises(FileLimitError, match="image of 400 x 300"):
        unpack_img(record)
    assert unpack_img(record, max_expansion=1 << 20)[1].shape == (300, 400)


def test_the_error_of_a_file_names_it(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_bytes(b"nothing")
    with pytest.raises(FileFormatError, match="JPEG, PNG") as caught:
        image.imread(tmp_path / "x.png")
    assert str(caught.value).startswith(f"{tmp_path / 'x.png'}: byte 0: image: ")
    assert "UnidentifiedImageError" in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize(
    "error", [RuntimeError, NotImplementedError, AttributeError, struct.error, ZeroDivisionError]
)
def test_whatever_a_decoder_raises_becomes_one_error(
    read: Reader, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*arguments: object, **options: object) -> None:
        raise error("of a decoder")

    content = encoded("PNG")
    monkeypatch.setattr("PIL.PngImagePlugin.PngImageFile.load_prepare", broken)
    with pytest.raises(REFUSED, match=r"image.*of a decoder"):
        read(content)


def test_both_readers_have_the_same_formats_and_limits() -> None:
    from hy_io import _images, _limits  # noqa: PLC0415

    assert image_files.FORMATS == _images.FORMATS == READ
    assert image_files.IMAGE_EXPANSION == _limits.IMAGE_EXPANSION
    assert image_files.IMAGE_RATIO == _limits.IMAGE_RATIO


@pytest.fixture
def pictures(tmp_path: Path) -> Path:
    """A record file with one picture and its boxes."""
    labels = np.array([2, 5, 0, 0.1, 0.1, 0.5, 0.5], np.float32)
    with MXIndexedRecordIO(tmp_path / "x.idx", tmp_path / "x.rec", "w") as records:
        records.write_idx(0, pack(IRHeader(0, labels, 0, 0), encoded("PNG")))
    return tmp_path / "x.rec"


def test_images_are_of_np_after_set_np(pictures: Path) -> None:
    with npx.np_array():
        read = image.imdecode(encoded("PNG"))
        assert type(read).__name__ == "ndarray"
        part, _ = image.random_crop(read, (4, 4))
        assert part.transpose(2, 0, 1).shape == (3, 4, 4)
        shape = (3, 4, 4)
        for batch in (
            next(image.ImageIter(1, shape, label_width=7, path_imgrec=str(pictures))),
            next(image.ImageDetIter(1, shape, path_imgrec=str(pictures))),
        ):
            assert {type(array).__name__ for array in (*batch.data, *batch.label)} == {"ndarray"}
    assert type(image.imdecode(encoded("PNG"))) is NDArray


def test_images_are_written_into_an_array(tmp_path: Path) -> None:
    pixels = np.arange(24, dtype=np.uint8).reshape(4, 2, 3)
    Image.fromarray(pixels).save(tmp_path / "a.png")
    content = (tmp_path / "a.png").read_bytes()
    out = nd.zeros((4, 2, 3), dtype="uint8")
    assert image.imdecode(content, out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), pixels)
    out[:] = 0
    assert image.imread(tmp_path / "a.png", out=out) is out
    np.testing.assert_array_equal(out.asnumpy(), pixels)
    small = nd.zeros((2, 1, 3), dtype="uint8")
    assert image.imresize(out, 1, 2, out=small) is small
    np.testing.assert_array_equal(small.asnumpy(), image.imresize(out, 1, 2).asnumpy())
    with pytest.raises(ShapeError):
        image.imdecode(content, out=small)
    with pytest.raises(DTypeError):
        image.imresize(out, 1, 2, out=nd.zeros((2, 1, 3)))


def test_encoded_bytes_may_be_an_array() -> None:
    content = encoded("PNG")
    as_array = nd.array(np.frombuffer(content, np.uint8), dtype="uint8")
    wanted = image.imdecode(content).asnumpy()
    for given in (as_array, as_array.as_np_ndarray(), as_array.asnumpy()):
        np.testing.assert_array_equal(image.imdecode(given).asnumpy(), wanted)
