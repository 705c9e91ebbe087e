"""Content of a training record: a header with labels, then an encoded image or bytes."""

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
    """The header of a packed record.

    Args:
        flag: 0, or the number of labels if these are an array; set by `pack`.
        label: A number, or numbers (stored as float32).
        id: A number of 64 bits, for any use.
        id2: Another one.
    """

    flag: int
    label: Any
    id: int  # noqa: A003, RUF100  # MXNet's name
    id2: int


class RecordHeaderError(FileFormatError, StructError):
    """A record is shorter than its header; programs of MXNet catch ``struct.error``."""


class RecordNumberError(ArgumentError, StructError):
    """A number of a record's header does not fit into it."""


def pack(header: IRHeader | tuple[int, Any, int, int], s: bytes) -> bytes:
    """Put a header before bytes.

    Args:
        header: The header; its ``flag`` is ignored.
        s: The bytes.

    Returns:
        A record for `MXRecordIO.write`.

    Raises:
        TypeError: ``s`` is no bytes.
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
    """Take the header off a record; undoes `pack`.

    Args:
        s: The record.

    Returns:
        The header and the bytes after it. Several labels are a float32 array.

    Raises:
        RecordHeaderError: The record is shorter than a header.
        FileFormatError: It is shorter than its header says.
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
    """Encode an image and put a header before it; needs the extra ``images``.

    Args:
        header: The header.
        img: [height, width] grey, [height, width, 3] blue, green, red, or with alpha 4; uint8
            (also uint16 for grey png).
        quality: 1 to 100 for jpg; how much to compress, 0 to 9, for png.
        img_fmt: The ending that says the format: one that `unpack_img` reads.

    Returns:
        A record for `MXRecordIO.write`.

    Raises:
        ImportError: Pillow is not installed; says how to.
        ValueError: The image has another shape, or there is no such format.
    """
    return pack(header, encode_image(_numpy(img), quality, img_fmt))


def unpack_img(
    s: bytes, iscolor: int = -1, *, max_expansion: int | None = None
) -> tuple[IRHeader, npt.NDArray[Any]]:
    """Take the header off a record and decode the image; needs the extra ``images``.

    Args:
        s: The record.
        iscolor: 1 gives colours, 0 grey, -1 what the image has, alpha and 16 bits included.
        max_expansion: How many bytes more than 64 times the encoded image its pixels may take,
            three each; None takes ``HY_MAX_FILE_EXPANSION`` of the environment, or 256 MiB.

    Returns:
        The header, and the image [height, width] or [height, width, channels] in the order blue,
        green, red, alpha.

    Raises:
        FileFormatError: The record is damaged, or holds no image in JPEG, PNG, BMP, TIFF, WebP or
            PNM.
        FileLimitError: The pixels would take more than ``max_expansion``, or are too many for
            Pillow (``PIL.Image.MAX_IMAGE_PIXELS``).
        ImportError: Pillow is not installed; says how to.
    """
    header, body = unpack(s)
    return header, decode_image(body, iscolor, max_expansion)


def _numpy(value: Any) -> npt.NDArray[Any]:
    return np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
