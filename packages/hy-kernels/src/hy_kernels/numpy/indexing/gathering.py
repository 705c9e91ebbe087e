"""Gather and scatter of slices by coordinates; selection of slices by a mask or by index."""

from collections.abc import Sequence
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, contiguous, copied, out_buffer, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import add_rows, integers, positions


def _key(indices: Array, shape: Sequence[int]) -> tuple[Array, ...]:
    """Return the NumPy index of the slices at ``indices [coordinates, ...]``."""
    if len(indices) > len(shape):
        raise ValueError(f"{len(indices)} coordinates for the {len(shape)} axes of {shape}")
    return tuple(integers(indices))


@kernel(out="apart")
def gather_nd(data: Array, indices: Array, *, out: OutBuffers = None) -> Array:
    """Return the slices of ``data`` at the coordinates ``indices [coordinates, ...]``."""
    key = _key(indices, data.shape)
    # Without coordinates, or with scalar ones, ``data[key]`` is a view.
    is_new = out is None and key and indices.ndim > 1
    return contiguous(data[key]) if is_new else copied(data[key], out)


@kernel(out="apart")
def gather_nd_backward(dy: Array, data: Array, indices: Array, *, out: OutBuffers = None) -> Array:
    """Return the gradient of ``gather_nd``: slices of ``dy`` added at ``indices``."""
    key = _key(indices, data.shape)
    sizes, rest = data.shape[: len(key)], data.shape[len(key) :]
    # Without coordinates, every slice of dy was read from the whole array.
    if not key:
        return np.asarray(dy.reshape(-1, *rest).sum(axis=0, dtype=dy.dtype, out=out_buffer(out)))
    # ravel_multi_index rejects negative indices.
    index = [np.where(at < 0, at + n, at) for at, n in zip(key, sizes, strict=True)]
    flat = np.ravel_multi_index(index, sizes).ravel()
    dx = zeroed(out, data.shape, dy.dtype)
    add_rows(dy.reshape(flat.size, *rest), flat, dx.reshape(prod(sizes), *rest))
    return dx


def _set(target: Array, data: Array, indices: Array) -> Array:
    if data.shape != indices.shape[1:] + target.shape[len(indices) :] or data.dtype != target.dtype:
        raise ValueError(
            f"data {data.shape} {data.dtype} does not fit indices {indices.shape} into "
            f"{target.shape} {target.dtype}"
        )
    target[_key(indices, target.shape)] = data
    return target


@kernel(out="apart")
def scatter_nd(
    data: Array, indices: Array, *, shape: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return zeros of ``shape`` with ``data`` written at the coordinates ``indices``."""
    return _set(zeroed(out, shape, data.dtype), data, indices)


@kernel(out="first")
def scatter_set_nd(
    lhs: Array, rhs: Array, indices: Array, *, shape: tuple[int, ...], out: OutBuffers = None
) -> Array:
    """Return a copy of ``lhs`` with ``rhs`` written at the coordinates ``indices``."""
    if lhs.shape != shape:
        raise ValueError(f"lhs {lhs.shape} must have the shape {shape}")
    return _set(copied(lhs, out), rhs, indices)


def _row_index(index: Array, size: int) -> Array:
    """Return the mask ``index`` of ``size`` rows as booleans."""
    if index.shape != (size,):
        raise ValueError(f"the index {index.shape} must have one entry for each of {size} rows")
    return np.asarray(index != 0)


@kernel()
def boolean_mask(data: Array, index: Array, *, axis: int) -> Array:
    """Return the slices of ``data`` along ``axis`` where ``index`` is not 0."""
    return np.compress(_row_index(index, data.shape[axis]), data, axis)


@kernel(out="apart")
def boolean_mask_backward(
    dy: Array, data: Array, index: Array, *, axis: int, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``boolean_mask``: zeros, with ``dy`` where ``index`` is not 0."""
    dx = zeroed(out, data.shape, dy.dtype)
    np.moveaxis(dx, axis, 0)[_row_index(index, data.shape[axis])] = np.moveaxis(dy, axis, 0)
    return dx


@kernel(out="first")
def index_copy(
    old_tensor: Array, index_vector: Array, new_tensor: Array, *, out: OutBuffers = None
) -> Array:
    """Return a copy of ``old_tensor`` with ``new_tensor`` as its rows at ``index_vector``."""
    expected = index_vector.shape + old_tensor.shape[1:]
    if new_tensor.shape != expected or new_tensor.dtype != old_tensor.dtype:
        raise ValueError(
            f"new_tensor {new_tensor.shape} {new_tensor.dtype} must be {expected} "
            f"{old_tensor.dtype}"
        )
    y = copied(old_tensor, out)
    y[positions(index_vector, len(y), "raise")] = new_tensor
    return y
