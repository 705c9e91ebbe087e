# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.array.ndarray import NDArray

def adjust_lighting(data: NDArray, alpha: float | Sequence[float], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three numbers: how far along each component, in its standard deviations.

    Example:
        >>> nd.image.adjust_lighting(nd.ones((2, 3, 3)), alpha=(0.1, -0.2, 0.3)).shape
        (2, 3, 3)
    """
def crop(data: NDArray, x: int, y: int, width: int, height: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a rectangle of an image.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.
        x: First column.
        y: First row.
        width: Number of columns.
        height: Number of rows.

    Returns:
        ``[height, width, C]`` or ``[N, height, width, C]``.

    Example:
        >>> nd.image.crop(nd.ones((4, 5, 3)), x=1, y=2, width=3, height=1).shape
        (1, 3, 3)
    """
def crop_backward(dy: NDArray, data: NDArray, x: int, y: int, width: int, height: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return zeros like ``data`` with ``dy`` at the rectangle.

    Example:
        >>> y = nd.image.crop_backward(
        ...     nd.array([[[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]]),
        ...     nd.ones((4, 5, 2)),
        ...     x=1,
        ...     y=2,
        ...     width=3,
        ...     height=1,
        ... )
        >>> y.shape
        (4, 5, 2)
    """
def flip_left_right(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image flipped left and right.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> nd.image.flip_left_right(nd.ones((3, 5, 2))).shape
        (3, 5, 2)
    """
def flip_top_bottom(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image flipped top and bottom.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> nd.image.flip_top_bottom(nd.ones((5, 3, 2))).shape
        (5, 3, 2)
    """
def normalize(data: NDArray, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``(data - mean) / std``, by channel.

    Args:
        data: ``[C, H, W]`` or ``[N, C, H, W]``; 1 or 3 channels.
        mean: One number, or one for each channel.
        std: One number, or one for each channel.

    Example:
        >>> y = nd.image.normalize(
        ...     nd.ones((3, 4, 5)),
        ...     mean=(0.5, 0.4, 0.3),
        ...     std=(0.2, 0.25, 2.0),
        ... )
        >>> y.shape
        (3, 4, 5)
    """
def random_brightness(data: NDArray, min_factor: float, max_factor: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

    Example:
        >>> y = nd.image.random_brightness(
        ...     nd.ones((3, 4, 3)),
        ...     min_factor=1.25,
        ...     max_factor=1.25,
        ... )
        >>> y.shape
        (3, 4, 3)
    """
def random_color_jitter(data: NDArray, brightness: float, contrast: float, saturation: float,
        hue: float, *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image with random brightness, contrast, saturation and hue, in random order.

    Args:
        data: ``[H, W, C]``.
        brightness: The factor is from ``1 - brightness`` to ``1 + brightness``.
        contrast: The same for contrast.
        saturation: The same for saturation.
        hue: Hues are turned by a part from ``-hue`` to ``hue``.

    Example:
        >>> y = nd.image.random_color_jitter(
        ...     nd.ones((2, 3, 3)),
        ...     brightness=0.0,
        ...     contrast=0.0,
        ...     saturation=0.0,
        ...     hue=0.0,
        ... )
        >>> y.shape
        (2, 3, 3)
    """
def random_contrast(data: NDArray, min_factor: float, max_factor: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image with its distance from the mean gray times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

    Example:
        >>> nd.image.random_contrast(nd.ones((3, 4, 3)), min_factor=0.75, max_factor=0.75).shape
        (3, 4, 3)
    """
def random_flip_left_right(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image, flipped left and right with probability 1/2.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> y = nd.image.random_flip_left_right(
        ...     nd.array([[[-2.0, -1.2]], [[-0.4, 0.4]], [[1.2, 2.0]]]),
        ... )
        >>> y.shape
        (3, 1, 2)
    """
def random_flip_top_bottom(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image, flipped top and bottom with probability 1/2.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> y = nd.image.random_flip_top_bottom(
        ...     nd.array([[[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]]),
        ... )
        >>> y.asnumpy().round(3)
        array([[[-2. , -1.2],
                [-0.4,  0.4],
                [ 1.2,  2. ]]], dtype=float32)
    """
def random_hue(data: NDArray, min_factor: float, max_factor: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image with its hues rotated randomly, lightness and saturation unchanged.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least part; 1 is the whole circle.
        max_factor: The largest.

    Example:
        >>> y = nd.image.random_hue(
        ...     nd.array([[[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]]]),
        ...     min_factor=1.1,
        ...     max_factor=1.1,
        ... )
        >>> y.asnumpy().round(3)
        array([[[0.04, 0.  , 0.4 ],
                [0.64, 0.6 , 1.  ]]], dtype=float32)
    """
def random_lighting(data: NDArray, alpha_std: float = 0.05, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image randomly shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha_std: Standard deviation of the shifts, in those of the components.

    Example:
        >>> nd.image.random_lighting(nd.ones((2, 3, 3)), alpha_std=0.0).shape
        (2, 3, 3)
    """
def random_saturation(data: NDArray, min_factor: float, max_factor: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image with its distance from gray times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

    Example:
        >>> nd.image.random_saturation(nd.ones((3, 4, 3)), min_factor=0.5, max_factor=0.5).shape
        (3, 4, 3)
    """
def resize(data: NDArray, size: int | Sequence[int] = (), keep_ratio: bool = False, interp: int = 1,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return an image resized, with the numbers of OpenCV.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: With one number: that of the shorter side, the other follows.
        interp: 0 nearest pixel, 1 linear, 2 cubic, 3 mean over the area, 4 Lanczos.

    Returns:
        ``[rows, columns, C]`` or ``[N, rows, columns, C]``.

    Example:
        >>> y = nd.image.resize(
        ...     nd.array([[[0.0], [10.0], [20.0], [30.0]]]),
        ...     size=(2, 1),
        ...     interp=2,
        ... )
        >>> y.asnumpy().round(3)
        array([[[ 4.062],
                [25.938]]], dtype=float32)
    """
def to_tensor(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return an image scaled from 0 … 255 to 0 … 1, with channels first.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Returns:
        ``[C, H, W]`` or ``[N, C, H, W]``, float32.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.image.to_tensor(nd.array([[[0, 51, 255]]], dtype="uint8")).asnumpy().ravel()
        array([0. , 0.2, 1. ], dtype=float32)
    """
