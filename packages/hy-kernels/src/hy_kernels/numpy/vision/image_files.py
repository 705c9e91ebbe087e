"""Decoding of image files by Pillow, and borders around images."""

import io
import os
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy._kernels import kernel

FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM")
IMAGE_EXPANSION, IMAGE_RATIO = 1 << 28, 64
"""Formats and limits, the same as in hy-io, on which this package does not depend; tested."""
_DAMAGE = (  # what Pillow's decoders raise for damaged images
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    LookupError,
    ArithmeticError,
    TypeError,
    AttributeError,
    AssertionError,
    RuntimeError,
    struct.error,
    zlib.error,
    Warning,  # where warnings are errors
)
BORDERS: tuple[Any, ...] = ("constant", "edge", "symmetric", "wrap", "reflect")
"""NumPy's padding modes for OpenCV's border types, indexed by their numbers."""


def _decoded(content: bytes, *, color: bool, to_rgb: bool) -> Array:
    """Return the decoded image: ``[H, W, 3]`` if ``color``, else gray, ``[H, W, 1]``.

    The channels are RGB if ``to_rgb``, else BGR.

    Raises:
        NotImplementedError: Pillow is not installed.
        ValueError: The content is no image, is damaged, or has too many pixels.
    """
    try:
        from PIL import Image  # noqa: PLC0415  # an extra
    except ImportError as error:
        raise NotImplementedError(
            "reading images needs Pillow: pip install 'hy-kernels[images]'"
        ) from error
    try:
        # This reads only the header: the size is checked before any pixel is decoded.
        with Image.open(io.BytesIO(content), formats=FORMATS) as image:
            _check_size(image.size, len(content))
            if not color:
                # The luminance that a JPEG stores, not one computed from RGB.
                image.draft("L", image.size)
            pixels = _eight_bits(image)
            if not color and pixels.mode in ("1", "L", "LA"):
                return np.array(pixels.convert("L"))[..., None]
            y = np.array(pixels.convert("RGB"))
            stored = image.format
    except (*_DAMAGE, Image.DecompressionBombError) as error:
        raise ValueError(f"no image, or a damaged one: {error}") from error
    if not color:
        *weights, rest, bits = _GRAY["libpng" if stored == "PNG" else "OpenCV"]
        total = y.astype(np.int32) @ np.array(weights, np.int32)[:, None] + rest
        return (total >> bits).astype(np.uint8)
    # BGR otherwise, as in OpenCV, MXNet's decoder.
    return y if to_rgb else np.ascontiguousarray(y[..., ::-1])


def _check_size(size: tuple[int, int], stored: int) -> None:
    """Reject an image that would take much more memory than its file: a decompression bomb.

    Raises:
        ValueError: The image has too many pixels for a file of ``stored`` bytes.
    """
    text = os.environ.get("HY_MAX_FILE_EXPANSION", str(IMAGE_EXPANSION))
    if not text.isdecimal():
        raise ValueError(f"HY_MAX_FILE_EXPANSION must be a whole number of bytes, not {text!r}")
    width, height = size
    extra = 3 * width * height - IMAGE_RATIO * stored
    if extra > int(text):
        raise ValueError(
            f"{width} x {height} pixels are too many for {stored} bytes; if the file is to be "
            f"trusted, set HY_MAX_FILE_EXPANSION={extra} in the environment"
        )


_GRAY = {"libpng": (9797, 19234, 3737, 0, 15), "OpenCV": (4899, 9617, 1868, 1 << 13, 14)}
"""Fixed-point conversion to gray: weights of red, green and blue, rounding term, and right shift.
Which library converts depends on the file format, and their results differ by 1."""


def _eight_bits(image: Any) -> Any:
    """Convert 16-bit pixels to their upper bytes; Pillow would clip them at 255."""
    if not image.mode.startswith("I"):
        return image
    from PIL import Image  # noqa: PLC0415  # an extra

    return Image.fromarray((np.array(image).astype(np.uint32) >> 8).astype(np.uint8))


@kernel()
def imdecode(buf: Array, *, flag: int, to_rgb: bool) -> Array:
    """Return the image decoded from ``buf``, the bytes of a file; gray if ``flag`` is 0."""
    return _decoded(buf.tobytes(), color=flag != 0, to_rgb=to_rgb)


@kernel()
def imread(
    *,
    filename: str,
    flag: int,
    to_rgb: bool,
    device: None,  # for tables that have several
) -> Array:
    """Return the image decoded from a file; gray if ``flag`` is 0."""
    return _decoded(Path(filename).read_bytes(), color=flag != 0, to_rgb=to_rgb)


@kernel()
def copy_make_border(
    src: Array,
    *,
    top: int,
    bot: int,
    left: int,
    right: int,
    type: int,
    value: float,
    values: tuple[float, ...],
) -> Array:
    """Return the image with a border of OpenCV's ``type`` around it."""
    margins = [(top, bot), (left, right), (0, 0)]
    if type:
        return np.pad(src, margins, mode=BORDERS[type])
    channels = src.shape[2]
    color = [*values, *[0.0] * channels][:channels] if values else [value] * channels
    y = np.empty((src.shape[0] + top + bot, src.shape[1] + left + right, channels), src.dtype)
    y[...] = np.array(color).astype(src.dtype)
    y[top : top + src.shape[0], left : left + src.shape[1]] = src
    return y
