"""Percentiles, counts, distinct elements, deletion and insertion."""

import math
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, copied
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.record import Params

Axis = tuple[int, ...] | None


@kernel(out="apart")
def np_percentile(
    a: Array,
    q: Array | None,
    *,
    axis: Axis,
    interpolation: str,
    keepdims: bool,
    q_scalar: float | None,
    out: OutBuffers = None,
) -> Array:
    """Return percentiles over axes, in float64 for float64 data, else in float32."""
    dtype = np.dtype(np.float64 if a.dtype == np.float64 else np.float32)
    ranks: Any = q_scalar if q is None else q.astype(np.float64)
    method: Any = interpolation
    if method == "nearest":
        ranks = _of_nearest(np.asarray(ranks), a, axis)
    y = np.percentile(a.astype(dtype), ranks, axis=axis, method=method, keepdims=keepdims)
    return copied(np.asarray(y), out, dtype=dtype)


def _of_nearest(ranks: Array, a: Array, axis: Axis) -> Array:
    """Return the percentages of the elements nearest to ``ranks``, in the middle the upper one."""
    along = range(a.ndim) if axis is None else axis
    last = math.prod(a.shape[i] for i in along) - 1
    if last < 1:
        return ranks
    # Halves are rounded up, as in MXNet; NumPy rounds them to even.
    nearest = np.floor(ranks / 100 * last + 0.5) * 100 / last
    return np.where((ranks >= 0) & (ranks <= 100), nearest, ranks)


@kernel()
def np_bincount(data: Array, weights: Array | None, *, minlength: int, has_weights: bool) -> Array:
    """Return, for each integer from 0, its count in ``data`` or the sum of its weights."""
    numbers = data.astype(np.int64)
    if weights is None:
        return np.bincount(numbers, minlength=minlength).astype(data.dtype)
    return np.bincount(numbers, weights, minlength).astype(weights.dtype)


@kernel()
def np_unique(
    data: Array, *, return_index: bool, return_inverse: bool, return_counts: bool, axis: int | None
) -> Array | tuple[Array, ...]:
    """Return the sorted distinct elements, and the requested indices, inverse and counts."""
    flags: dict[str, Any] = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    result: Any = np.unique(data, axis=axis, **flags)
    if not isinstance(result, tuple):
        return np.asarray(result)
    # NumPy 2 returns the inverse in the shape of the data, MXNet flat.
    more = (np.asarray(x, np.int64).reshape(-1) for x in result[1:])
    return (np.asarray(result[0]), *more)


def _numpy_index(obj: Array | None, params: Params) -> Any:
    """Return a NumPy index: one number or, if None, indices ``obj`` or, if None, a slice."""
    if params["int_ind"] is not None:
        return params["int_ind"]
    if obj is not None:
        return obj.astype(np.int64)
    return slice(params["start"], params["stop"], params["step"])


@kernel()
def np_delete(arr: Array, obj: Array | None, *, axis: int | None, **params: Any) -> Array:
    """Return ``numpy.delete(arr, …)``; in an array of indices, those out of range are ignored."""
    where = _numpy_index(obj, params)
    if obj is not None:
        where = where[(where >= 0) & (where < (arr.size if axis is None else arr.shape[axis]))]
    return np.delete(arr, where, axis)


def _inserted(arr: Array, values: Array | None, val: float | None, where: Any, axis: Any) -> Array:
    more: Any = val if values is None else values
    return np.insert(arr, where, more, axis)


@kernel()
def np_insert_scalar(
    arr: Array, values: Array | None, *, val: float | None, axis: int | None, **params: Any
) -> Array:
    """Return a copy of ``arr`` with values inserted before an index or a slice's indices."""
    return _inserted(arr, values, val, _numpy_index(None, params), axis)


np_insert_slice = alias("np_insert_slice", np_insert_scalar)


@kernel()
def np_insert_tensor(
    arr: Array,
    values: Array | None,
    obj: Array | None,
    *,
    val: float | None,
    axis: int | None,
    **params: Any,
) -> Array:
    """Return a copy of ``arr`` with values inserted before the indices ``obj``."""
    return _inserted(arr, values, val, _numpy_index(obj, params), axis)
