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
    # MXNet returns positions in the dtype of the data, and no arrays without axes.
    return copied(result if result.ndim else result.reshape(1), out, dtype=data.dtype)


@kernel(out="apart")
def argmax(data: Array, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Array:
    """Return the position of the largest element along an axis."""
    return _search(np.ndarray.argmax, data, axis, keepdims, out)


@kernel(out="apart")
def argmin(data: Array, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Array:
    """Return the position of the smallest element along an axis."""
    return _search(np.ndarray.argmin, data, axis, keepdims, out)


def _first_by_value(rows: Array, k: int, is_ascend: bool) -> Array:
    """Return the positions of the ``k`` smallest or largest elements along the last axis."""
    size = rows.shape[-1]
    if k > size:
        raise ValueError(f"k is {k}, but the axis has {size} elements")
    rows = rows.astype(accumulator(rows.dtype), copy=False)
    if k <= 0 or k * COSTS.rows.partition > size:
        return stable_order(rows, is_ascend)[..., : k if k > 0 else size]
    if k <= COSTS.rows.passes and (result := _by_passes(rows, k, is_ascend)) is not None:
        return result
    # Linear time instead of a sort: the k-th value bounds the others, and just they are sorted.
    last = np.partition(rows, k - 1 if is_ascend else size - k, axis=-1)
    if last.dtype.kind == "f" and np.isnan(last[..., -1:]).any():
        return stable_order(rows, is_ascend)[..., :k]
    bound = last[..., k - 1 if is_ascend else size - k, None]
    inside = rows <= bound if is_ascend else rows >= bound
    if np.count_nonzero(inside) > k * (rows.size // size):
        # Several elements equal the bound: of those the first ones, as a stable sort would take.
        tied = rows == bound
        surplus = np.count_nonzero(inside, axis=-1, keepdims=True) - k
        remaining = np.count_nonzero(tied, axis=-1, keepdims=True) - surplus
        inside &= ~tied | (np.cumsum(tied, axis=-1) <= remaining)
    result = np.nonzero(inside)[-1].reshape(*rows.shape[:-1], k)
    order = stable_order(np.take_along_axis(rows, result, -1), is_ascend)
    return np.take_along_axis(result, order, -1)


def _by_passes(rows: Array, k: int, is_ascend: bool) -> Array | None:
    """Compute :func:`_first_by_value` by ``k`` passes; None where equal elements are ambiguous."""
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
        # Elements selected already are marked by a sentinel, which may be one of the data's.
        if (left[each, index] == sentinel).any():
            return None
        left[each, index] = sentinel
    return result.reshape(*rows.shape[:-1], k)


def _leading(data: Array, axis: int | None, k: int, is_ascend: bool) -> Array:
    """Return positions along the axis of the first ``k`` elements by value."""
    if axis is None or axis in (-1, data.ndim - 1):
        return _first_by_value(data.reshape(-1) if axis is None else data, k, is_ascend)
    return np.moveaxis(_first_by_value(np.moveaxis(data, axis, -1), k, is_ascend), -1, axis)


def _flat_indices(data: Array, result: Array, axis: int | None) -> Array:
    """Return positions along an axis as flat indices into ``data``."""
    return result if axis is None else flat_indices_along(data.shape, result, axis % data.ndim)


@kernel(out="apart")
def sort(data: Array, *, axis: int | None, is_ascend: bool, out: OutBuffers = None) -> Array:
    """Return the elements sorted along an axis."""
    if axis is None:
        data, axis = data.reshape(-1), 0
    y = copied(data, out)
    y.sort(axis)
    if not is_ascend:
        # numpy copies first, as source and target overlap.
        y[...] = np.flip(y, axis)
    return y


@kernel(out="apart")
def argsort(
    data: Array, *, axis: int | None, is_ascend: bool, dtype: str, out: OutBuffers = None
) -> Array:
    """Return the positions that sort the elements along an axis."""
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
    """Return the ``k`` first elements by value, their positions, both, or a mask of them."""
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
    """Return zeros with ``dy`` at the ``k`` first elements of ``data`` by value."""
    dx = zeroed(out, data.shape, dy.dtype)
    dx.reshape(-1)[_flat_indices(data, _leading(data, axis, k, is_ascend), axis)] = dy
    return dx


@kernel(out="apart")
def leading_of(
    values: Array, data: Array, *, axis: int | None, k: int, is_ascend: bool, out: OutBuffers = None
) -> Array:
    """Return ``values`` at the positions of the ``k`` first elements of ``data`` by value."""
    flat = _flat_indices(data, _leading(data, axis, k, is_ascend), axis)
    return values.take(flat, out=out_buffer(out), mode="clip")
