"""Encoding and decoding of images with Pillow; channels of arrays are in BGRA order."""

import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from types import ModuleType
from typing import Any, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt

from hy_io._errors import ArgumentError, FileFormatError, FileLimitError
from hy_io._limits import IMAGE_EXPANSION, IMAGE_RATIO, check_expansion, expansion_limit
from hy_io.sniffing import sniff

_Result = TypeVar("_Result")

FORMATS = ("JPEG", "PNG", "BMP", "TIFF", "WEBP", "PPM")
"""Formats that MXNet's builds of OpenCV read, plus WebP and PNM. Pillow's other decoders are not
used: some start programs (Ghostscript for EPS), others are little tested."""
# So many, because decoders parse damaged data in Python and fail wherever that leads them.
_DAMAGE = (
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

# Modes with palette, premultiplied alpha or other colour spaces, and what holds them without loss.
_MODES = {"1": "L", "LA": "RGBA", "La": "RGBA", "PA": "RGBA", "CMYK": "RGB", "YCbCr": "RGB"}
_DEEP = ("I;16", "I;16L", "I;16B", "I")  # Pillow's modes of grey with 16 bits
# OpenCV's names are IMREAD_COLOR and so on; 8 reads by GDAL, 16, 32 and 64 in a reduced size.
_COLOR, _ANY_DEPTH, _ANY_COLOR, _IGNORE_ORIENTATION = 1, 2, 4, 128
_UNSUPPORTED = 8 | 16 | 32 | 64
# Fixed-point luminance: 0.299 R + 0.587 G + 0.114 B scaled by 2**14 (OpenCV, rounded) or by 2**15
# (libpng, rounded down), so that greys equal MXNet's bit for bit.
_GREY = {"PNG": (9797, 19234, 3737, 0, 15), "": (4899, 9617, 1868, 1 << 13, 14)}
"""By format, integer weights of red, green and blue, the rounding constant and the right shift:
those of libpng for PNG, which rounds down, and of OpenCV for others. JPEG stores the luminance
itself."""


def _pillow() -> ModuleType:
    try:
        from PIL import Image  # noqa: PLC0415  # an extra
    except ImportError:
        raise ImportError(
            'packing images needs Pillow: try `pip install "hy-io[images]"`', name="PIL"
        ) from None
    return Image


def encode_image(image: npt.NDArray[Any], quality: int, ending: str) -> bytes:
    """Return the encoded bytes of an image; the arguments and errors are those of `pack_img`."""
    pillow = _pillow()
    image = image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image  # noqa: PLR2004
    channels = image.shape[2] if image.ndim == 3 else 0  # noqa: PLR2004
    if not (image.ndim == 2 or channels in {3, 4}) or image.size == 0:  # noqa: PLR2004
        raise ArgumentError(
            "pack_img: needs an image [height, width], or [height, width, channels] with 1, 3 or 4 "
            f"channels, and not empty; got {image.shape}"
        )
    kind = pillow.registered_extensions().get(ending.lower())
    if kind not in FORMATS:
        raise ArgumentError(f"pack_img: no image format {ending!r}; use '.jpg' or '.png'")
    # 16 bits of grey are kept where the format has them; everything else becomes bytes.
    deep = image.dtype == np.uint16 and kind in {"PNG", "TIFF"}
    if deep and channels and image.max() > np.iinfo(np.uint8).max:
        raise ArgumentError(
            f"pack_img: uint16 in colour, {image.shape} up to {image.max()}, does not fit 8 bits, "
            "the most that Pillow writes; scale the image to 255, or pack each channel by itself"
        )
    if not deep or channels:
        image = _as_uint8(image)
    if channels:
        # From OpenCV's BGR(A) to Pillow's RGB(A); JPEG has no alpha channel.
        order = [2, 1, 0] if channels == 3 or kind == "JPEG" else [2, 1, 0, 3]  # noqa: PLR2004
        image = image[:, :, order]
    options: dict[str, int] = {}
    if kind == "PNG":
        # As OpenCV does, the one parameter is the zlib level of a PNG and the quality of a JPEG.
        options["compress_level"] = min(max(quality, 0), 9)
    elif kind in {"JPEG", "WEBP"}:
        options["quality"] = min(max(quality, 1), 100)
    target = BytesIO()
    pillow.fromarray(np.ascontiguousarray(image)).save(target, kind, **options)
    return target.getvalue()


def _as_uint8(image: npt.NDArray[Any]) -> npt.NDArray[Any]:
    if image.dtype == np.uint8:
        return image
    if not np.issubdtype(image.dtype, np.number) or np.iscomplexobj(image):
        raise ArgumentError(f"pack_img: needs an image of numbers, got {image.dtype}")
    # Rounded to even and saturated, as OpenCV converts; `astype` alone would wrap around.
    rounded: npt.NDArray[Any] = np.clip(np.rint(image), 0, 255)
    return rounded.astype(np.uint8)


@dataclass(frozen=True)
class _Flags:
    """Parts of ``iscolor``, which has the flags of OpenCV's ``imread``."""

    channels: Literal["stored", "own", "color", "grey"]
    """``own`` is colour or grey as the image is, without alpha."""
    deep: bool  # whether 16 bits stay 16 bits
    oriented: bool  # whether the orientation of EXIF is applied

    @classmethod
    def of(cls, iscolor: int) -> Self:
        """Split a number of flags.

        Raises:
            ArgumentError: ``iscolor`` is no integer, or a flag asks for GDAL or a reduced size.
        """
        if not isinstance(iscolor, int | np.integer):
            raise ArgumentError(f"iscolor must be an integer, not {iscolor!r}")
        if iscolor < 0:
            return cls("stored", deep=True, oriented=False)
        if iscolor & _UNSUPPORTED:
            raise ArgumentError(
                f"iscolor={iscolor}: flags 8 (GDAL) and 16, 32, 64 (reduced size) are not "
                "supported; read the whole image and resize it"
            )
        channels: Literal["color", "own", "grey"] = "grey"
        if iscolor & _COLOR:
            channels = "color"
        elif iscolor & _ANY_COLOR:
            channels = "own"
        return cls(channels, bool(iscolor & _ANY_DEPTH), not iscolor & _IGNORE_ORIENTATION)


def decode_image(
    content: bytes, iscolor: int, max_expansion: int | None = None
) -> npt.NDArray[Any]:
    """Return the pixels of an encoded image; the arguments and errors are those of `unpack_img`."""
    return _decoded(content, iscolor, max_expansion, _image_array)


def open_image(content: bytes, iscolor: int = 1, *, max_expansion: int | None = None) -> Any:
    """Decode an image into a Pillow image; needs the extra ``images``.

    Args:
        content: The bytes of a JPEG, PNG, BMP, TIFF, WebP or PNM file.
        iscolor: 1 for RGB, 0 for grey, -1 for the image's own channels, alpha included; other flags
            as in `unpack_img`.
        max_expansion: See `unpack_img`.

    Returns:
        A loaded ``PIL.Image.Image`` of mode ``RGB``, ``L`` or ``RGBA``. The EXIF orientation is
        applied unless ``iscolor`` is -1.

    Raises:
        ArgumentError, FileFormatError, FileLimitError, ImportError: See `unpack_img`.
    """
    return _decoded(content, iscolor, max_expansion, _in_color_mode)


def _decoded(
    content: bytes,
    iscolor: int,
    max_expansion: int | None,
    finish: Callable[[Any, _Flags], _Result],
) -> _Result:
    pillow, flags = _pillow(), _Flags.of(iscolor)
    from PIL import ImageOps  # noqa: PLC0415  # an extra

    limit = expansion_limit(max_expansion, IMAGE_EXPANSION)
    try:
        # Bomb check before decoding: `open` reads the size from the header, `load` allocates the
        # pixels.
        with pillow.open(BytesIO(content), formats=FORMATS) as image:
            width, height = image.size
            size, field = 3 * width * height, f"image of {width} x {height}"
            check_expansion(None, 0, field, size, len(content), limit, IMAGE_RATIO)
            if flags.channels == "grey":
                # JPEG stores luminance: decoded as such it equals OpenCV's grey.
                image.draft("L", None)
            image.load()
            if flags.oriented:
                # OpenCV applies the orientation of EXIF, except where an image is asked for as it
                # is stored.
                ImageOps.exif_transpose(image, in_place=True)
            return finish(image, flags)
    except FileFormatError:
        raise
    # Pillow's own check of bombs, which warns or raises by its global limit.
    except (pillow.DecompressionBombError, pillow.DecompressionBombWarning) as error:
        expected, remedy = "fewer pixels", "Pillow's own limit is PIL.Image.MAX_IMAGE_PIXELS"
        raise FileLimitError(
            None, 0, "image", expected=expected, found=str(error), remedy=remedy
        ) from error
    except _DAMAGE as error:
        kind = sniff(bytes(content[:1024]))
        actual, remedy = f"{bytes(content[:8])!r} ({type(error).__name__}: {error})"[:200], None
        if kind is not None and kind.form != "image":
            actual, remedy = kind.what, kind.how
        expected = f"a whole image, one of {', '.join(FORMATS)}"
        raise FileFormatError(
            None, 0, "image", expected=expected, found=actual, remedy=remedy
        ) from error


def _in_color_mode(image: Any, flags: _Flags) -> Any:
    mode = _result_mode(image, flags)
    if image.mode in _DEEP:
        image = _pillow().fromarray(_upper_bytes(image))
    if mode == "L":
        return image if image.mode == "L" else _pillow().fromarray(_grey(image))
    return image.convert(mode) if image.mode != mode else image


def _result_mode(image: Any, flags: _Flags) -> str:
    """Return the mode L, RGB or RGBA that the flags ask for."""
    if flags.channels == "color":
        return "RGB"
    own = "L" if image.mode in _DEEP else _mode(image)
    if flags.channels == "grey" or own == "L":
        return "L"
    return own if flags.channels == "stored" else "RGB"


def _mode(image: Any) -> str:
    """Return the smallest of Pillow's modes L, RGB and RGBA that holds an image."""
    if image.mode == "P":
        return "RGBA" if "transparency" in image.info else "RGB"
    mode: str = image.mode
    return _MODES.get(mode, mode)


def _image_array(image: Any, flags: _Flags) -> npt.NDArray[Any]:
    mode = _result_mode(image, flags)
    if image.mode in _DEEP:
        grey = np.asarray(image).astype(np.uint16) if flags.deep else _upper_bytes(image)
        return grey if mode == "L" else np.repeat(grey[:, :, None], 3, axis=2)
    if mode == "L":
        return _grey(image)
    array = np.asarray(image if image.mode == mode else image.convert(mode))
    # Back from Pillow's RGB(A) to BGR(A).
    order = [2, 1, 0, 3][: array.shape[2]]
    return np.ascontiguousarray(array[:, :, order])


def _upper_bytes(image: Any) -> npt.NDArray[Any]:
    """Return grey of 16 bits in 8, as OpenCV reduces it."""
    return (np.asarray(image).astype(np.uint16) >> 8).astype(np.uint8)


def _grey(image: Any) -> npt.NDArray[Any]:
    if _mode(image) == "L":
        return np.array(image.convert("L"))
    # PNG is converted by libpng inside OpenCV, other formats by OpenCV itself: the weights differ.
    *weights, rest, bits = _GREY["PNG" if image.format == "PNG" else ""]
    total = np.asarray(image.convert("RGB")).astype(np.int32) @ np.array(weights, np.int32)
    return ((total + rest) >> bits).astype(np.uint8)
