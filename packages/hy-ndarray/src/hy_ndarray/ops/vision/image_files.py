"""Decoding of images, and borders around images."""

from typing import Annotated

from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.ranges import NonNegative, Range
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.ops.record.schema import operator
from hy_ndarray.ops.record.types import TensorType

__all__ = ["copy_make_border", "imdecode", "imread"]


def _decoded(flag: int) -> TensorType:
    return TensorType((None, None, 3 if flag else 1), "uint8")


@operator("_cvimdecode", "_npi_cvimdecode")
def imdecode(
    buf: TensorType, *, flag: Annotated[int, Range(0, 1)] = 1, to_rgb: bool = True
) -> TensorType:
    """Return the image decoded from a file's bytes: JPEG, PNG, BMP, or a format of Pillow.

    Args:
        buf: ``[bytes]``, uint8.
        flag: 1 for color, 0 for gray; images are converted.
        to_rgb: Red first; else blue.

    Returns:
        ``[H, W, 3]``, or in gray ``[H, W, 1]``, uint8. Transparency is left out, and the
        orientation that some JPEG files tell does not matter.

    Raises:
        KernelError: There is no image in the bytes.
        NotImplementedError: Pillow is not installed.
    """
    expect_rank(buf, 1)
    buf.set_dtype("uint8")
    return _decoded(flag)


@operator("_cvimread", "_npi_cvimread", needs=("device",))
def imread(
    *, filename: str, flag: Annotated[int, Range(0, 1)] = 1, to_rgb: bool = True
) -> TensorType:
    """Return the image in a file; see ``_cvimdecode``.

    Args:
        filename: The file.
        flag: 1 for color, 0 for gray; images are converted.
        to_rgb: Red first; else blue.

    Returns:
        ``[H, W, 3]``, or in gray ``[H, W, 1]``, uint8.

    Raises:
        KernelError: There is no such file, or no image in it.
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
    """Return an image with a border around.

    Args:
        src: ``[H, W, C]``, any dtype.
        top: Rows of the border above.
        bot: Rows below.
        left: Columns on the left.
        right: Columns on the right.
        type: 0 of one color, 1 the pixel at the edge, 2 the mirror image, 3 the other side of the
            image, 4 the mirror image without the pixel at the edge.
        value: The color, in all channels.
        values: The color by channel, instead.

    Returns:
        ``[top + H + bot, left + W + right, C]``.

    Raises:
        ShapeError: ``src`` has a wrong number of axes.
        ArgumentError: A border is negative, or there is no such ``type``.
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
