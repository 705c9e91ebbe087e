"""Enlarged arrays: tiled, repeated, padded, broadcast."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import (
    IN_ORDER,
    PLAIN,
    OutBuffers,
    Tensor,
    copied,
    fitting,
    own,
    stored,
    target,
)


def _sum_over(data: Tensor, axes: tuple[int, ...], out: OutBuffers) -> Tensor:
    """Return the sum over axes, computed in at least float32."""
    # torch.sum with an empty tuple of axes sums all of them.
    if not axes:
        return copied(data, out)
    return stored(torch.sum(data, axes, dtype=accumulator(data.dtype)).to(data.dtype), out)


def _tiles(data: Tensor, reps: tuple[int, ...]) -> tuple[list[int], tuple[int, ...]]:
    """Return a shape with an axis for each repetition count, and these axes."""
    extra = max(len(reps) - data.ndim, 0)
    counts = (1,) * (data.ndim - len(reps)) + reps
    pairs = zip(counts[extra:], data.shape, strict=True)
    shape = [*counts[:extra], *(n for pair in pairs for n in pair)]
    return shape, (*range(extra), *range(extra, len(shape), 2))


def _fast_tile(params: Mapping[str, Any], _: Function) -> Function:
    """Return a fast path of ``tile`` by torch's function."""
    reps = params["reps"]
    return lambda data: torch.tile(data, reps)


@kernel(out="apart", specialize=by_params(_fast_tile))
def tile(data: Tensor, *, reps: tuple[int, ...], out: OutBuffers = None) -> Tensor:
    """Return ``data`` repeated as a whole along axes, like ``numpy.tile``."""
    return stored(torch.tile(data, reps), out)


@kernel(out="apart")
def tile_backward(
    dy: Tensor, data: Tensor, *, reps: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``tile``: the sum over the repetitions."""
    shape, axes = _tiles(data, reps)
    return _sum_over(dy.reshape(shape), axes, out)


def _fast_repeat(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of ``repeat`` by torch's function, or None."""
    repeats, axis = params["repeats"], params["axis"]
    return (lambda data: torch.repeat_interleave(data, repeats, axis)) if repeats > 1 else None


@kernel(out="apart", specialize=by_params(_fast_repeat))
def repeat(data: Tensor, *, repeats: int, axis: int | None, out: OutBuffers = None) -> Tensor:
    """Return ``data`` with each element repeated along an axis."""
    if out is None and repeats > 1:
        return torch.repeat_interleave(data, repeats, axis)
    if axis is not None and not -data.ndim <= axis < data.ndim:
        raise IndexError(f"axis {axis} is outside the {data.ndim} axes of {tuple(data.shape)}")
    rows, at = (data.reshape(-1), 0) if axis is None else (data, axis % data.ndim)
    left, size, right = rows.shape[:at], rows.shape[at], rows.shape[at + 1 :]
    y = target(out, (*left, size * repeats, *right), data.dtype, data.device)
    y.view((*left, size, repeats, *right)).copy_(rows.unsqueeze(at + 1))
    return y


@kernel(out="apart")
def repeat_backward(
    dy: Tensor, data: Tensor, *, repeats: int, axis: int | None, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``repeat``: the sum over the repetitions of each element."""
    at = data.ndim if axis is None else axis % data.ndim + 1
    return _sum_over(dy.reshape((*data.shape[:at], repeats, *data.shape[at:])), (at,), out)


def _pad_pairs(pad_width: tuple[int, ...]) -> list[tuple[int, int]]:
    return list(zip(pad_width[::2], pad_width[1::2], strict=True))


def _padded(y: Tensor, axis: int, size: int, widths: tuple[int, int], mode: str) -> None:
    """Write the padding along ``axis`` of an array, whose ``size`` inner rows are already set."""
    before, after = widths
    rows = y.movedim(axis, 0)
    inner = rows[before : before + size]
    if mode == "edge":
        rows[:before] = inner[:1]
        rows[before + size :] = inner[-1:]
    else:
        rows[:before] = inner[1 : before + 1].flip(0)
        rows[before + size :] = inner[size - 1 - after : size - 1].flip(0)


def _fast_pad(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of constant padding by one call of torch, for float32 and float64."""
    value, pad_width = params["constant_value"], params["pad_width"]
    rank = len(pad_width) // 2
    if params["mode"] != "constant" or len(pad_width) % 2 or min(pad_width, default=0) < 0:
        return None
    widths = [width for pair in reversed(_pad_pairs(pad_width)) for width in pair]

    def padded(data: Tensor) -> Tensor:
        dtype = data.dtype
        if data.ndim != rank or dtype not in PLAIN:
            return general(data)
        # No value argument: torch's default is 0, and parsing a number costs.
        if not value:
            return torch.constant_pad_nd(data, widths)
        return torch.constant_pad_nd(data, widths, fitting(value, dtype))

    return padded


@kernel(out="apart", specialize=by_params(_fast_pad))
def pad(
    data: Tensor,
    *,
    mode: str,
    pad_width: tuple[int, ...],
    constant_value: float,
    out: OutBuffers = None,
) -> Tensor:
    """Return the array padded with a constant, its edge values or its reflection."""
    pairs = _pad_pairs(pad_width)
    inside = tuple([slice(a, a + n) for (a, _), n in zip(pairs, data.shape, strict=True)])
    shape = [n + a + b for (a, b), n in zip(pairs, data.shape, strict=True)]
    y = target(out, shape, data.dtype, data.device)
    if mode == "constant":
        # Filled first, then the inside is written: one pass less than concatenating borders.
        y.fill_(own(constant_value, y.dtype))
    y[inside] = data
    if mode != "constant":
        for axis, (size, widths) in enumerate(zip(data.shape, pairs, strict=True)):
            if widths != (0, 0):
                _padded(y, axis, size, widths, mode)
    return y


def _without_padding(
    dy: Tensor, axis: int, size: int, widths: tuple[int, int], mode: str
) -> Tensor:
    """Return ``dy`` without the padding along ``axis``, which is added to its source elements."""
    before, after = widths
    y = dy.movedim(axis, 0)
    inner = y[before : before + size].clone()
    if mode == "edge":
        if before:
            inner[0] += y[:before].sum(0)
        if after:
            inner[-1] += y[before + size :].sum(0)
    elif mode == "reflect":
        inner[1 : before + 1] += y[:before].flip(0)
        inner[size - 1 - after : size - 1] += y[before + size :].flip(0)
    return inner.movedim(0, axis)


@kernel(out="apart")
def pad_backward(
    dy: Tensor, data: Tensor, *, mode: str, pad_width: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``pad``: the inner part, plus the padding added to its sources."""
    # In float32: each border element is added to the same row.
    dx = dy.to(accumulator(dy.dtype))
    for axis, widths in enumerate(_pad_pairs(pad_width)):
        if widths != (0, 0):
            dx = _without_padding(dx, axis, data.shape[axis], widths, mode)
    return copied(dx, out, dtype=dy.dtype)


def _stretched(data: Tensor, shape: Sequence[int], out: OutBuffers) -> Tensor:
    return copied(data.broadcast_to(tuple(shape)), out)


@kernel(out="apart")
def broadcast_to(data: Tensor, *, shape: tuple[int, ...], out: OutBuffers = None) -> Tensor:
    """Return ``data`` broadcast to ``shape``, in which 0 keeps a size."""
    sizes = [want or have for have, want in zip(data.shape, shape, strict=True)]
    return _stretched(data, sizes, out)


@kernel(out="apart")
def broadcast_axis(
    data: Tensor, *, axis: tuple[int, ...], size: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return ``data`` with axes of size 1 repeated to sizes."""
    sizes = list(data.shape)
    for i, n in zip(axis, size, strict=True):
        sizes[i] = n
    return _stretched(data, sizes, out)


def _fast_like(params: Mapping[str, Any], general: Function) -> Function | None:
    """Return a fast path of ``broadcast_like`` without axes arguments, else None."""
    if params["lhs_axes"] is not None or params["rhs_axes"] is not None:
        return None

    def broadcast(lhs: Tensor, rhs: Tensor) -> Tensor:
        if lhs.ndim != rhs.ndim:
            return general(lhs, rhs)
        return lhs.expand_as(rhs).clone(memory_format=IN_ORDER)

    return broadcast


@kernel(out="apart", specialize=by_params(_fast_like))
def broadcast_like(
    lhs: Tensor,
    rhs: Tensor,
    *,
    lhs_axes: tuple[int, ...] | None,
    rhs_axes: tuple[int, ...] | None,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``lhs`` broadcast to the shape of ``rhs``, or along given pairs of axes."""
    if lhs_axes is None or rhs_axes is None:
        return _stretched(lhs, rhs.shape, out)
    sizes = list(lhs.shape)
    for i, j in zip(lhs_axes, rhs_axes, strict=True):
        sizes[i] = rhs.shape[j]
    return _stretched(lhs, sizes, out)
