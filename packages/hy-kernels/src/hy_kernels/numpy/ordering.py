"""Searching and sorting along an axis."""

from collections.abc import Callable

import numpy as np

from hy_kernels.numpy._array import Array

__all__ = ["argmax", "argmax_channel", "argmin"]


def _search(find: Callable[..., Array], data: Array, axis: int | None, keepdims: bool) -> Array:
    y = np.asarray(find(data, axis=axis, keepdims=keepdims), data.dtype)
    return y if y.ndim else y.reshape(1)


def argmax(data: Array, *, axis: int | None, keepdims: bool) -> Array:
    """Position of the largest element."""
    return _search(np.argmax, data, axis, keepdims)


def argmin(data: Array, *, axis: int | None, keepdims: bool) -> Array:
    """Position of the smallest element."""
    return _search(np.argmin, data, axis, keepdims)


def argmax_channel(data: Array) -> Array:
    """Position of the largest element along axis 1."""
    return _search(np.argmax, data, 1, False)
