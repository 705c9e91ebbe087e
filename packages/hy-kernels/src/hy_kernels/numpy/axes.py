"""Axes in another order, elements of an axis in another order, blocks moved between axes."""

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["reverse", "swapaxes", "transpose"]


def transpose(data: Array, *, axes: tuple[int, ...]) -> Array:
    """A contiguous copy with its axes permuted."""
    return data.transpose(axes or None).copy()


def swapaxes(data: Array, *, dim1: int, dim2: int) -> Array:
    """A contiguous copy with two axes exchanged."""
    return data.swapaxes(dim1, dim2).copy()


def reverse(data: Array, *, axis: tuple[int, ...]) -> Array:
    """A contiguous copy, backwards along the axes."""
    return np.flip(data, axis).copy()
