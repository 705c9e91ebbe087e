"""Sums that undo broadcasting, vectors divided by their length, and gradients of reductions.

Reductions are generated (:mod:`hy_kernels.triton.reduce.reductions`) and read each tensor once.
Gradients read each element once, and a reduced value once for each element it belongs to, mostly
from the cache. A vector divided by its length takes two launches, its gradient three.
"""

from collections.abc import Sequence
from typing import Any

import torch

from hy_kernels.torch._dtypes import NAMES, accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, target, target_like
from hy_kernels.triton._formula import Formula, Reduction, Step, literal
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.reduce.reductions import ROOT, axes_of, shape_of, total_of
from hy_kernels.triton.runtime._launch import runs_on

Axis = tuple[int, ...] | None
_SUM = Formula(1, (), (), Reduction("sum", 0))
_SAME = Formula(1, (), (0,))
# The count is an argument of the launch: as a constant it would compile a kernel for each shape.
_SHARE = Formula(1, (Step("broadcast_div", (0, 1)),), (2,), numbers=1)
_EXTREME = Formula(3, (Step("at_extreme", (0, 1, 2)),), (3,))
_EXTREMES = Formula(3, (Step("at_extreme", (0, 1, 2)),), (), Reduction("sum", 3))
_QUOTIENT = Formula(2, (Step("broadcast_div", (0, 1)),), (2,))
_ALONG = Formula(
    3,
    (Step("broadcast_div", (1, 2)), Step("broadcast_mul", (0, 3))),
    (),
    Reduction("sum", 4),
)
_UNIT = Formula(4, (Step("along_unit", (0, 1, 2, 3)),), (4,))


def _adds(*tensors: Tensor, **_: Any) -> bool:
    return tensors[0].dtype is not torch.bool and runs_on(*tensors)


@overlay(supports=lambda data, like, **_: data.ndim > like.ndim and _adds(data))
def unspread_like(data: Tensor, like: Tensor, *, keep: int, out: OutBuffers = None) -> Tensor:
    """Return ``data`` summed along the axes that ``like`` lacks, before its last ``keep`` ones."""
    front = like.ndim - keep
    y = target_like(data, like.shape, out)
    total_of(_SUM, [data], range(front, front + data.ndim - like.ndim), y)
    return y


# --- gradients -------------------------------------------------------------------------------


def _spread(y: Tensor, data: Tensor, axis: Axis, exclude: bool = False) -> Tensor:
    """Return a view that broadcasts to ``data`` of a reduced tensor, with its axes or without."""
    if y.shape == data.shape:
        return y
    return y.reshape(shape_of(data.shape, axes_of(axis, data.ndim, exclude), True))


def _are_floats(*tensors: Tensor, **_: Any) -> bool:
    return all(x.dtype.is_floating_point for x in tensors) and runs_on(*tensors)


@overlay(supports=_are_floats)
def mean_backward(
    dy: Tensor, data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``mean``: ``dy`` divided by the number of averaged elements."""
    dx = target_like(dy, data.shape, out)
    count = data.numel() / dy.numel() if dy.numel() else 1.0
    run(_SHARE, [_spread(dy, data, axis, exclude)], data.shape, [dx], [count])
    return dx


@overlay(supports=lambda *tensors, **_: runs_on(*tensors))
def extreme_backward(
    dy: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    axis: Axis,
    keepdims: bool,
    exclude: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of a maximum or minimum ``y``: ``dy`` wherever ``data`` equals it."""
    dx = target_like(dy, data.shape, out)
    slope, extreme = (_spread(x, data, axis, exclude) for x in (dy, y))
    run(_EXTREME, [slope, data, extreme], data.shape, [dx])
    return dx


@overlay(supports=_adds)
def extreme_sum(
    values: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    axis: Axis,
    keepdims: bool,
    exclude: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the sum of ``values`` where ``data`` equals ``y``."""
    axes = axes_of(axis, data.ndim, exclude)
    total = target(out, shape_of(data.shape, axes, keepdims), values.dtype, values.device)
    total_of(_EXTREMES, [values, data, _spread(y, data, axis, exclude)], axes, total)
    return total


def _supports_norm(*tensors: Tensor, ord: int, **_: Any) -> bool:
    return ord in (1, 2) and _are_floats(*tensors)


@overlay(supports=_supports_norm)
def norm_backward(
    dy: Tensor,
    data: Tensor,
    y: Tensor,
    *,
    ord: int,
    axis: Axis,
    keepdims: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of an L1 or L2 norm; 0 where the norm is 0."""
    dx = target_like(data, data.shape, out)
    wide = NAMES[accumulator(data.dtype)]
    slope, length = (_spread(x, data, axis) for x in (dy, y))
    if ord == 1:
        step = Step("l1_norm_gradient", (0, 1), (), (wide,) * 2)
        run(Formula(2, (step,), (2,)), [slope, data], data.shape, [dx])
    else:
        step = Step("l2_norm_gradient", (0, 1, 2), (), (wide,) * 3)
        run(Formula(3, (step,), (3,)), [slope, data, length], data.shape, [dx])
    return dx


# --- vectors ---------------------------------------------------------------------------------


def _total(formula: Formula, inputs: Sequence[Tensor], axes: Sequence[int]) -> Tensor:
    """Return a reduction with its axes kept, not rounded to 16 bits."""
    data = inputs[0]
    total = data.new_empty(shape_of(data.shape, axes, True), dtype=accumulator(data.dtype))
    total_of(formula, inputs, axes, total)
    return total


def _everywhere(data: Tensor, axes: Sequence[int], out: OutBuffers) -> Tensor:
    """Return the sum over axes, broadcast to each element."""
    y = target_like(data, data.shape, out)
    run(_SAME, [_total(_SUM, [data], axes)], data.shape, [y])
    return y


@overlay(supports=_are_floats)
def axis_total(data: Tensor, *, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the sum along ``axis``, broadcast to each element."""
    return _everywhere(data, [axis % data.ndim], out)


def _vectors(data: Tensor, mode: str) -> list[int]:
    """Return the axes of each vector in a ``mode`` of L2Normalization."""
    return [1] if mode == "channel" else list(range(2 if mode == "spatial" else 1, data.ndim))


def _length(data: Tensor, mode: str, eps: float) -> Tensor:
    more = Step("plus_scalar", (0,), (("scalar", literal(eps)),))
    reduction = Reduction("sum", 1, (more, ROOT))
    formula = Formula(1, (Step("square", (0,)),), (), reduction)
    return _total(formula, [data], _vectors(data, mode))


def _supports_vectors(*tensors: Tensor, mode: str, **_: Any) -> bool:
    return tensors[0].ndim > 1 and _are_floats(*tensors)


@overlay(supports=_supports_vectors)
def l2_normalization(data: Tensor, *, eps: float, mode: str, out: OutBuffers = None) -> Tensor:
    """Return each vector divided by its length."""
    y = target_like(data, data.shape, out)
    run(_QUOTIENT, [data, _length(data, mode, eps)], data.shape, [y])
    return y


@overlay(supports=_supports_vectors)
def l2_normalization_backward(
    dy: Tensor, data: Tensor, *, eps: float, mode: str, out: OutBuffers = None
) -> Tensor:
    """Return ``dy`` less its component along each vector, divided by the vector's length."""
    length = _length(data, mode, eps)
    total = _total(_ALONG, [dy, data, length], _vectors(data, mode))
    dx = target_like(data, data.shape, out)
    run(_UNIT, [dy, data, length, total], data.shape, [dx])
    return dx


@overlay(supports=_supports_vectors)
def l2_total(data: Tensor, *, mode: str, out: OutBuffers = None) -> Tensor:
    """Return the sum over each vector, broadcast to its elements."""
    return _everywhere(data, _vectors(data, mode), out)
