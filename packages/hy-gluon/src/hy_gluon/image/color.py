"""color_normalize: normalises colours by mean and standard deviation."""

from typing import Any

__all__ = ["color_normalize"]


def color_normalize(src: Any, mean: Any, std: Any = None) -> Any:
    """Return ``(src - mean) / std``.

    Args:
        src: An image of floating dtype.
        mean: A number, or an array that broadcasts to the image; None for 0.
        std: Standard deviation of each channel; 1 if None.

    Example:
        >>> color_normalize(nd.ones((1, 1, 3)), nd.array([0, 1, 2]), 2.0).asnumpy()
        array([[[ 0.5,  0. , -0.5]]], dtype=float32)
    """
    if mean is not None:
        src = src - mean
    return src if std is None else src / std
