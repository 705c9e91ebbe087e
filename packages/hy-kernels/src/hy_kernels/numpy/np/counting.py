"""Percentiles, counts, distinct elements, padding, deletion and insertion."""

import math
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, target
from hy_kernels.numpy._kernels import alias, kernel
from hy_kernels.record import Params

Axis = tuple[int, ...] | None
Pairs = tuple[tuple[int, int], ...]


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


def _inside(shape: tuple[int, ...], pad_width: Pairs) -> tuple[slice, ...]:
    """Return the slices of the padded array that hold the original one."""
    return tuple([slice(a, a + n) for n, (a, _) in zip(shape, pad_width, strict=True)])


@kernel(out="apart")
def np_pad(
    data: Array,
    *,
    pad_width: Pairs,
    mode: str,
    constant_value: float,
    reflect_type: str,
    out: OutBuffers = None,
) -> Array:
    """Return the array padded in a mode of ``numpy.pad``."""
    if reflect_type != "even":
        raise ValueError(f"reflect_type is {reflect_type!r}; only 'even' is supported")
    shape = tuple([a + n + b for n, (a, b) in zip(data.shape, pad_width, strict=True)])
    y = target(out, shape, data.dtype)
    inside = _inside(data.shape, pad_width)
    y[inside] = data
    for axis, (front, after) in enumerate(pad_width):
        # Axis after axis: padding a later axis also copies the padding of earlier axes.
        if front or after:
            rows = y[(slice(None),) * (axis + 1) + inside[axis + 1 :]].swapaxes(axis, 0)
            core = rows[inside[axis]]
            end = front + len(core)
            if mode == "constant":
                rows[:front] = rows[end:] = np.asarray(constant_value, data.dtype)
            elif mode in ("maximum", "minimum"):
                rows[:front] = rows[end:] = core.max(0) if mode == "maximum" else core.min(0)
            else:
                rows[:front] = core[_sources(range(-front, 0), len(core), mode)]
                rows[end:] = core[_sources(range(len(core), len(core) + after), len(core), mode)]
    return y


def _sources(positions: range, size: int, mode: str) -> list[int]:
    """Return, for positions outside an axis of ``size``, the indices whose elements pad them."""
    if mode == "edge":
        return [min(max(i, 0), size - 1) for i in positions]
    # "symmetric" repeats the last element, "reflect" does not.
    again = int(mode == "symmetric")
    period = max(2 * (size - 1 + again), 1)
    return [min(i % period, period - again - i % period) for i in positions]


@kernel(out="apart")
def np_pad_backward(
    dy: Array, data: Array, *, pad_width: Pairs, mode: str, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``np_pad``: each element of ``dy`` is added to its source."""
    if mode == "constant":
        return copied(dy[_inside(data.shape, pad_width)], out)
    # The other way round: what pads an axis goes back to its sources, the last axis first.
    dx = dy.astype(accumulator(dy.dtype))
    for axis in reversed(range(data.ndim)):
        front, after = pad_width[axis]
        rows = dx.swapaxes(axis, 0)
        size = data.shape[axis]
        core, end = rows[front : front + size], front + size
        for k, source in enumerate(_sources(range(-front, 0), size, mode)):
            core[source] += rows[k]
        for k, source in enumerate(_sources(range(size, size + after), size, mode)):
            core[source] += rows[end + k]
        dx = core.swapaxes(axis, 0)
    return copied(dx, out, dtype=dy.dtype)


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
