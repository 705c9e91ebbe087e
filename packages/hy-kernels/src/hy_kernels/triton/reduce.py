"""Sums, means, extremes, lengths and their places, over any axes.

Reductions are generated (:mod:`hy_kernels.triton.pointwise`): the tensor is read once, where it
lies, through a view whose last axes are those reduced, and added up in float32, of float64 in
float64. Few long rows are cut into parts, whose results a second launch joins.
"""

import builtins
from collections.abc import Sequence
from math import prod
from typing import Any

import torch

from hy_kernels.torch._dtypes import accumulator, torch_type
from hy_kernels.torch._tensor import Places, Tensor, target
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._launch import launch, runs_on
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton.device import search as device
from hy_kernels.triton.pointwise import reduced, run

__all__ = [
    "argmax",
    "argmin",
    "axes_of",
    "max",
    "mean",
    "min",
    "norm",
    "shape_of",
    "sum",
    "total_of",
]

Axis = tuple[int, ...] | None
_PROGRAMS = 512  # that keep a GPU busy
_PLAIN = {kind: Formula(1, (), (), Reduction(kind, 0)) for kind in ("sum", "max", "min")}
_POWERS = {
    1: Formula(1, (Step("abs", (0,)),), (), Reduction("sum", 1)),
    2: Formula(1, (Step("square", (0,)),), (), Reduction("sum", 1)),
}
_ROOT = Formula(1, (Step("sqrt", (0,)),), (1,))
_SAME = Formula(1, (), (0,))


def axes_of(axis: Axis, rank: int, exclude: bool = False) -> list[int]:
    """The axes to reduce, of so many."""
    if not axis:
        return list(range(rank))
    chosen = {i % rank for i in axis}
    return [i for i in range(rank) if (i in chosen) != exclude]


def total_of(
    formula: Formula, inputs: Sequence[Tensor], axes: Sequence[int], y: Tensor, count: int = 1
) -> None:
    """Reduce what a formula makes of tensors of one shape, over any axes, into ``y``.

    Args:
        formula: It, with its reduction.
        inputs: Tensors that broadcast to the shape of the first.
        axes: What is reduced.
        y: Contiguous memory for the result.
        count: What that is divided by.
    """
    shape = inputs[0].shape
    order = [*(i for i in range(len(shape)) if i not in axes), *axes]
    moved = [x.expand(shape).permute(order) for x in inputs]
    reduced(formula, moved, moved[0].shape, len(axes), y, count)


def _suits(
    data: Tensor, *, axis: Axis = None, exclude: bool = False, out: Places = None, **_: Any
) -> bool:
    usual = data.dtype.is_floating_point and data.numel() > 0 and data.ndim > 0
    valid = all(-data.ndim <= i < data.ndim for i in axis or ())
    return usual and valid and bool(axes_of(axis, data.ndim, exclude)) and runs_on(data)


def shape_of(shape: Sequence[int], axes: Sequence[int], keepdims: bool) -> list[int]:
    """The shape of the result; reducing all axes leaves ``(1,)``."""
    if keepdims:
        return [1 if i in axes else n for i, n in enumerate(shape)]
    return [n for i, n in enumerate(shape) if i not in axes] or [1]


def _reduced(
    formula: Formula, data: Tensor, axes: list[int], keepdims: bool, out: Places, count: int = 1
) -> Tensor:
    y = target(out, shape_of(data.shape, axes, keepdims), data.dtype, data.device)
    total_of(formula, [data], axes, y, count)
    return y


@overlay(suits=_suits)
def sum(data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: Places = None) -> Tensor:
    """Sum."""
    return _reduced(_PLAIN["sum"], data, axes_of(axis, data.ndim, exclude), keepdims, out)


@overlay(suits=_suits)
def mean(data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: Places = None) -> Tensor:
    """Mean."""
    axes = axes_of(axis, data.ndim, exclude)
    count = prod(data.shape[i] for i in axes)
    return _reduced(_PLAIN["sum"], data, axes, keepdims, out, count)


@overlay(suits=_suits)
def max(data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: Places = None) -> Tensor:
    """Maximum, nan where there is one."""
    return _reduced(_PLAIN["max"], data, axes_of(axis, data.ndim, exclude), keepdims, out)


@overlay(suits=_suits)
def min(data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: Places = None) -> Tensor:
    """Minimum, nan where there is one."""
    return _reduced(_PLAIN["min"], data, axes_of(axis, data.ndim, exclude), keepdims, out)


def _suits_norm(data: Tensor, *, ord: int, axis: Axis, **_: Any) -> bool:
    return ord in _POWERS and _suits(data, axis=axis)


@overlay(suits=_suits_norm)
def norm(
    data: Tensor,
    *,
    ord: int,
    axis: Axis,
    out_dtype: str | None,
    keepdims: bool,
    out: Places = None,
) -> Tensor:
    """Length of vectors; the root is taken of the sum as it was added up."""
    axes = axes_of(axis, data.ndim)
    shape = shape_of(data.shape, axes, keepdims)
    total = data.new_empty(shape, dtype=accumulator(data.dtype))
    total_of(_POWERS[ord], [data], axes, total)
    dtype = data.dtype if out_dtype is None else torch_type(out_dtype)
    y = target(out, shape, dtype, data.device)
    run(_ROOT if ord == 2 else _SAME, [total], shape, [y])
    return y


def _suits_search(data: Tensor, *, axis: int | None = None, **_: Any) -> bool:
    valid = axis is None or -data.ndim <= axis < data.ndim
    usual = data.dtype.is_floating_point and data.numel() > 0 and data.ndim > 0
    return usual and valid and runs_on(data)


def _place(data: Tensor, axis: int | None, keepdims: bool, least: bool, out: Places) -> Tensor:
    axes = [axis % data.ndim] if axis is not None else list(range(data.ndim))
    rows = Rows(1, data.numel(), 1) if axis is None else Rows.of(data, axis)
    y = target(out, shape_of(data.shape, axes, keepdims), data.dtype, data.device)
    high, wide = rows.tile(1 << 12)
    programs = -(-rows.rows // high)
    parts = builtins.max(builtins.min(-(-rows.columns // (4 * wide)), _PROGRAMS // programs), 1)
    part = -(-rows.columns // (parts * wide)) * wide
    parts = -(-rows.columns // part)
    found, best = y, y
    if parts > 1:
        found = data.new_empty((rows.rows, parts), dtype=torch.int64)
        best = data.new_empty((rows.rows, parts), dtype=torch.float64)
    launch(
        device.extreme_place,
        (programs, parts),
        *(data.contiguous(), found, best, rows.rows, rows.columns, rows.inner, part),
        warps=warps_for(high * wide),
        LEAST=least,
        IN_PARTS=parts > 1,
        ROWS=high,
        COLUMNS=wide,
    )
    if parts > 1:
        joined = (found, best, y, parts)
        launch(device.extreme_joined, (rows.rows,), *joined, PARTS=next_power(parts))
    return y


@overlay(suits=_suits_search)
def argmax(data: Tensor, *, axis: int | None, keepdims: bool, out: Places = None) -> Tensor:
    """Position of the first largest element, or of the first nan."""
    return _place(data, axis, keepdims, False, out)


@overlay(suits=_suits_search)
def argmin(data: Tensor, *, axis: int | None, keepdims: bool, out: Places = None) -> Tensor:
    """Position of the first smallest element, or of the first nan."""
    return _place(data, axis, keepdims, True, out)


@overlay(suits=lambda data, **_: data.ndim > 1 and _suits_search(data))
def argmax_channel(data: Tensor, *, out: Places = None) -> Tensor:
    """Position of the first largest element along axis 1."""
    return _place(data, 1, False, False, out)
