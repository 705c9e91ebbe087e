"""Arrays made larger: repeated, padded, broadcast."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, accumulator

__all__ = [
    "broadcast_axis",
    "broadcast_like",
    "broadcast_to",
    "pad",
    "pad_backward",
    "repeat",
    "repeat_backward",
    "tile",
    "tile_backward",
]


def _total(data: Array, axes: int | tuple[int, ...]) -> Array:
    """Sum over axes, in at least float32."""
    summed = data.sum(axis=axes, dtype=accumulator(data.dtype))
    return np.asarray(summed).astype(data.dtype, copy=False)


def tile(data: Array, *, reps: tuple[int, ...]) -> Array:
    """The whole repeated."""
    return np.tile(data, reps)


def tile_backward(dy: Array, data: Array, *, reps: tuple[int, ...]) -> Array:
    """Sum over the repetitions."""
    rank = max(len(reps), data.ndim)
    counts = (1,) * (rank - len(reps)) + reps
    sizes = (1,) * (rank - data.ndim) + data.shape
    pairs = [n for pair in zip(counts, sizes, strict=True) for n in pair]
    return _total(dy.reshape(pairs), tuple(range(0, 2 * rank, 2))).reshape(data.shape)


def repeat(data: Array, *, repeats: int, axis: int | None) -> Array:
    """Every element repeated."""
    return np.repeat(data, repeats, axis)


def repeat_backward(dy: Array, data: Array, *, repeats: int, axis: int | None) -> Array:
    """Sum over the repetitions of each element."""
    if axis is None:
        return _total(dy.reshape(*data.shape, repeats), -1)
    at = axis % data.ndim
    left, right = data.shape[: at + 1], data.shape[at + 1 :]
    return _total(dy.reshape(*left, repeats, *right), at + 1)


def _pairs(pad_width: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(pad_width[::2], pad_width[1::2], strict=True))


def pad(data: Array, *, mode: str, pad_width: tuple[int, ...], constant_value: float) -> Array:
    """The array with elements around it."""
    pairs = _pairs(pad_width)
    if len(pairs) != data.ndim:
        raise ValueError("pad_width needs two numbers for each axis")
    if mode == "constant":
        inside = tuple(slice(a, a + n) for (a, _), n in zip(pairs, data.shape, strict=True))
        shape = [n + a + b for (a, b), n in zip(pairs, data.shape, strict=True)]
        y = np.full(shape, constant_value, data.dtype)
        y[inside] = data
        return y
    if mode == "reflect" and any(
        max(p) >= max(n, 1) for p, n in zip(pairs, data.shape, strict=True)
    ):
        raise ValueError("wider than the mirror image")
    options: dict[str, Any] = {"mode": mode}
    return np.pad(data, pairs, **options)


def _folded(dy: Array, axis: int, size: int, widths: tuple[int, int], mode: str) -> Array:
    """``dy`` without what was added along ``axis``; that is added where it came from."""
    before, behind = widths
    y = np.moveaxis(dy, axis, 0)
    inner = y[before : before + size].copy()
    if mode == "edge":
        if before:
            inner[0] += y[:before].sum(axis=0)
        if behind:
            inner[-1] += y[before + size :].sum(axis=0)
    elif mode == "reflect":
        inner[1 : before + 1] += y[:before][::-1]
        inner[size - 1 - behind : size - 1] += y[before + size :][::-1]
    return np.moveaxis(inner, 0, axis)


def pad_backward(dy: Array, data: Array, *, mode: str, pad_width: tuple[int, ...]) -> Array:
    """The inside, with the gradient of the outside folded back."""
    dx = dy.astype(accumulator(dy.dtype), copy=False)
    for axis, widths in enumerate(_pairs(pad_width)):
        if widths != (0, 0):
            dx = _folded(dx, axis, data.shape[axis], widths, mode)
    return np.array(dx, dy.dtype, order="C")


def _stretched(data: Array, shape: Sequence[int]) -> Array:
    if len(shape) != data.ndim:
        raise ValueError("the ranks differ")
    return np.broadcast_to(data, tuple(shape)).copy()


def broadcast_to(data: Array, *, shape: tuple[int, ...]) -> Array:
    """Repeated to ``shape``, whose zeros keep the size."""
    if len(shape) != data.ndim:
        raise ValueError("the ranks differ")
    return _stretched(data, [want or have for have, want in zip(data.shape, shape, strict=True)])


def broadcast_axis(data: Array, *, axis: tuple[int, ...], size: tuple[int, ...]) -> Array:
    """Axes of size 1 repeated."""
    sizes = list(data.shape)
    for i, n in zip(axis, size, strict=True):
        if sizes[i] != 1:
            raise ValueError("an axis is not of size 1")
        sizes[i] = n
    return _stretched(data, sizes)


def broadcast_like(
    lhs: Array,
    rhs: Array,
    *,
    lhs_axes: tuple[int, ...] | None,
    rhs_axes: tuple[int, ...] | None,
) -> Array:
    """``lhs`` repeated to the sizes of ``rhs``."""
    if lhs_axes is None or rhs_axes is None:
        return _stretched(lhs, rhs.shape)
    sizes = list(lhs.shape)
    for i, j in zip(lhs_axes, rhs_axes, strict=True):
        sizes[i] = rhs.shape[j]
    return _stretched(lhs, sizes)
