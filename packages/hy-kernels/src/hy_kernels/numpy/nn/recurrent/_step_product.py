"""StepProduct: repeated products of a few rows with the same matrix, for loops over time.

OpenBLAS packs the factors of a product, which takes longer than the product if there are few rows.
Up to a million multiplications it may not pack, so a larger product is cut into blocks of columns
that are small enough.
"""

import numpy as np

from hy_kernels.numpy._array import Array, aligned
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.runtime._blas import MAX_UNPACKED_PRODUCT


def _num_blocks(rows: int, inner: int, columns: int) -> int:
    """Return the number of equally wide blocks to cut the columns into; 1 if no width fits."""
    max_columns = MAX_UNPACKED_PRODUCT // max(rows * inner, 1)
    if columns <= max_columns:
        return 1
    for width in range(max_columns, COSTS.products.step_narrow - 1, -1):
        if columns % width == 0:
            return columns // width
    return 1


class StepProduct:
    """Function that computes ``rows · matrix`` for a fixed matrix, into :attr:`result`."""

    def __init__(self, matrix: Array, rows: int, scale: Array | None = None) -> None:
        """Copy ``matrix [K, C]`` times ``scale [C]`` into blocks, for products of ``rows`` rows."""
        inner, columns = matrix.shape
        count = _num_blocks(rows, inner, columns)
        cut = (count, columns // count)
        self.result: Array = aligned((rows, columns), matrix.dtype)
        self._target = self.result.reshape(rows, *cut).transpose(1, 0, 2)
        self._matrix: Array = aligned((count, inner, cut[1]), matrix.dtype)
        blocks = matrix.reshape(inner, *cut).transpose(1, 0, 2)
        if scale is None:
            self._matrix[...] = blocks
        else:
            np.multiply(blocks, scale.reshape(count, 1, -1), out=self._matrix)

    def __call__(self, rows: Array) -> Array:
        """Return ``rows · matrix``, in memory that the next call overwrites."""
        np.matmul(rows, self._matrix, out=self._target)
        return self.result
