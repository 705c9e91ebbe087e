# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.np.multiarray import ndarray

def adjust_lighting(data: ndarray, alpha: float | Sequence[float], *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three shifts, one along each component, in standard deviations of the component.

    Example:
        >>> npx.image.adjust_lighting(np.ones((2, 3, 3)), alpha=(0.1, -0.2, 0.3)).shape
        (2, 3, 3)
    """
def crop(data: ndarray, x: int, y: int, width: int, height: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> npx.image.crop(np.ones((4, 5, 3)), x=1, y=2, width=3, height=1).shape
        (1, 3, 3)
    """
def flip_left_right(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image mirrored horizontally.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> npx.image.flip_left_right(np.ones((3, 5, 2))).shape
        (3, 5, 2)
    """
def flip_top_bottom(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image mirrored vertically.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> npx.image.flip_top_bottom(np.ones((5, 3, 2))).shape
        (5, 3, 2)
    """
def normalize(data: ndarray, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``(data - mean) / std`` for each channel.

    Args:
        data: ``[C, H, W]`` or ``[N, C, H, W]``; 1 or 3 channels.
        mean: One number, or one for each channel.
        std: One number, or one for each channel.

    Example:
        >>> y = npx.image.normalize(
        ...     np.ones((3, 4, 5)),
        ...     mean=(0.5, 0.4, 0.3),
        ...     std=(0.2, 0.25, 2.0),
        ... )
        >>> y.shape
        (3, 4, 5)
    """
def random_brightness(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image multiplied by a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

    Example:
        >>> y = npx.image.random_brightness(
        ...     np.ones((3, 4, 3)),
        ...     min_factor=1.25,
        ...     max_factor=1.25,
        ... )
        >>> y.shape
        (3, 4, 3)
    """
def random_color_jitter(data: ndarray, brightness: float, contrast: float, saturation: float,
        hue: float, *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image with random brightness, contrast, saturation and hue, in random order.

    Args:
        data: ``[H, W, C]``.
        brightness: The brightness factor is drawn from ``1 - brightness`` to ``1 + brightness``.
        contrast: The contrast factor is drawn from ``1 - contrast`` to ``1 + contrast``.
        saturation: The saturation factor is drawn from ``1 - saturation`` to ``1 + saturation``.
        hue: The hue is rotated by ``-hue`` to ``hue``; 1 is a full circle.

    Example:
        >>> y = npx.image.random_color_jitter(
        ...     np.ones((2, 3, 3)),
        ...     brightness=0.0,
        ...     contrast=0.0,
        ...     saturation=0.0,
        ...     hue=0.0,
        ... )
        >>> y.shape
        (2, 3, 3)
    """
def random_contrast(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image with its contrast, the distance from the mean gray, scaled randomly.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

    Example:
        >>> y = npx.image.random_contrast(
        ...     np.ones((3, 4, 3)),
        ...     min_factor=0.75,
        ...     max_factor=0.75,
        ... )
        >>> y.shape
        (3, 4, 3)
    """
def random_flip_left_right(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image, mirrored horizontally with probability 1/2.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> y = npx.image.random_flip_left_right(
        ...     np.array([[[-2.0, -1.2]], [[-0.4, 0.4]], [[1.2, 2.0]]]),
        ... )
        >>> y.shape
        (3, 1, 2)
    """
def random_flip_top_bottom(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image, mirrored vertically with probability 1/2.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> y = npx.image.random_flip_top_bottom(
        ...     np.array([[[-2.0, -1.2], [-0.4, 0.4], [1.2, 2.0]]]),
        ... )
        >>> y.round(3)
        array([[[-2. , -1.2],
                [-0.4,  0.4],
                [ 1.2,  2. ]]])
    """
def random_hue(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image with its hue rotated by a random angle.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least rotation; 1 is a full circle.
        max_factor: The greatest rotation; 1 is a full circle.

    Example:
        >>> y = npx.image.random_hue(
        ...     np.array([[[0.0, 0.2, 0.4], [0.6, 0.8, 1.0]]]),
        ...     min_factor=1.1,
        ...     max_factor=1.1,
        ... )
        >>> y.round(3)
        array([[[0.04, 0.  , 0.4 ],
                [0.64, 0.6 , 1.  ]]])
    """
def random_lighting(data: ndarray, alpha_std: float = 0.05, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image randomly shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha_std: Standard deviation of the shifts, in standard deviations of the components.

    Example:
        >>> npx.image.random_lighting(np.ones((2, 3, 3)), alpha_std=0.0).shape
        (2, 3, 3)
    """
def random_saturation(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image with its saturation, the distance from gray, scaled randomly.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The greatest factor.

    Example:
        >>> y = npx.image.random_saturation(
        ...     np.ones((3, 4, 3)),
        ...     min_factor=0.5,
        ...     max_factor=0.5,
        ... )
        >>> y.shape
        (3, 4, 3)
    """
def resize(data: ndarray, size: int | Sequence[int] = (), keep_ratio: bool = False, interp: int = 1,
        *, out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return an image resized, with the same results as OpenCV.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: Keep the aspect ratio; one number for ``size`` is then the shorter side.
        interp: Interpolation: 0 nearest, 1 linear, 2 cubic, 3 area, 4 Lanczos.

    Returns:
        ``[rows, columns, C]`` or ``[N, rows, columns, C]``.

    Example:
        >>> y = npx.image.resize(
        ...     np.array([[[0.0], [10.0], [20.0], [30.0]]]),
        ...     size=(2, 1),
        ...     interp=2,
        ... )
        >>> y.round(3)
        array([[[ 4.062],
                [25.938]]])
    """
def to_tensor(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return an image scaled from 0 … 255 to 0 … 1, with channels first.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Returns:
        ``[C, H, W]`` or ``[N, C, H, W]``, float32.

    Example:
        >>> npx.image.to_tensor(np.ones((2, 3, 1, 4))).shape
        (2, 4, 3, 1)
    """
