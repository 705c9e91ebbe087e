"""Elements counted, compared with their neighbours, put in and left out."""

from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, accumulator, quiet

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


def np_percentile(
    a: Array,
    q: Array | None,
    *,
    axis: Axis,
    interpolation: str,
    keepdims: bool,
    q_scalar: float | None,
) -> Array:
    """Percentiles."""
    dtype = np.float64 if a.dtype == np.float64 else np.float32
    ranks: Any = q_scalar if q is None else q.astype(np.float64)
    method: Any = interpolation
    y = np.percentile(a.astype(dtype), ranks, axis=axis, method=method, keepdims=keepdims)
    return np.asarray(y).astype(dtype)


def np_bincount(data: Array, weights: Array | None, *, minlength: int, has_weights: bool) -> Array:
    """Counts, or sums of weights."""
    numbers = data.astype(np.int64)
    if weights is None:
        return np.bincount(numbers, minlength=minlength).astype(data.dtype)
    return np.bincount(numbers, weights, minlength).astype(weights.dtype)


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
    found: Any = np.unique(data, axis=axis, **flags)
    if not isinstance(found, tuple):
        return np.asarray(found)
    more = (np.asarray(x, np.int64).reshape(-1) for x in found[1:])
    return (np.asarray(found[0]), *more)


@quiet
def np_polyval(p: Array, x: Array) -> Array:
    """Value of a polynomial, by Horner's rule."""
    y = np.zeros(x.shape, accumulator(x.dtype))
    for coefficient in p:
        y = y * x + coefficient
    return np.asarray(y).astype(x.dtype)


@quiet
def polyval_backward(dy: Array, p: Array, x: Array) -> Array:
    """``dy`` times the powers of ``x``, summed."""
    powers = np.vander(x.astype(accumulator(x.dtype)).ravel(), p.size)
    return (dy.ravel() @ powers).astype(p.dtype)


def polyder(p: Array) -> Array:
    """Coefficients of the derivative, with a 0 in front."""
    y = np.zeros_like(p)
    y[1:] = p[:-1] * np.arange(p.size - 1, 0, -1).astype(p.dtype)
    return y


def polyder_backward(dq: Array) -> Array:
    """Gradient of the coefficients."""
    y = np.zeros_like(dq)
    y[:-1] = dq[1:] * np.arange(dq.size - 1, 0, -1).astype(dq.dtype)
    return y


def np_diff(a: Array, *, n: int, axis: int) -> Array:
    """Differences of neighbours."""
    return np.array(np.diff(a, n, axis), order="C")


def diff_backward(dy: Array, a: Array, *, n: int, axis: int) -> Array:
    """What each element adds to its differences."""
    if n >= a.shape[axis] > 0:
        return np.zeros(a.shape, dy.dtype)
    around = [(0, 0)] * a.ndim
    around[axis] = (1, 1)
    for _ in range(n):
        dy = -np.diff(np.pad(dy, around), axis=axis)
    return np.array(dy, order="C")


def np_ediff1d(
    input1: Array,
    input2: Array | None,
    input3: Array | None,
    *,
    to_begin_arr_given: bool,
    to_end_arr_given: bool,
    to_begin_scalar: float | None,
    to_end_scalar: float | None,
) -> Array:
    """Differences of the flattened array, between what is put around them."""
    dtype = input1.dtype
    arrays = iter([x for x in (input2, input3) if x is not None])
    front: Any = next(arrays) if to_begin_arr_given else to_begin_scalar
    behind: Any = next(arrays) if to_end_arr_given else to_end_scalar
    ends = [np.asarray([] if x is None else x, dtype).ravel() for x in (front, behind)]
    return np.concatenate([ends[0], np.diff(input1.ravel()), ends[1]])


def ediff1d_backward(dy: Array, data: Array) -> Array:
    """What each element adds to its differences."""
    if data.size < 2:
        return np.zeros(data.shape, dy.dtype)
    return (-np.diff(np.pad(dy, 1))).reshape(data.shape)


def np_pad(
    data: Array, *, pad_width: Pairs, mode: str, constant_value: float, reflect_type: str
) -> Array:
    """More elements around."""
    if reflect_type != "even":
        raise ValueError(f"reflect_type {reflect_type!r}")
    if mode == "constant":
        return np.pad(data, pad_width, constant_values=np.asarray(constant_value, data.dtype))
    kind: Any = mode
    return np.pad(data, pad_width, kind)


def np_pad_backward(dy: Array, data: Array, *, pad_width: Pairs, mode: str) -> Array:
    """Every element goes where it came from."""
    if mode == "constant":
        inside = tuple(slice(a, a + n) for (a, _), n in zip(pad_width, data.shape, strict=True))
        return np.array(dy[inside], order="C")
    kind: Any = mode
    origin = np.pad(np.arange(data.size).reshape(data.shape), pad_width, kind)
    total = np.zeros(data.size, accumulator(dy.dtype))
    np.add.at(total, origin.ravel(), dy.ravel())
    return total.astype(dy.dtype).reshape(data.shape)


def _where(
    obj: Array | None, start: int | None, stop: int | None, step: int | None, index: int | None
) -> Any:
    """An index, indices or a slice, as numpy takes it."""
    if index is not None:
        return index
    return slice(start, stop, step) if obj is None else obj.astype(np.int64)


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
    """Without some elements."""
    return np.delete(arr, _where(obj, start, stop, step, int_ind), axis)


def _inserted(arr: Array, values: Array | None, val: float | None, where: Any, axis: Any) -> Array:
    more: Any = val if values is None else values
    return np.insert(arr, where, more, axis)


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


np_insert_slice = np_insert_scalar


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
