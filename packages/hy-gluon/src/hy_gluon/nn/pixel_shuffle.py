"""Pixel shuffling: channels rearranged as pixels."""

from typing import Any

from hy_gluon.block import HybridBlock
from hy_gluon.nn._arguments import Sizes, sizes

__all__ = ["PixelShuffle1D", "PixelShuffle2D", "PixelShuffle3D"]


class PixelShuffle1D(HybridBlock):
    """Pixel shuffle over one axis: ``[N, f C, W]`` becomes ``[N, C, W f]``.

    Args:
        factor: ``f``.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle1D(2)(nd.array([[[1, 2], [3, 4]]])).asnumpy()
        array([[[1., 3., 2., 4.]]], dtype=float32)
    """

    def __init__(self, factor: int) -> None:
        super().__init__()
        self._factor = int(factor)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` rearranged."""
        x = F.reshape(x, shape=(0, -4, -1, self._factor, 0))
        x = F.transpose(x, axes=(0, 1, 3, 2))
        return F.reshape(x, shape=(0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factor})"


class PixelShuffle2D(HybridBlock):
    """Pixel shuffle over two axes: ``[N, f g C, H, W]`` becomes ``[N, C, H f, W g]``.

    Args:
        factor: ``f`` and ``g``; or one int for both.

    Raises:
        LayerError: The number of factors is not two.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle2D((2, 3))(nd.ones((1, 12, 3, 5))).shape
        (1, 2, 6, 15)
    """

    def __init__(self, factor: Sizes) -> None:
        super().__init__()
        self._factors = sizes(factor, 2, "factor")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` rearranged."""
        f1, f2 = self._factors
        x = F.reshape(x, shape=(0, -4, -1, f1 * f2, 0, 0))
        x = F.reshape(x, shape=(0, 0, -4, f1, f2, 0, 0))
        x = F.transpose(x, axes=(0, 1, 4, 2, 5, 3))
        return F.reshape(x, shape=(0, 0, -3, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"


class PixelShuffle3D(HybridBlock):
    """Pixel shuffle: ``[N, f g h C, D, H, W]`` becomes ``[N, C, D f, H g, W h]``.

    Args:
        factor: ``f``, ``g`` and ``h``; or one int for all.

    Raises:
        LayerError: The number of factors is not three.

    Source:
        Shi et al., arXiv:1609.05158.

    Example:
        >>> PixelShuffle3D((2, 3, 4))(nd.ones((1, 48, 3, 5, 7))).shape
        (1, 2, 6, 15, 28)
    """

    def __init__(self, factor: Sizes) -> None:
        super().__init__()
        self._factors = sizes(factor, 3, "factor")

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        """Return ``x`` rearranged, one factor after the other."""
        f1, f2, f3 = self._factors
        x = F.reshape(x, shape=(0, -4, -1, f1 * f2 * f3, 0, 0, 0))
        x = F.swapaxes(x, dim1=2, dim2=3)
        x = F.reshape(x, shape=(0, 0, 0, -4, f1, f2 * f3, 0, 0))
        x = F.reshape(x, shape=(0, 0, -3, 0, 0, 0))
        x = F.swapaxes(x, dim1=3, dim2=4)
        x = F.reshape(x, shape=(0, 0, 0, 0, -4, f2, f3, 0))
        x = F.reshape(x, shape=(0, 0, 0, -3, 0, 0))
        x = F.swapaxes(x, dim1=4, dim2=5)
        return F.reshape(x, shape=(0, 0, 0, 0, -3))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._factors})"
