"""Pooling: one value for each window, computed axis by axis because all of its kinds separate."""

from collections.abc import Callable, Iterator
from math import prod
from typing import Any, NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy.nn._window import full, narrow, to_first, to_last, wide

__all__ = [
    "pooling",
    "pooling_lp_backward",
    "pooling_max_backward",
    "pooling_max_select",
    "pooling_sum_backward",
    "pooling_v1",
]


class _Axis(NamedTuple):
    """The windows along one axis: window ``i`` starts at ``i stride - pad``."""

    axis: int
    size: int
    kernel: int
    stride: int
    pad: int
    number: int

    @property
    def padded(self) -> int:
        return max((self.number - 1) * self.stride + self.kernel, self.pad + self.size)

    def at(self, offset: int) -> tuple[Any, ...]:
        """Index of the elements that are number ``offset`` of their window."""
        stop = offset + (self.number - 1) * self.stride + 1
        return (*(slice(None),) * self.axis, slice(offset, stop, self.stride))

    @property
    def inside(self) -> tuple[Any, ...]:
        return (*(slice(None),) * self.axis, slice(self.pad, self.pad + self.size))

    def pad_with(self, array: Array, value: Any) -> Array:
        """The array with room for every window along this axis."""
        if self.padded == self.size:
            return array
        shape = list(array.shape)
        shape[self.axis] = self.padded
        result = np.full(shape, value, array.dtype)
        result[self.inside] = array
        return result

    def reduce(self, array: Array, combine: Callable[..., Any], value: Any) -> Array:
        """``combine`` of the elements of each window; padding counts as ``value``."""
        padded = self.pad_with(array, value)
        if self.kernel == 1:
            return np.array(padded[self.at(0)])
        result = combine(padded[self.at(0)], padded[self.at(1)])
        for offset in range(2, self.kernel):
            combine(result, padded[self.at(offset)], out=result)
        return np.asarray(result)

    def spread(self, dy: Array) -> Array:
        """The gradient of a sum: what every element gets from the windows it is in."""
        shape = list(dy.shape)
        shape[self.axis] = self.padded
        result: Array = np.zeros(shape, dy.dtype)
        for offset in range(self.kernel):
            result[self.at(offset)] += dy
        return np.asarray(result[self.inside])

    def first(self, data: Array, best: Array) -> Iterator[tuple[tuple[Any, ...], Array]]:
        """Index by offset in the windows, and where it is the first that equals ``best``."""
        left = np.ones(best.shape, bool)
        for offset in range(self.kernel):
            hit = data[self.at(offset)] == best
            hit &= left
            left ^= hit
            yield self.at(offset), hit


def _axes(
    data: Array,
    kernel: tuple[int, ...],
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    global_pool: bool,
    convention: str,
) -> list[_Axis]:
    size = data.shape[2:]
    if global_pool:
        return [_Axis(i + 2, n, n, 1, 0, 1) for i, n in enumerate(size)]
    each = zip(size, kernel, full(stride, len(size), 1), full(pad, len(size), 0), strict=True)
    return [
        _Axis(i + 2, n, k, s, p, _count(n, k, s, p, convention))
        for i, (n, k, s, p) in enumerate(each)
    ]


def _count(size: int, kernel: int, stride: int, pad: int, convention: str) -> int:
    if convention == "same":
        return -(-(size + 2 * pad) // stride)
    room = size + 2 * pad - kernel
    if room < 0 or pad >= kernel:
        raise ValueError(f"no window of {kernel} with padding {pad} in {size}")
    return (-(-room // stride) if convention == "full" else room // stride) + 1


def _padding(dtype: np.dtype[Any], zero_pad: bool) -> Any:
    if zero_pad:
        return 0
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _levels(data: Array, axes: list[_Axis], padding: Any) -> list[Array]:
    """``data``, and its maxima after each axis, from the last one to the first."""
    levels = [data]
    for axis in reversed(axes):
        levels.append(axis.reduce(levels[-1], np.maximum, padding))
    return levels


def _sums(data: Array, axes: list[_Axis]) -> Array:
    for axis in reversed(axes):
        if axis.kernel == axis.size and axis.number == 1 and not axis.pad:
            data = data.sum(axis=axis.axis, keepdims=True)
        else:
            data = axis.reduce(data, np.add, 0)
    return data


def _areas(axes: list[_Axis], dtype: np.dtype[Any], include_pad: bool) -> Array:
    """How many elements each window has, the padding counted or not."""
    area = np.ones((1,) * (len(axes) + 2), dtype)
    for axis in axes:
        low = np.arange(axis.number) * axis.stride - axis.pad
        high = np.minimum(low + axis.kernel, axis.size + axis.pad)
        if not include_pad:
            low, high = np.maximum(low, 0), np.minimum(high, axis.size)
        shape = [1] * area.ndim
        shape[axis.axis] = -1
        area = area * np.maximum(high - low, 1).astype(dtype).reshape(shape)
    return area


def _root(total: Array, p: int) -> Array:
    if p == 1:
        return total
    return np.sqrt(total) if p == 2 else np.cbrt(total)


@quiet
def pooling(
    data: Array,
    *,
    kernel: tuple[int, ...],
    pool_type: str,
    global_pool: bool,
    cudnn_off: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    p_value: int | None,
    count_include_pad: bool | None,
    layout: str | None,
) -> Array:
    """One value for each window."""
    x = to_first(wide(data), layout)
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    if pool_type == "max":
        y = _levels(x, axes, _padding(x.dtype, False))[-1]
    elif pool_type == "lp":
        power = p_value or 1
        y = _root(_sums(x if power == 1 else x**power, axes), power)
    else:
        y = _sums(x, axes)
        if pool_type == "avg":
            y = y / _areas(axes, y.dtype, count_include_pad is not False)
    return to_last(narrow(y, data.dtype), layout)


def pooling_v1(
    data: Array,
    *,
    kernel: tuple[int, ...],
    pool_type: str,
    global_pool: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
) -> Array:
    """One value for each window; the padding and what is beyond it counts as zeros."""
    x = wide(data)
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    if pool_type == "max":
        return narrow(_levels(x, axes, 0)[-1], data.dtype)
    y = _sums(x, axes)
    if pool_type == "avg":
        y = y / prod(axis.kernel for axis in axes)
    return narrow(y, data.dtype)


def pooling_max_backward(
    dy: Array,
    data: Array,
    *,
    kernel: tuple[int, ...],
    global_pool: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    zero_pad: bool,
    layout: str | None,
) -> Array:
    """``dy`` given to the first of the largest elements of each window."""
    x, grad = to_first(wide(data), layout), to_first(wide(dy), layout)
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    outside = _padding(x.dtype, zero_pad)
    levels = _levels(x, axes, outside)
    for i, axis in enumerate(axes):
        best = levels[-1 - i]
        padded = axis.pad_with(levels[-2 - i], outside)
        result = np.zeros(padded.shape, grad.dtype)
        for where, hit in axis.first(padded, best):
            result[where] += grad * hit
        grad = result[axis.inside]
    return to_last(narrow(np.ascontiguousarray(grad), data.dtype), layout)


def pooling_max_select(
    values: Array,
    data: Array,
    *,
    kernel: tuple[int, ...],
    global_pool: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    zero_pad: bool,
    layout: str | None,
) -> Array:
    """``values`` where the first of the largest elements of each window of ``data`` is."""
    x, result = to_first(wide(data), layout), to_first(wide(values), layout)
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    outside = _padding(x.dtype, zero_pad)
    levels = _levels(x, axes, outside)
    for i, axis in enumerate(reversed(axes)):
        padded = axis.pad_with(result, 0)
        candidates = axis.pad_with(levels[i], outside)
        result = np.zeros(levels[i + 1].shape, padded.dtype)
        for where, hit in axis.first(candidates, levels[i + 1]):
            result += padded[where] * hit
    return to_last(narrow(result, values.dtype), layout)


def pooling_sum_backward(
    dy: Array,
    data: Array,  # only its type matters
    *,
    kernel: tuple[int, ...],
    pool_type: str,
    global_pool: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    count_include_pad: bool | None,
    layout: str | None,
) -> Array:
    """``dy`` given to every element of each window, divided by their number for averages."""
    x, grad = to_first(data, layout), to_first(wide(dy), layout)
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    if pool_type == "avg":
        grad = grad / _areas(axes, grad.dtype, count_include_pad is not False)
    for axis in axes:
        grad = axis.spread(grad)
    return to_last(narrow(np.ascontiguousarray(grad), data.dtype), layout)


@quiet
def pooling_lp_backward(
    dy: Array,
    data: Array,
    output: Array,
    *,
    kernel: tuple[int, ...],
    global_pool: bool,
    pooling_convention: str,
    stride: tuple[int, ...],
    pad: tuple[int, ...],
    p_value: int | None,
    layout: str | None,
) -> Array:
    """``dy · (data / output)^(p - 1)``; zero where the root is."""
    x, y, grad = (to_first(wide(a), layout) for a in (data, output, dy))
    axes = _axes(x, kernel, stride, pad, global_pool, pooling_convention)
    power = (p_value or 1) - 1
    if power:
        grad = np.where(y == 0, 0, grad / y**power)
    for axis in axes:
        grad = axis.spread(grad)
    if power:
        grad = grad * x**power
    return to_last(narrow(np.ascontiguousarray(grad), data.dtype), layout)
