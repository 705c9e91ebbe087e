"""Packing of training records: a header with labels, followed by an encoded image or bytes."""

from numbers import Number
from struct import Struct, error as StructError  # noqa: N812
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hy_io._errors import ArgumentError, FileFormatError
from hy_io._images import decode_image, encode_image, open_image

__all__ = ["IRHeader", "open_image", "pack", "pack_img", "unpack", "unpack_img"]

# flag, label, id and id2: 24 bytes, little-endian. With flag n > 0, n float32 labels follow.
_HEAD = Struct("<IfQQ")


class IRHeader(NamedTuple):
    """Header of a packed record.

    Args:
        flag: Number of labels if ``label`` is an array, else 0; set by `pack`.
        label: A number or an array of numbers, stored as float32.
        id: An unsigned 64-bit number for any use.
        id2: A second unsigned 64-bit number for any use.
    """

    flag: int
    label: Any
    id: int  # noqa: A003, RUF100  # MXNet's name
    id2: int


class RecordHeaderError(FileFormatError, StructError):
    """A record is shorter than its header; also a ``struct.error``, which MXNet raises."""


class RecordNumberError(ArgumentError, StructError):
    """A number is out of the range of its field in a record's header."""


def pack(header: IRHeader | tuple[int, Any, int, int], s: bytes) -> bytes:
    """Return a record: a header followed by bytes.

    Args:
        header: The header; its ``flag`` is ignored.
        s: The content.

    Returns:
        A record for `MXRecordIO.write`.

    Raises:
        TypeError: ``s`` is not bytes.
        ValueError: An id is outside 0..2**64 - 1.

    Example:
        >>> unpack(pack(IRHeader(0, [1, 2], 7, 0), b"body"))
        (IRHeader(flag=2, label=array([1., 2.], dtype=float32), id=7, id2=0), b'body')
    """
    header = IRHeader(*header)
    if not isinstance(s, bytes):
        raise ArgumentError(f"pack: needs bytes, got {type(s).__name__}")
    # One number goes into the header itself; several follow it and flag counts them.
    if isinstance(header.label, Number):
        labels, header = b"", header._replace(flag=0)
    else:
        array = _numpy(header.label).astype("<f4").reshape(-1)
        labels, header = array.tobytes(), header._replace(flag=array.size, label=0.0)
    try:
        return _HEAD.pack(*header) + labels + s
    except StructError as error:
        raise RecordNumberError(
            f"pack: id and id2 must be integers within 0..2**64 - 1, got {header.id!r} and "
            f"{header.id2!r} ({error})"
        ) from None


def unpack(s: bytes) -> tuple[IRHeader, bytes]:
    """Split a record into header and content; inverse of `pack`.

    Args:
        s: The record.

    Returns:
        The header and the bytes after it. Several labels are a float32 array.

    Raises:
        RecordHeaderError: The record is shorter than a header.
        FileFormatError: The record is shorter than the labels that its header announces.
    """
    if len(s) < _HEAD.size:
        raise RecordHeaderError(
            None,
            0,
            "record header",
            expected=f"{_HEAD.size} bytes",
            found=f"{len(s)}",
            remedy=_HINT,
        )
    header = IRHeader(*_HEAD.unpack_from(s))
    if header.flag == 0:
        return header, s[_HEAD.size :]
    end = _HEAD.size + 4 * header.flag
    if end > len(s):
        expected = f"{header.flag} labels of 4 bytes"
        actual = f"{len(s) - _HEAD.size} bytes"
        raise FileFormatError(
            None, _HEAD.size, "labels", expected=expected, found=actual, remedy=_HINT
        )
    labels = np.frombuffer(s, "<f4", header.flag, _HEAD.size).astype(np.float32, copy=False)
    return header._replace(label=labels), s[end:]


_HINT = "perhaps the record was not made by `pack`"


def pack_img(
    header: IRHeader | tuple[int, Any, int, int],
    img: Any,
    quality: int = 95,
    img_fmt: str = ".jpg",
) -> bytes:
    """Return a record of a header and an encoded image; needs the extra ``images``.

    Args:
        header: The header.
        img: Image of shape [height, width] (grey), [height, width, 3] (BGR) or [height, width, 4]
            (BGRA), of dtype uint8, for grey PNG and TIFF also uint16; other dtypes are rounded
            and clipped to uint8.
        quality: Quality of a JPEG, 1 to 100, or compression level of a PNG, 0 to 9.
        img_fmt: Suffix of the image format, one that `unpack_img` reads.

    Returns:
        A record for `MXRecordIO.write`.

    Raises:
        ImportError: Pillow is not installed; the message says how to install it.
        ValueError: The image has another shape, the format is unknown, or uint16 in colour would
            be clipped in a PNG or TIFF.
    """
    return pack(header, encode_image(_numpy(img), quality, img_fmt))


def unpack_img(
    s: bytes, iscolor: int = -1, *, max_expansion: int | None = None
) -> tuple[IRHeader, npt.NDArray[Any]]:
    """Split a record into header and decoded image; needs the extra ``images``.

    Args:
        s: The record.
        iscolor: 1 for BGR, 0 for grey, -1 for the image's own channels, alpha and 16 bits included.
            As in OpenCV, 2 keeps 16 bits, 4 takes colour where the image has it, 128 leaves the
            orientation of EXIF alone, and they are added up.
        max_expansion: Limit on the size of the pixels, at three bytes each, in bytes beyond 64
            times the encoded size; None for the environment variable ``HY_MAX_FILE_EXPANSION``, or
            else 256 MiB.

    Returns:
        The header, and the image of shape [height, width] or [height, width, channels], with
        channels in the order blue, green, red, alpha.

    Raises:
        ArgumentError: ``iscolor`` has flags for GDAL or for a reduced size.
        FileFormatError: The record is damaged, or does not contain a JPEG, PNG, BMP, TIFF, WebP or
            PNM image.
        FileLimitError: The pixels would take more than ``max_expansion``, or are too many for
            Pillow (``PIL.Image.MAX_IMAGE_PIXELS``).
        ImportError: Pillow is not installed; the message says how to install it.
    """
    header, body = unpack(s)
    return header, decode_image(body, iscolor, max_expansion)


def _numpy(value: Any) -> npt.NDArray[Any]:
    return np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
