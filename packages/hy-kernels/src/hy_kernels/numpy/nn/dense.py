"""The fully connected layer."""

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, place
from hy_kernels.numpy._product import product

__all__ = [
    "fully_connected",
    "fully_connected_backward_data",
    "fully_connected_backward_weight",
    "project",
]


def _rows(array: Array, *, flatten: bool) -> Array:
    """The array as a matrix: one row per sample, or per vector of the last axis."""
    if array.ndim == 2:
        return array
    return array.reshape(array.shape[0] if flatten else -1, -1 if flatten else array.shape[-1])


def _dot(a: Array, b: Array, into: Places = None) -> Array:
    """Matrix product, in at least float32; in the memory of ``into``, if there is some."""
    dtype = accumulator(a.dtype)
    if dtype == a.dtype:
        memory = place(into)
        return product(a, b, None if memory is None else memory.reshape(len(a), b.shape[1]))
    return np.asarray(product(a.astype(dtype), b.astype(dtype)), a.dtype)


def project(data: Array, weight: Array, *, flatten: bool, into: Places = None) -> Array:
    """``data · weightᵀ``."""
    y = _dot(_rows(data, flatten=flatten), weight.T, into)
    return y if flatten or data.ndim == 2 else y.reshape(*data.shape[:-1], -1)


def fully_connected(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,  # weight tells
    no_bias: bool,
    flatten: bool,
    into: Places = None,
) -> Array:
    """``data · weightᵀ + bias``."""
    if data.ndim == 2 and data.dtype.itemsize > 2:  # the common case, without a detour
        y = product(data, weight.T, place(into))
    else:
        y = project(data, weight, flatten=flatten, into=into)
    if bias is not None:
        y += bias
    return y


def fully_connected_backward_data(
    dy: Array, weight: Array, data: Array, *, flatten: bool, into: Places = None
) -> Array:
    """``dy · weight`` in the shape of ``data``."""
    return _dot(_rows(dy, flatten=flatten), weight, into).reshape(data.shape)


def fully_connected_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    flatten: bool,
) -> Array:
    """``dyᵀ · data``."""
    return _dot(_rows(dy, flatten=flatten).T, _rows(data, flatten=flatten))
