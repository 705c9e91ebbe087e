"""Elements counted, compared with their neighbours, put in and left out."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, copied, place, quiet, target, zeroed
from hy_kernels.numpy._kernels import alias, kernel

__all__ = [
    "diff_backward",
    "ediff1d_backward",
    "np_bincount",
    "np_delete",
    "np_diff",
    "np_ediff1d",
    "np_insert_scalar",
    "np_insert_slice",
    "np_insert_tensor",
    "np_pad",
    "np_pad_backward",
    "np_percentile",
    "np_polyval",
    "np_unique",
    "polyder",
    "polyder_backward",
    "polyval_backward",
]

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
    out: Places = None,
) -> Array:
    """Percentiles."""
    dtype = np.dtype(np.float64 if a.dtype == np.float64 else np.float32)
    ranks: Any = q_scalar if q is None else q.astype(np.float64)
    method: Any = interpolation
    y = np.percentile(a.astype(dtype), ranks, axis=axis, method=method, keepdims=keepdims)
    return copied(np.asarray(y), out, dtype=dtype)


@kernel()
def np_bincount(data: Array, weights: Array | None, *, minlength: int, has_weights: bool) -> Array:
    """Counts, or sums of weights."""
    numbers = data.astype(np.int64)
    if weights is None:
        return np.bincount(numbers, minlength=minlength).astype(data.dtype)
    return np.bincount(numbers, weights, minlength).astype(weights.dtype)


@kernel()
def np_unique(
    data: Array,
    *,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    axis: int | None,
) -> Array | tuple[Array, ...]:
    """Different elements."""
    flags: dict[str, Any] = {
        "return_index": return_index,
        "return_inverse": return_inverse,
        "return_counts": return_counts,
    }
    result: Any = np.unique(data, axis=axis, **flags)
    if not isinstance(result, tuple):
        return np.asarray(result)
    more = (np.asarray(x, np.int64).reshape(-1) for x in result[1:])
    return (np.asarray(result[0]), *more)


@kernel(out="apart")
@quiet
def np_polyval(p: Array, x: Array, *, out: Places = None) -> Array:
    """Value of a polynomial, by Horner's rule."""
    y = zeroed(out, x.shape, accumulator(x.dtype))
    for coefficient in p:
        y *= x
        y += coefficient
    return y.astype(x.dtype, copy=False)


@kernel(out="apart")
@quiet
def polyval_backward(dy: Array, p: Array, x: Array, *, out: Places = None) -> Array:
    """``dy`` times the powers of ``x``, summed."""
    powers = np.vander(x.astype(accumulator(x.dtype)).ravel(), p.size)
    return copied(dy.ravel() @ powers, out, dtype=p.dtype)


@kernel(out="apart")
def polyder(p: Array, *, out: Places = None) -> Array:
    """Coefficients of the derivative, with a 0 in front."""
    y = zeroed(out, p.shape, p.dtype)
    np.multiply(p[:-1], np.arange(p.size - 1, 0, -1).astype(p.dtype), out=y[1:])
    return y


@kernel(out="apart")
def polyder_backward(dq: Array, *, out: Places = None) -> Array:
    """Gradient of the coefficients."""
    y = zeroed(out, dq.shape, dq.dtype)
    np.multiply(dq[1:], np.arange(dq.size - 1, 0, -1).astype(dq.dtype), out=y[:-1])
    return y


@kernel(out="apart")
def np_diff(a: Array, *, n: int, axis: int, out: Places = None) -> Array:
    """Differences of neighbours."""
    if n == 0:
        return copied(a, out)
    a = np.diff(a, n - 1, axis)
    front = (slice(None),) * (axis % a.ndim)
    step = np.not_equal if a.dtype == np.bool_ else np.subtract
    y = step(a[(*front, slice(1, None))], a[(*front, slice(None, -1))], out=place(out))
    return np.asarray(y, order="C")


@kernel(out="apart")
def diff_backward(dy: Array, a: Array, *, n: int, axis: int, out: Places = None) -> Array:
    """Return each element's contribution to its differences."""
    if n >= a.shape[axis] > 0:
        return zeroed(out, a.shape, dy.dtype)
    if n == 0:
        return copied(dy, out)
    around = [(0, 0)] * a.ndim
    around[axis] = (1, 1)
    for left in reversed(range(n)):
        dy = np_diff(np.pad(dy, around), n=1, axis=axis, out=None if left else out)
        np.negative(dy, out=dy)
    return dy


@kernel(out="apart")
def np_ediff1d(
    input1: Array,
    input2: Array | None,
    input3: Array | None,
    *,
    to_begin_arr_given: bool,
    to_end_arr_given: bool,
    to_begin_scalar: float | None,
    to_end_scalar: float | None,
    out: Places = None,
) -> Array:
    """Differences of the flattened array, between what is put around them."""
    dtype = input1.dtype
    arrays = iter([x for x in (input2, input3) if x is not None])
    front: Any = next(arrays) if to_begin_arr_given else to_begin_scalar
    after: Any = next(arrays) if to_end_arr_given else to_end_scalar
    ends = [np.asarray([] if x is None else x, dtype).ravel() for x in (front, after)]
    return np.concatenate([ends[0], np.diff(input1.ravel()), ends[1]], out=place(out))


@kernel(out="apart")
def ediff1d_backward(dy: Array, data: Array, *, out: Places = None) -> Array:
    """Return each element's contribution to its differences."""
    if data.size < 2:
        return zeroed(out, data.shape, dy.dtype)
    around = np.pad(dy, 1)
    dx = target(out, data.shape, dy.dtype)
    np.subtract(around[1:], around[:-1], out=dx.reshape(-1))
    return np.negative(dx, out=dx)


def _inside(shape: tuple[int, ...], pad_width: Pairs) -> tuple[slice, ...]:
    """Return the slices of the array in the padded one."""
    return tuple([slice(a, a + n) for n, (a, _) in zip(shape, pad_width, strict=True)])


@kernel(out="apart")
def np_pad(
    data: Array,
    *,
    pad_width: Pairs,
    mode: str,
    constant_value: float,
    reflect_type: str,
    out: Places = None,
) -> Array:
    """More elements around."""
    if reflect_type != "even":
        raise ValueError(f"reflect_type {reflect_type!r}")
    shape = tuple([a + n + b for n, (a, b) in zip(data.shape, pad_width, strict=True)])
    y = target(out, shape, data.dtype)
    inside = _inside(data.shape, pad_width)
    y[inside] = data
    for axis, (front, after) in enumerate(pad_width):
        if front or after:  # earlier axes are whole by now
            rows = np.moveaxis(y[(slice(None),) * (axis + 1) + inside[axis + 1 :]], axis, 0)
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


def _sources(places: range, size: int, mode: str) -> list[int]:
    """Return the indices on an axis that places outside of it repeat."""
    if mode == "edge":
        return [min(max(i, 0), size - 1) for i in places]
    again = int(mode == "symmetric")  # whether the mirror lies behind the last element
    period = max(2 * (size - 1 + again), 1)
    return [min(i % period, period - again - i % period) for i in places]


@kernel(out="apart")
def np_pad_backward(
    dy: Array, data: Array, *, pad_width: Pairs, mode: str, out: Places = None
) -> Array:
    """Every element goes where it came from."""
    if mode == "constant":
        return copied(dy[_inside(data.shape, pad_width)], out)
    kind: Any = mode
    origin = np.pad(np.arange(data.size).reshape(data.shape), pad_width, kind)
    dx = zeroed(out, data.shape, accumulator(dy.dtype))
    np.add.at(dx.reshape(-1), origin.ravel(), dy.ravel())
    return dx.astype(dy.dtype, copy=False)


def _where(
    obj: Array | None, start: int | None, stop: int | None, step: int | None, index: int | None
) -> Any:
    """An index, indices or a slice, as numpy takes it."""
    if index is not None:
        return index
    return slice(start, stop, step) if obj is None else obj.astype(np.int64)


@kernel()
def np_delete(
    arr: Array,
    obj: Array | None,
    *,
    start: int | None,
    stop: int | None,
    step: int | None,
    int_ind: int | None,
    axis: int | None,
) -> Array:
    """Without some elements; indices in an array that lead outside stand for none."""
    where = _where(obj, start, stop, step, int_ind)
    if obj is not None:
        where = where[(where >= 0) & (where < (arr.size if axis is None else arr.shape[axis]))]
    return np.delete(arr, where, axis)


def _inserted(arr: Array, values: Array | None, val: float | None, where: Any, axis: Any) -> Array:
    more: Any = val if values is None else values
    return np.insert(arr, where, more, axis)


@kernel()
def np_insert_scalar(
    arr: Array,
    values: Array | None,
    *,
    val: float | None,
    start: int | None,
    stop: int | None,
    step: int | None,
    int_ind: int | None,
    axis: int | None,
) -> Array:
    """More elements at an index."""
    return _inserted(arr, values, val, _where(None, start, stop, step, int_ind), axis)


np_insert_slice = alias("np_insert_slice", np_insert_scalar)


@kernel()
def np_insert_tensor(
    arr: Array,
    values: Array | None,
    obj: Array | None,
    *,
    val: float | None,
    start: int | None,
    stop: int | None,
    step: int | None,
    int_ind: int | None,
    axis: int | None,
) -> Array:
    """More elements at several indices."""
    return _inserted(arr, values, val, _where(obj, start, stop, step, int_ind), axis)
