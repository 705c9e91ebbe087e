# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.np.multiarray import ndarray

def adjust_lighting(data: ndarray, alpha: float | Sequence[float], *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """All pixels shifted along the principal components of the colors of ImageNet.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three numbers: how far along each component, in its standard deviations.
    """
def crop(data: ndarray, x: int, y: int, width: int, height: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """A part of an image.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
        x: First column.
        y: First row.
        width: Number of columns.
        height: Number of rows.

    Returns:
        ``[height, width, C]`` or ``[N, height, width, C]``.
    """
def flip_left_right(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """The mirror image: columns in reverse order.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
    """
def flip_top_bottom(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """The image upside down: rows in reverse order.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
    """
def normalize(data: ndarray, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """``(data - mean) / std``, by channel.

    Args:
        data: ``[C, H, W]`` or ``[N, C, H, W]``; 1 or 3 channels.
        mean: One number, or one for each channel.
        std: One number, or one for each channel.
    """
def random_brightness(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The image times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.
    """
def random_color_jitter(data: ndarray, brightness: float, contrast: float, saturation: float,
        hue: float, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Random brightness, contrast, saturation and hue, one behind the other in random order.

    Args:
        data: ``[H, W, C]``.
        brightness: The factor is from ``1 - brightness`` to ``1 + brightness``.
        contrast: The same for contrast.
        saturation: The same for saturation.
        hue: Hues are turned by a part from ``-hue`` to ``hue``.
    """
def random_contrast(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The difference to the mean gray of the image times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.
    """
def random_flip_left_right(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """The image or its mirror image, with the same chance.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
    """
def random_flip_top_bottom(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """The image upside down or not, with the same chance.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
    """
def random_hue(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Hues turned by a random part of their circle; lightness and saturation stay.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least part; 1 is the whole circle.
        max_factor: The largest.
    """
def random_lighting(data: ndarray, alpha_std: float = 0.05, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """All pixels shifted at random along the principal components of the colors of ImageNet.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha_std: Standard deviation of the shifts, in those of the components.
    """
def random_saturation(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """The difference of each pixel to its gray times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.
    """
def resize(data: ndarray, size: int | Sequence[int] = (), keep_ratio: bool = False, interp: int = 1,
        *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """An image in another size, with the numbers OpenCV has.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: With one number: that of the shorter side, the other follows.
        interp: 0 nearest pixel, 1 linear, 2 cubic, 3 mean over the area, 4 Lanczos.

    Returns:
        ``[rows, columns, C]`` or ``[N, rows, columns, C]``.
    """
def to_tensor(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """An image of values from 0 to 255 as one from 0 to 1, with the channels first.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Returns:
        ``[C, H, W]`` or ``[N, C, H, W]``, float32.
    """
