"""Images as arrays ``[H, W, C]``: resizing, cropping, flipping, normalization."""

from typing import Annotated, Any, TypeAlias

from hy_ndarray._errors import ArgumentError, ShapeError
from hy_ndarray.ops.adjoints import Linear, gradient_by
from hy_ndarray.ops.families import family
from hy_ndarray.ops.record.params import Floats
from hy_ndarray.ops.record.ranges import NonNegative, Positive, Positives, Range
from hy_ndarray.ops.record.rules import expect_rank
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, show

Interpolation: TypeAlias = Annotated[int, Range(0, 4)]


@operator("_image_to_tensor", "_npx__image_to_tensor")
def image_to_tensor(data: TensorType) -> TensorType:
    """Return an image scaled from 0 … 255 to 0 … 1, with channels first.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Returns:
        ``[C, H, W]`` or ``[N, C, H, W]``, float32.

    Raises:
        ShapeError: ``data`` has a wrong number of axes.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.image.to_tensor(nd.array([[[0, 51, 255]]], dtype="uint8")).asnumpy().ravel()
        array([0. , 0.2, 1. ], dtype=float32)
    """
    expect_rank(data, 3, 4)
    if data.shape is None:
        return TensorType(None, "float32")
    *batch, rows, columns, channels = data.shape
    return TensorType((*batch, channels, rows, columns), "float32")


def _grad_normalize(saved: Saved, dy: Any) -> tuple[Any]:
    return (image_normalize(dy, mean=(0.0,), std=saved.params["std"]),)


@operator("_image_normalize", "_npx__image_normalize", grad=_grad_normalize)
def image_normalize(
    data: TensorType, *, mean: Floats = (0.0, 0.0, 0.0, 0.0), std: Floats = (1.0, 1.0, 1.0, 1.0)
) -> TensorType:
    """Return ``(data - mean) / std`` for each channel.

    Args:
        data: ``[C, H, W]`` or ``[N, C, H, W]``; 1 or 3 channels.
        mean: One number, or one for each channel.
        std: One number, or one for each channel.

    Raises:
        ShapeError: ``data`` has a wrong number of axes or channels.
        ArgumentError: ``mean`` or ``std`` does not have 1 number, or one per channel.
    """
    expect_rank(data, 3, 4)
    channels = None if data.shape is None else data.shape[-3]
    if channels is None:
        return data
    if channels not in (1, 3):
        raise ShapeError(f"{data.label}{show(data.shape)} must have 1 or 3 channels")
    for name, values, default in (("mean", mean, (0.0,) * 4), ("std", std, (1.0,) * 4)):
        if len(values) not in (1, channels) and values != default:
            raise ArgumentError(
                f"{name}={values} must have one number, or one for each of the {channels} channels "
                f"of {data.label}{show(data.shape)}"
            )
    return data


def _wanted(shape: PartialShape, size: tuple[int, ...], keep_ratio: bool) -> PartialShape:
    """Return the rows and columns of the resized image."""
    if len(size) == 2:
        return size[1], size[0]
    (side,) = size
    rows, columns = shape[-3:-1]
    if not keep_ratio:
        return side, side
    if rows is None or columns is None:
        return None, None
    if not rows or not columns:
        raise ShapeError(
            f"keep_ratio=True needs an image that is not empty, got {rows} x {columns}"
        )
    if rows > columns:
        return int(rows * side / columns), side
    return side, int(columns * side / rows)


@operator("_image_resize", "_npx__image_resize")
def image_resize(
    data: TensorType, *, size: Positives = (), keep_ratio: bool = False, interp: Interpolation = 1
) -> TensorType:
    """Return an image resized, with the same results as OpenCV.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: Keep the aspect ratio; one number for ``size`` is then the shorter side.
        interp: Interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.

    Returns:
        ``[rows, columns, C]`` or ``[N, rows, columns, C]``.

    Raises:
        ShapeError: ``data`` has a wrong number of axes.
        ArgumentError: ``size`` is not one or two positive numbers, or ``interp`` is invalid.
    """
    expect_rank(data, 3, 4)
    if len(size) not in (1, 2):
        raise ArgumentError(f"size={size} must have one or two numbers")
    if data.shape is None:
        return data.with_shape(None)
    rows, columns = _wanted(data.shape, size, keep_ratio)
    return data.with_shape((*data.shape[:-3], rows, columns, data.shape[-1]))


@operator("_cvimresize", "_npi_cvimresize")
def imresize(src: TensorType, *, w: Positive, h: Positive, interp: Interpolation = 1) -> TensorType:
    """Return an image resized, with the same results as OpenCV.

    Args:
        src: ``[H, W, C]``, any dtype; integers are rounded.
        w: Columns of the result.
        h: Rows of the result.
        interp: Interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.

    Returns:
        ``[h, w, C]``.

    Raises:
        ShapeError: ``src`` has a wrong number of axes.
        ArgumentError: A size is not positive, or ``interp`` is invalid.
    """
    expect_rank(src, 3)
    return src.with_shape((h, w, None if src.shape is None else src.shape[2]))


def _check_part(data: TensorType, x: int, y: int, width: int, height: int) -> None:
    expect_rank(data, 3, 4)
    rows, columns = (None, None) if data.shape is None else data.shape[-3:-1]
    below = rows is not None and y + height > rows
    if below or (columns is not None and x + width > columns):
        raise ShapeError(
            f"a crop of {width} x {height} at x={x}, y={y} exceeds {data.label}{show(data.shape)}"
        )


_CROP = Linear()


@operator("_image_crop", "_npx__image_crop", grad=_CROP.grad)
def image_crop(
    data: TensorType, *, x: NonNegative, y: NonNegative, width: Positive, height: Positive
) -> TensorType:
    """Return a rectangular crop of an image.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
        x: First column.
        y: First row.
        width: Number of columns.
        height: Number of rows.

    Returns:
        ``[height, width, C]`` or ``[N, height, width, C]``.

    Raises:
        ShapeError: The rectangle is not within the image, or ``data`` has a wrong number of axes.
    """
    _check_part(data, x, y, width, height)
    if data.shape is None:
        return data.with_shape(None)
    return data.with_shape((*data.shape[:-3], height, width, data.shape[-1]))


image_crop_backward = _CROP.gradient_of(image_crop, "image_crop_backward")


def _of_flip(data: TensorType) -> TensorType:
    """Return the type of an image.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Raises:
        ShapeError: ``data`` has a wrong number of axes.
    """
    expect_rank(data, 3, 4)
    return data


_flip = family(_of_flip, kernel="image_{}", name="_image_{}")

image_flip_left_right = _flip(
    "flip_left_right",
    "_npx__image_flip_left_right",
    text="Return the image mirrored horizontally.",
    grad=gradient_by("_image_flip_left_right"),
)
image_flip_top_bottom = _flip(
    "flip_top_bottom",
    "_npx__image_flip_top_bottom",
    text="Return the image mirrored vertically.",
    grad=gradient_by("_image_flip_top_bottom"),
)
image_random_flip_left_right = _flip(
    "random_flip_left_right",
    "_npx__image_random_flip_left_right",
    text="Return the image, mirrored horizontally with probability 1/2.",
    needs=("rng",),
)
image_random_flip_top_bottom = _flip(
    "random_flip_top_bottom",
    "_npx__image_random_flip_top_bottom",
    text="Return the image, mirrored vertically with probability 1/2.",
    needs=("rng",),
)
