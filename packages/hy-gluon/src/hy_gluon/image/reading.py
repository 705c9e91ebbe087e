"""imread and imdecode: images from files and bytes."""

from os import PathLike, fspath

import numpy as np
import numpy.typing as npt

from hy_gluon.parameter.arrays import shown
from hy_io import IRHeader, named_source, pack, read_file, unpack_img
from hy_ndarray import ArgumentError, NDArray, nd

__all__ = ["imdecode", "imread"]


def imdecode(
    buf: bytes | str | npt.NDArray[np.uint8] | NDArray,
    flag: int = 1,
    to_rgb: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """Return an image decoded from bytes.

    Args:
        buf: Content of a JPEG, PNG, BMP, TIFF, WebP or PNM file, as bytes or as an array of bytes.
        flag: 1 for color, 0 for grayscale.
        to_rgb: Return the channels in the order RGB; otherwise BGR.
        out: Array of the image's shape and uint8 for the result.

    Returns:
        ``[height, width, 3]``, or ``[height, width, 1]`` if grey; uint8. An array of ``mx.np``
        after ``npx.set_np()``.

    Raises:
        ArgumentError: ``buf`` is a string.
        ShapeError, DTypeError: ``out`` does not fit the image.
        FileFormatError: The bytes are not an image, or a damaged one.
        FileLimitError: The pixels would take 256 MiB more than 64 times the file, or whatever
            ``HY_MAX_FILE_EXPANSION`` of the environment allows, in bytes.
        ImportError: Pillow is not installed.
    """
    if isinstance(buf, str):
        raise ArgumentError(
            "imdecode: takes the bytes of an image, not a text; imread reads a file"
        )
    encoded = bytes(buf.asnumpy() if isinstance(buf, NDArray) else buf)
    # The decoder of record files, with an empty header in front, so that both give equal pixels.
    _, pixels = unpack_img(pack(IRHeader(flag=0, label=0.0, id=0, id2=0), encoded), flag)
    if pixels.ndim == 2:  # noqa: PLR2004  # grey
        pixels = pixels[:, :, None]
    elif to_rgb:
        # Decoders of record files give blue, green, red, as OpenCV does.
        pixels = np.ascontiguousarray(pixels[:, :, ::-1])
    image = nd.array(pixels, dtype=pixels.dtype)
    return shown(image if out is None else nd.identity(image, out=out))


def imread(
    filename: str | PathLike[str],
    flag: int = 1,
    to_rgb: bool = True,
    out: NDArray | None = None,
) -> NDArray:
    """Return the image in a file.

    Args:
        filename: Path or ``file://`` URL of the file.
        flag: 1 for color, 0 for grayscale.
        to_rgb: Return the channels in the order RGB; otherwise BGR.
        out: Array of the image's shape and uint8 for the result.

    Returns:
        ``[height, width, 3]``, or ``[height, width, 1]`` if grey; uint8.

    Raises:
        FileFormatError, FileLimitError: See :func:`imdecode`; names the file.
        ShapeError, DTypeError: ``out`` does not fit the image.
        FileAccessError: The file cannot be read.
    """
    content = read_file(filename)
    with named_source(fspath(filename)):
        return imdecode(content, flag, to_rgb, out)
