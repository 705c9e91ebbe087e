"""Winograd convolution, F(2x2, 3x3) and F(4x4, 3x3): 3 by 3 kernels with stride 1.

Results are computed in tiles of ``m`` by ``m``, each from ``m + 2`` by ``m + 2`` elements of the
image. Image tiles and kernels are transformed so that their elementwise product, summed over the
channels, is the transformed tile of the result: 2.25 times fewer multiplications for m = 2, 4 times
fewer for m = 4.

Source: Lavin and Gray, Fast Algorithms for Convolutional Neural Networks, 2015; the transforms of
F(4, 3) are the interpolation at 0, 1, -1, 2, -2 and infinity.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["TILES", "Tile"]


class Tile(NamedTuple):
    """Winograd's transform matrices: for image tiles, for kernels, and back to results.

    Example:
        >>> tile = TILES["winograd2"]
        >>> image, ones = np.arange(16).reshape(4, 4), np.ones(9)
        >>> planes = (tile.elements @ image @ tile.elements.T).ravel() * (tile.kernel @ ones)
        >>> (tile.results @ planes.reshape(4, 4) @ tile.results.T).tolist()
        [[45.0, 54.0], [81.0, 90.0]]
    """

    size: int
    elements: npt.NDArray[Any]
    kernel: npt.NDArray[Any]
    """The transform of flattened kernels, along both axes at once: ``[(m + 2)², 9]``."""
    results: npt.NDArray[Any]


def _tile(
    elements: list[list[float]], kernel: list[list[float]], results: list[list[float]]
) -> Tile:
    both = np.kron(kernel, kernel)
    return Tile(
        size=len(results), elements=np.array(elements), kernel=both, results=np.array(results)
    )


TILES = {
    "winograd2": _tile(
        [[1, 0, -1, 0], [0, 1, 1, 0], [0, -1, 1, 0], [0, 1, 0, -1]],
        [[1, 0, 0], [1 / 2, 1 / 2, 1 / 2], [1 / 2, -1 / 2, 1 / 2], [0, 0, 1]],
        [[1, 1, 1, 0], [0, 1, -1, -1]],
    ),
    "winograd4": _tile(
        [
            [4, 0, -5, 0, 1, 0],
            [0, -4, -4, 1, 1, 0],
            [0, 4, -4, -1, 1, 0],
            [0, -2, -1, 2, 1, 0],
            [0, 2, -1, -2, 1, 0],
            [0, 4, 0, -5, 0, 1],
        ],
        [
            [1 / 4, 0, 0],
            [-1 / 6, -1 / 6, -1 / 6],
            [-1 / 6, 1 / 6, -1 / 6],
            [1 / 24, 1 / 12, 1 / 6],
            [1 / 24, -1 / 12, 1 / 6],
            [0, 0, 1],
        ],
        [[1, 1, 1, 1, 1, 0], [0, 1, -1, 2, -2, 0], [0, 1, 1, 4, 4, 0], [0, 1, -1, 8, -8, 1]],
    ),
}
