"""Decoding of image files, and borders around images."""

from typing import Annotated

from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.ranges import NonNegative, Range
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType


def _decoded(flag: int) -> TensorType:
    return TensorType((None, None, 3 if flag else 1), "uint8")


@operator("_cvimdecode", "_npi_cvimdecode")
def imdecode(
    buf: TensorType, *, flag: Annotated[int, Range(0, 1)] = 1, to_rgb: bool = True
) -> TensorType:
    """Return the image decoded from the bytes of a file: JPEG, PNG, BMP, or a format of Pillow.

    Args:
        buf: ``[bytes]``, uint8.
        flag: 1 for color, 0 for gray; images are converted if necessary.
        to_rgb: Whether channels are in RGB order; else BGR.

    Returns:
        ``[H, W, 3]``, or in gray ``[H, W, 1]``, uint8. Transparency, and the orientation that some
        JPEG files specify, are ignored.

    Raises:
        KernelError: The bytes cannot be decoded.
        NotImplementedError: Pillow is not installed.
    """
    expect_rank(buf, 1)
    buf.set_dtype("uint8")
    return _decoded(flag)


@operator("_cvimread", "_npi_cvimread", needs=("device",))
def imread(
    *, filename: str, flag: Annotated[int, Range(0, 1)] = 1, to_rgb: bool = True
) -> TensorType:
    """Return the image decoded from a file, as ``_cvimdecode`` does.

    Args:
        filename: Path of the file.
        flag: 1 for color, 0 for gray; images are converted if necessary.
        to_rgb: Whether channels are in RGB order; else BGR.

    Returns:
        ``[H, W, 3]``, or in gray ``[H, W, 1]``, uint8.

    Raises:
        KernelError: The file does not exist, or cannot be decoded.
        NotImplementedError: Pillow is not installed.
    """
    return _decoded(flag)


@operator("_cvcopyMakeBorder")
def copy_make_border(
    src: TensorType,
    *,
    top: NonNegative,
    bot: NonNegative,
    left: NonNegative,
    right: NonNegative,
    type: Annotated[int, Range(0, 4)] = 0,
    value: float = 0.0,
    values: Floats = (),
) -> TensorType:
    """Return an image with a border added around it.

    Args:
        src: ``[H, W, C]``, any dtype.
        top: Rows of the border above.
        bot: Rows below.
        left: Columns on the left.
        right: Columns on the right.
        type: The border: 0 constant, 1 the edge pixel, 2 the mirror image with the edge pixel,
            3 the opposite side (wrap), 4 the mirror image without the edge pixel.
        value: The constant for all channels.
        values: The constants per channel, instead of ``value``.

    Returns:
        ``[top + H + bot, left + W + right, C]``.

    Raises:
        ShapeError: ``src`` has a wrong number of axes.
        ArgumentError: A width is negative, or ``type`` is invalid.
    """
    expect_rank(src, 3)
    if src.shape is None:
        return src.with_shape((None,) * 3)
    rows, columns, channels = src.shape
    return src.with_shape(
        (
            None if rows is None else rows + top + bot,
            None if columns is None else columns + left + right,
            channels,
        )
    )
