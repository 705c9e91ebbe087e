"""Reductions of legacy operators over axes, and their gradients."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    PLAIN,
    Array,
    Out,
    OutBuffers,
    accumulator,
    copied,
    expanded,
    out_buffer,
    quiet,
)
from hy_kernels.numpy._folds import add_up, extreme_up, multiply_up, small_reduction, square_up
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.record import Function, Maker, Params, Types, by_params, by_types

Axis = tuple[int, ...] | None


def _axes(axis: Axis, rank: int, exclude: bool = False) -> Axis:
    """Return the axes to reduce for NumPy: None for all; an empty ``axis`` also means all.

    ``exclude`` reduces all axes but those in ``axis``.
    """
    if not axis or not rank:
        return None
    if not exclude:
        return axis
    reduced = [*range(rank)]
    for i in axis:
        if not -rank <= i < rank:
            raise ValueError(f"axis {i} is outside {rank} axes")
        if i % rank in reduced:
            reduced.remove(i % rank)
    return tuple(reduced)


def _reduce(
    fold: Callable[..., Any],
    data: Array,
    axes: Axis,
    keepdims: bool,
    dtype: Any = None,
    out: OutBuffers = None,
) -> Array:
    """Return ``fold(data, axes)``, in the shape ``(1,)`` if it would have no axes."""
    memory = out_buffer(out)
    if memory is not None and not keepdims and (axes is None or len(axes) == data.ndim):
        # Reduced over all axes, MXNet's result has the shape (1,), NumPy's has no axes.
        memory = memory.reshape(())
    y = np.asarray(fold(data, axes, keepdims=keepdims, out=memory, dtype=dtype))
    return y if y.ndim or keepdims else y.reshape(1)


def _small_reduction(ufunc: np.ufunc) -> Maker:
    """Return a :data:`Maker` that calls :func:`small_reduction` with ``ufunc``."""

    def make(params: Params, general: Function) -> Function | None:
        if params["exclude"]:
            return None
        return small_reduction(
            ufunc, params["axis"] or None, params["keepdims"], general, min_ndim=1
        )

    return by_params(make)


def _real_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the dtype to compute quotients and roots in: float64 for integers."""
    return accumulator(dtype) if dtype.kind in "fV" else np.dtype(np.float64)


def _broadcastable(y: Array, data: Array, axis: Axis, exclude: bool = False) -> Array:
    """Return ``y``, reduced over ``axis``, as a view that broadcasts against ``data``."""
    if y.ndim == data.ndim and y.shape == data.shape:
        return y
    axes = _axes(axis, data.ndim, exclude)
    shape = [*data.shape]
    for i in range(data.ndim) if axes is None else axes:
        shape[i] = 1
    return y.reshape(shape)


@kernel(out="apart")
def expand_reduced(
    dy: Array, data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Array:
    """Return ``dy`` broadcast over the reduced axes to the shape of ``data``."""
    return expanded(_broadcastable(dy, data, axis, exclude), data.shape, out)


@kernel(out="apart", specialize=_small_reduction(np.add))
@quiet
def sum(data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None) -> Array:
    """Return the sum over axes."""
    axes = _axes(axis, data.ndim, exclude)
    # 16-bit floats are summed in float32: small addends would be lost, and float16 overflows at
    # 65,504.
    y = _reduce(add_up, data, axes, keepdims, accumulator(data.dtype), out)
    return y.astype(data.dtype, copy=False)


def _are_short_rows(shape: tuple[int, ...], axes: Axis, dtype: str | np.dtype[Any]) -> bool:
    """Return whether to sum a matrix over its rows by a product with ones, as small ones are."""
    is_matrix = len(shape) == 2 and axes in ((1,), (-1,)) and dtype in PLAIN
    return is_matrix and 0 < shape[0] * shape[1] <= COSTS.rows.product


def _mean_of_floats(types: Types, params: Params) -> Function | None:
    """Return ``mean`` specialised for float arrays reduced over some axes, or None."""
    (data,) = types
    if data is None or data[1] not in PLAIN or params["keepdims"]:
        return None
    shape, dtype = data
    axes = _axes(params["axis"], len(shape), params["exclude"])
    if axes is None or not 0 < len(axes) < len(shape) or 0 in shape:
        return None
    # Axes and count depend only on the shape: computed here once, not in each call.
    count = np.array(math.prod(shape[i] for i in axes), dtype)
    if _are_short_rows(shape, axes, dtype):
        ones = np.ones(shape[1], dtype)

        def averaged_by_product(data: Array, out: OutBuffers = None) -> Array:
            y: Array = data.dot(ones, out_buffer(out))
            y /= count
            return y

        return averaged_by_product

    def averaged(data: Array, out: OutBuffers = None) -> Array:
        y = add_up(data, axes, out=out_buffer(out))
        y /= count
        return y

    return averaged


@kernel(out="apart", specialize=by_types(_mean_of_floats))
@quiet
def mean(
    data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Array:
    """Return the mean over axes; for integers, truncated."""
    axes = _axes(axis, data.ndim, exclude)
    y: Array
    if not keepdims and _are_short_rows(data.shape, axes, data.dtype):
        y = data.dot(np.ones(data.shape[1], data.dtype), out_buffer(out))
    else:
        y = _reduce(add_up, data, axes, keepdims, _real_dtype(data.dtype), out)
    y /= _num_reduced(data, y)
    return y.astype(data.dtype, copy=False)


def _num_reduced(data: Array, y: Array) -> float:
    """Return the number of elements of ``data`` reduced to each element of ``y``."""
    return data.size / y.size if y.size else 1.0


@kernel(out="apart")
@quiet
def mean_backward(
    dy: Array, data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Array:
    """Return the gradient of ``mean``: ``dy / count`` broadcast to the shape of ``data``."""
    share = dy / np.array(_num_reduced(data, dy), accumulator(dy.dtype))
    spread = _broadcastable(share.astype(dy.dtype, copy=False), data, axis, exclude)
    return expanded(spread, data.shape, out)


@kernel(out="apart", specialize=_small_reduction(np.maximum))
def max(data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None) -> Array:
    """Return the maximum over axes."""
    return _reduce(
        partial(extreme_up, np.maximum), data, _axes(axis, data.ndim, exclude), keepdims, out=out
    )


@kernel(out="apart", specialize=_small_reduction(np.minimum))
def min(data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None) -> Array:
    """Return the minimum over axes."""
    return _reduce(
        partial(extreme_up, np.minimum), data, _axes(axis, data.ndim, exclude), keepdims, out=out
    )


@kernel(out="apart", specialize=_small_reduction(np.multiply))
@quiet
def prod(
    data: Array, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Array:
    """Return the product over axes."""
    axes = _axes(axis, data.ndim, exclude)
    y = _reduce(multiply_up, data, axes, keepdims, accumulator(data.dtype), out)
    return y.astype(data.dtype, copy=False)


def _times_following(x: Array, ring: Array, ahead: int) -> Array:
    """Return each element of ``x`` times the one of the ring that is ``ahead`` positions later."""
    # Copied first: to multiply operands that are aligned differently takes twice as long.
    y = np.empty_like(x)
    y[..., :-ahead] = ring[..., ahead:]
    y[..., -ahead:] = ring[..., :ahead]
    y *= x
    return y


@kernel(out="apart")
@quiet
def others(data: Array, *, axis: Axis, exclude: bool, out: OutBuffers = None) -> Array:
    """Return, for each element, the product of all other elements along the axes."""
    axes = _axes(axis, data.ndim, exclude)
    reduced = sorted(range(data.ndim) if axes is None else {i % data.ndim for i in axes})
    order = [*(i for i in range(data.ndim) if i not in reduced), *reduced]
    moved = data.astype(accumulator(data.dtype), copy=False).transpose(order)
    others_sizes = moved.shape[: data.ndim - len(reduced)]
    size = math.prod(moved.shape[len(others_sizes) :])
    flat = moved.reshape(*others_sizes, size)
    # Dividing the total product by each element would fail for zeros. So elements form a ring, and
    # the product of the n - 1 that follow one is composed of windows of doubling length, in
    # O(n log n).
    span, y, window = size - 1, np.ones_like(flat), flat
    start = length = 1  # the first element that `y` does not hold yet, and the window's length
    while span > 0:
        if span & 1:
            y = _times_following(y, window, start)
            start += length
        span >>= 1
        if span:
            window = _times_following(window, window, length)
            length *= 2
    y = y.reshape(moved.shape)
    return copied(y.transpose(np.argsort(order)), out, dtype=data.dtype)


@kernel(pointwise=True)
def replace_nan(data: Array, where: Array, *, value: float, out: Out = None) -> Array:
    """Return a copy of ``data`` with ``value`` where ``where`` is nan."""
    is_nan = where != where  # noqa: PLR0124
    if out is None:
        return np.where(is_nan, np.asarray(value, data.dtype), data)
    np.copyto(out[0], data)
    np.copyto(out[0], value, where=is_nan)
    return out[0]


@kernel(out="apart")
@quiet
def norm(
    data: Array,
    *,
    ord: int,
    axis: Axis,
    out_dtype: str | None,
    keepdims: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the L1 or L2 norm over axes."""
    if ord not in (1, 2):
        raise ValueError(f"ord is {ord}; only 1 and 2 are supported")
    values = data.astype(_real_dtype(data.dtype), copy=False)
    dtype = np.dtype(out_dtype or data.dtype)
    axes = _axes(axis, data.ndim)
    if ord == 1:
        y = _reduce(add_up, np.abs(values), axes, keepdims)
    else:
        y = square_up(values, axes, keepdims)
        # Before the root, which of an array without axes would be a scalar.
        y = np.sqrt(y if y.ndim or keepdims else y.reshape(1))
    return y.astype(dtype, copy=False) if out is None else copied(y, out, dtype=dtype)


@kernel(out="apart")
@quiet
def norm_backward(
    dy: Array,
    data: Array,
    y: Array,
    *,
    ord: int,
    axis: Axis,
    keepdims: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``norm``: ``dy data / y`` for L2, ``dy sign(data)`` for L1.

    It is 0 where the L2 norm ``y`` is 0.
    """
    dtype = accumulator(data.dtype)
    dy = dy.astype(dtype, copy=False)
    if ord == 1:
        dx = np.sign(data, out=out_buffer(out), dtype=dtype)
        dx *= _broadcastable(dy, data, axis)
    else:
        # At 0 the norm has no derivative; 0 is a subgradient.
        share = np.zeros_like(dy)
        np.divide(dy, y, out=share, where=y != 0, casting="unsafe")
        dx = np.multiply(_broadcastable(share, data, axis), data, out=out_buffer(out), dtype=dtype)
    return dx.astype(data.dtype, copy=False)
