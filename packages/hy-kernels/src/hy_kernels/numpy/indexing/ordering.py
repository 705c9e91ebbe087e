"""Searching and sorting along an axis."""

from collections.abc import Callable

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._order import stable_order
from hy_kernels.numpy._rows import flat_indices_along
from hy_kernels.numpy.costs import COSTS


def _search(
    find: Callable[..., Array], data: Array, axis: int | None, keepdims: bool, out: OutBuffers
) -> Array:
    result = np.asarray(find(data, axis, keepdims=keepdims))
    # MXNet returns indices in the dtype of the data, and no 0-d arrays.
    return copied(result if result.ndim else result.reshape(1), out, dtype=data.dtype)


@kernel(out="apart")
def argmax(data: Array, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Array:
    """Return the index of the largest element along ``axis``, in the dtype of ``data``."""
    return _search(np.ndarray.argmax, data, axis, keepdims, out)


@kernel(out="apart")
def argmin(data: Array, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Array:
    """Return the index of the smallest element along ``axis``, in the dtype of ``data``."""
    return _search(np.ndarray.argmin, data, axis, keepdims, out)


def _first_by_value(rows: Array, k: int, is_ascend: bool) -> Array:
    """Return the indices of the ``k`` smallest or largest elements along the last axis, in order.

    All elements if ``k`` is 0; smallest first if ``is_ascend``, else largest first.
    """
    size = rows.shape[-1]
    if k > size:
        raise ValueError(f"k is {k}, but the axis has {size} elements")
    rows = rows.astype(accumulator(rows.dtype), copy=False)
    if k <= 0 or k * COSTS.rows.partition > size:
        return stable_order(rows, is_ascend)[..., : k if k > 0 else size]
    if k <= COSTS.rows.passes and (result := _by_passes(rows, k, is_ascend)) is not None:
        return result
    # Linear time: a partition finds the k-th value, and only elements up to it are sorted.
    last = np.partition(rows, k - 1 if is_ascend else size - k, axis=-1)
    if last.dtype.kind == "f" and np.isnan(last[..., -1:]).any():
        return stable_order(rows, is_ascend)[..., :k]
    bound = last[..., k - 1 if is_ascend else size - k, None]
    inside = rows <= bound if is_ascend else rows >= bound
    if np.count_nonzero(inside) > k * (rows.size // size):
        # Several elements equal the bound: take the first of them, as a stable sort would.
        tied = rows == bound
        surplus = np.count_nonzero(inside, axis=-1, keepdims=True) - k
        remaining = np.count_nonzero(tied, axis=-1, keepdims=True) - surplus
        inside &= ~tied | (np.cumsum(tied, axis=-1) <= remaining)
    result = np.nonzero(inside)[-1].reshape(*rows.shape[:-1], k)
    order = stable_order(np.take_along_axis(rows, result, -1), is_ascend)
    return np.take_along_axis(result, order, -1)


def _by_passes(rows: Array, k: int, is_ascend: bool) -> Array | None:
    """Compute :func:`_first_by_value` by ``k`` searches; None if a sentinel would be ambiguous."""
    kind = rows.dtype.kind
    if kind not in "fiu" or (is_ascend and kind == "f" and np.isnan(rows.min())):
        return None
    find = np.ndarray.argmin if is_ascend else np.ndarray.argmax
    sentinel: float = np.inf if is_ascend else -np.inf
    if kind != "f":
        sentinel = np.iinfo(rows.dtype).max if is_ascend else np.iinfo(rows.dtype).min
    left = np.array(rows, order="C").reshape(-1, rows.shape[-1])
    result = np.empty((len(left), k), np.intp)
    each = np.arange(len(left))
    for i in range(k):
        result[:, i] = index = find(left, axis=-1)
        # Selected elements are overwritten by a sentinel, which may also occur in the data.
        if (left[each, index] == sentinel).any():
            return None
        left[each, index] = sentinel
    return result.reshape(*rows.shape[:-1], k)


def _leading(data: Array, axis: int | None, k: int, is_ascend: bool) -> Array:
    """Return the indices along ``axis`` of the ``k`` smallest or largest elements, in order."""
    if axis is None or axis in (-1, data.ndim - 1):
        return _first_by_value(data.reshape(-1) if axis is None else data, k, is_ascend)
    return np.moveaxis(_first_by_value(np.moveaxis(data, axis, -1), k, is_ascend), -1, axis)


def _flat_indices(data: Array, result: Array, axis: int | None) -> Array:
    """Convert ``result``, indices along ``axis``, to flat indices into ``data``."""
    return result if axis is None else flat_indices_along(data.shape, result, axis % data.ndim)


@kernel(out="apart")
def sort(data: Array, *, axis: int | None, is_ascend: bool, out: OutBuffers = None) -> Array:
    """Return a copy sorted along ``axis``, or flattened and sorted if it is None."""
    if axis is None:
        data, axis = data.reshape(-1), 0
    y = copied(data, out)
    y.sort(axis)
    if not is_ascend:
        # NumPy makes a copy first, because source and target overlap.
        y[...] = np.flip(y, axis)
    return y


@kernel(out="apart")
def argsort(
    data: Array, *, axis: int | None, is_ascend: bool, dtype: str, out: OutBuffers = None
) -> Array:
    """Return the indices that sort ``data`` along ``axis``, converted to ``dtype``."""
    return copied(_leading(data, axis, 0, is_ascend), out, dtype=np.dtype(dtype))


@kernel(out="apart")
def topk(
    data: Array,
    *,
    axis: int | None,
    k: int,
    ret_typ: str,
    is_ascend: bool,
    dtype: str,
    out: OutBuffers = None,
) -> Array | tuple[Array, Array]:
    """Return the ``k`` largest or smallest elements along ``axis``, by ``ret_typ``.

    The result is their values, their indices, both, or a mask of them.
    """
    result = _leading(data, axis, k, is_ascend)
    if ret_typ == "indices":
        return copied(result, out, dtype=np.dtype(dtype))
    flat = _flat_indices(data, result, axis)
    if ret_typ == "mask":
        mask = zeroed(out, data.shape, data.dtype)
        mask.reshape(-1)[flat] = 1
        return mask
    values = data.take(flat, out=out_buffer(out), mode="clip")
    if ret_typ == "value":
        return values
    return values, copied(result, out, 1, dtype=np.dtype(dtype))


@kernel(out="apart")
def leading_backward(
    dy: Array, data: Array, *, axis: int | None, k: int, is_ascend: bool, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``topk``'s values: zeros, with ``dy`` at the selected elements."""
    dx = zeroed(out, data.shape, dy.dtype)
    dx.reshape(-1)[_flat_indices(data, _leading(data, axis, k, is_ascend), axis)] = dy
    return dx


@kernel(out="apart")
def leading_of(
    values: Array, data: Array, *, axis: int | None, k: int, is_ascend: bool, out: OutBuffers = None
) -> Array:
    """Return the elements of ``values`` where ``data`` has its ``k`` largest or smallest ones."""
    flat = _flat_indices(data, _leading(data, axis, k, is_ascend), axis)
    return values.take(flat, out=out_buffer(out), mode="clip")
