"""Searching and sorting along an axis."""

from collections.abc import Callable

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = [
    "argmax",
    "argmax_channel",
    "argmin",
    "argsort",
    "leading_backward",
    "leading_of",
    "sort",
    "topk",
]

_FEW = 8  # partition first where at most one in so many elements is asked for


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


def _rows(data: Array, axis: int | None) -> Array:
    """``data`` with the axis to sort along as the last one."""
    return data.reshape(-1) if axis is None else np.moveaxis(data, axis, -1)


def _restored(rows: Array, axis: int | None) -> Array:
    """``rows`` with its last axis back in its place."""
    return np.ascontiguousarray(rows if axis is None else np.moveaxis(rows, -1, axis))


def _order(rows: Array, is_ascend: bool) -> Array:
    """Positions along the last axis by value; equal elements stay in their order."""
    if is_ascend:
        return np.argsort(rows, axis=-1, kind="stable")
    turned = np.argsort(rows[..., ::-1], axis=-1, kind="stable")[..., ::-1]
    return np.asarray(rows.shape[-1] - 1 - turned)


def _first(rows: Array, k: int, is_ascend: bool) -> Array:
    """Positions along the last axis of the ``k`` first elements by value, all if below 1."""
    size = rows.shape[-1]
    if k > size:
        raise ValueError(f"k={k} of {size} elements")
    rows = rows.astype(accumulator(rows.dtype), copy=False)
    if k <= 0 or k * _FEW > size:
        return _order(rows, is_ascend)[..., : k if k > 0 else size]
    last = np.partition(rows, k - 1 if is_ascend else size - k, axis=-1)
    if last.dtype.kind == "f" and np.isnan(last[..., -1:]).any():
        return _order(rows, is_ascend)[..., :k]
    bound = last[..., k - 1 if is_ascend else size - k, None]
    inside = rows <= bound if is_ascend else rows >= bound
    if np.count_nonzero(inside) > k * (rows.size // size):
        tied = rows == bound
        surplus = np.count_nonzero(inside, axis=-1, keepdims=True) - k
        room = np.count_nonzero(tied, axis=-1, keepdims=True) - surplus
        inside &= ~tied | (np.cumsum(tied, axis=-1) <= room)
    found = np.nonzero(inside)[-1].reshape(*rows.shape[:-1], k)
    order = _order(np.take_along_axis(rows, found, -1), is_ascend)
    return np.take_along_axis(found, order, -1)


def sort(data: Array, *, axis: int | None, is_ascend: bool) -> Array:
    """The elements in order."""
    rows = np.sort(_rows(data, axis), axis=-1)
    return _restored(rows if is_ascend else rows[..., ::-1], axis)


def argsort(data: Array, *, axis: int | None, is_ascend: bool, dtype: str) -> Array:
    """The positions of the elements in order."""
    return _restored(_first(_rows(data, axis), 0, is_ascend), axis).astype(dtype)


def topk(
    data: Array, *, axis: int | None, k: int, ret_typ: str, is_ascend: bool, dtype: str
) -> Array | tuple[Array, Array]:
    """The first elements in order."""
    rows = _rows(data, axis)
    found = _first(rows, k, is_ascend)
    if ret_typ == "mask":
        mask = np.zeros(rows.shape, data.dtype)
        np.put_along_axis(mask, found, np.ones((), data.dtype), -1)
        return mask.reshape(data.shape) if axis is None else _restored(mask, axis)
    indices = _restored(found, axis).astype(dtype)
    if ret_typ == "indices":
        return indices
    values = _restored(np.take_along_axis(rows, found, -1), axis)
    return values if ret_typ == "value" else (values, indices)


def leading_backward(dy: Array, data: Array, *, axis: int | None, k: int, is_ascend: bool) -> Array:
    """``dy`` at the places of the first elements."""
    rows = _rows(data, axis)
    dx = np.zeros(rows.shape, dy.dtype)
    np.put_along_axis(dx, _first(rows, k, is_ascend), _rows(dy, axis), -1)
    return dx.reshape(data.shape) if axis is None else _restored(dx, axis)


def leading_of(values: Array, data: Array, *, axis: int | None, k: int, is_ascend: bool) -> Array:
    """``values`` at the places of the first elements."""
    found = _first(_rows(data, axis), k, is_ascend)
    return _restored(np.take_along_axis(_rows(values, axis), found, -1), axis)
