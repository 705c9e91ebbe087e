# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.array.ndarray import NDArray

def adjust_lighting(data: NDArray, alpha: float | Sequence[float], *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three shifts, one along each component, in standard deviations of the component.

    Example:
        >>> nd.image.adjust_lighting(nd.ones((2, 3, 3)), alpha=(0.1, -0.2, 0.3)).shape
        (2, 3, 3)
    """
def crop(data: NDArray, x: int, y: int, width: int, height: int, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return a rectangular crop of an image.

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
    """Return the gradient of ``_image_crop`` with respect to ``data``.

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
    """Return the image mirrored horizontally.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> nd.image.flip_left_right(nd.ones((3, 5, 2))).shape
        (3, 5, 2)
    """
def flip_top_bottom(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image mirrored vertically.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> nd.image.flip_top_bottom(nd.ones((5, 3, 2))).shape
        (5, 3, 2)
    """
def normalize(data: NDArray, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return ``(data - mean) / std`` for each channel.

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
    """Return the image multiplied by a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

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
        brightness: The brightness factor is drawn from ``1 - brightness`` to ``1 + brightness``.
        contrast: The contrast factor is drawn from ``1 - contrast`` to ``1 + contrast``.
        saturation: The saturation factor is drawn from ``1 - saturation`` to ``1 + saturation``.
        hue: The hue is rotated by ``-hue`` to ``hue``; 1 is a full circle.

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
    """Return the image with its contrast, the distance from the mean gray, scaled randomly.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

    Example:
        >>> nd.image.random_contrast(nd.ones((3, 4, 3)), min_factor=0.75, max_factor=0.75).shape
        (3, 4, 3)
    """
def random_flip_left_right(data: NDArray, *, out: NDArray | Sequence[NDArray] | None = None,
        name: str | None = None) -> NDArray:
    """Return the image, mirrored horizontally with probability 1/2.

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
    """Return the image, mirrored vertically with probability 1/2.

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
    """Return the image with its hue rotated by a random angle.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least rotation; 1 is a full circle.
        max_factor: The greatest rotation; 1 is a full circle.

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
        alpha_std: Standard deviation of the shifts, in standard deviations of the components.

    Example:
        >>> nd.image.random_lighting(nd.ones((2, 3, 3)), alpha_std=0.0).shape
        (2, 3, 3)
    """
def random_saturation(data: NDArray, min_factor: float, max_factor: float, *,
        out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return the image with its saturation, the distance from gray, scaled randomly.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

    Example:
        >>> nd.image.random_saturation(nd.ones((3, 4, 3)), min_factor=0.5, max_factor=0.5).shape
        (3, 4, 3)
    """
def resize(data: NDArray, size: int | Sequence[int] = (), keep_ratio: bool = False, interp: int = 1,
        *, out: NDArray | Sequence[NDArray] | None = None, name: str | None = None) -> NDArray:
    """Return an image resized, with the same results as OpenCV.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: Keep the aspect ratio; one number for ``size`` is then the shorter side.
        interp: Interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.

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
