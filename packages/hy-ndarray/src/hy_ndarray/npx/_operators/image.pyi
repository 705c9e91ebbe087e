# Written by `hatch run stubs` from the operator catalogue.
from collections.abc import Sequence
from hy_ndarray.np.multiarray import ndarray

def adjust_lighting(data: ndarray, alpha: float | Sequence[float], *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image shifted along the principal components of ImageNet's colors.

    Args:
        data: ``[H, W, C]``, values from 0 to 255.
        alpha: Three numbers: how far along each component, in its standard deviations.

    Example:
        >>> npx.image.adjust_lighting(np.ones((2, 3, 3)), alpha=(0.1, -0.2, 0.3)).shape
        (2, 3, 3)
    """
def crop(data: ndarray, x: int, y: int, width: int, height: int, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
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
        >>> npx.image.crop(np.ones((4, 5, 3)), x=1, y=2, width=3, height=1).shape
        (1, 3, 3)
    """
def flip_left_right(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image flipped left and right.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> npx.image.flip_left_right(np.ones((3, 5, 2))).shape
        (3, 5, 2)
    """
def flip_top_bottom(data: ndarray, *, out: ndarray | Sequence[ndarray] | None = None,
        name: str | None = None) -> ndarray:
    """Return the image flipped top and bottom.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype.

    Example:
        >>> npx.image.flip_top_bottom(np.ones((5, 3, 2))).shape
        (5, 3, 2)
    """
def normalize(data: ndarray, mean: float | Sequence[float] = (0.0, 0.0, 0.0, 0.0),
        std: float | Sequence[float] = (1.0, 1.0, 1.0, 1.0), *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return ``(data - mean) / std``, by channel.

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
    """Return the image times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

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
        brightness: The factor is from ``1 - brightness`` to ``1 + brightness``.
        contrast: The same for contrast.
        saturation: The same for saturation.
        hue: Hues are turned by a part from ``-hue`` to ``hue``.

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
    """Return the image with its distance from the mean gray times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

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
    """Return the image, flipped left and right with probability 1/2.

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
    """Return the image, flipped top and bottom with probability 1/2.

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
    """Return the image with its hues rotated randomly, lightness and saturation unchanged.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least part; 1 is the whole circle.
        max_factor: The largest.

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
        alpha_std: Standard deviation of the shifts, in those of the components.

    Example:
        >>> npx.image.random_lighting(np.ones((2, 3, 3)), alpha_std=0.0).shape
        (2, 3, 3)
    """
def random_saturation(data: ndarray, min_factor: float, max_factor: float, *,
        out: ndarray | Sequence[ndarray] | None = None, name: str | None = None) -> ndarray:
    """Return the image with its distance from gray times a random factor.

    Args:
        data: ``[H, W, C]``.
        min_factor: The least factor.
        max_factor: The largest.

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
    """Return an image resized, with the numbers of OpenCV.

    Args:
        data: ``[H, W, C]`` or ``[N, H, W, C]``, any dtype; integers are rounded.
        size: Columns and rows; or one number for both.
        keep_ratio: With one number: that of the shorter side, the other follows.
        interp: 0 nearest pixel, 1 linear, 2 cubic, 3 mean over the area, 4 Lanczos.

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
