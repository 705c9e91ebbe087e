"""Reductions over any axes: sums, means, products, extrema, norms and their positions.

Their kernels are generated (:mod:`hy_kernels.triton.elementwise.pointwise`): the tensor is read
once, in place, through a view whose last axes are the reduced ones. Sums are float32, float64 for
float64, integer for integers. A few long rows are split into parts, which a second launch reduces.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from math import gcd, inf, prod
from typing import Any

import torch
import triton.language as tl

from hy_kernels.torch._dtypes import NAMES, TYPES, accumulator, torch_type
from hy_kernels.torch._tensor import OutBuffers, Tensor, is_integer, target
from hy_kernels.triton._formula import Formula, Reduction, Step
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton.device import search as device
from hy_kernels.triton.elementwise.pointwise import reduced
from hy_kernels.triton.runtime._launch import launch, runs_on

Axis = tuple[int, ...] | None
_PROGRAMS = 512  # that keep a GPU busy
ROOT = Step("sqrt", (0,))
REDUCTIONS: dict[str, tuple[str, tuple[Step, ...]]] = {
    "max": ("max", ()),
    "mean": ("sum", ()),
    "min": ("min", ()),
    "nanprod": ("product", (Step("replace_nan", (0, 0), (("value", "1.0"),)),)),
    "nansum": ("sum", (Step("replace_nan", (0, 0), (("value", "0.0"),)),)),
    "prod": ("product", ()),
    "square_sum": ("sum", (Step("square", (0,)),)),
    "sum": ("sum", ()),
}
"""By the name of a kernel, how elements are combined, and the steps before."""
_OF_BOOLEANS = {"sum": "any", "prod": "all"}


def real_of(dtype: torch.dtype) -> torch.dtype:
    """Return the floating dtype to divide and take roots in."""
    return accumulator(dtype) if dtype.is_floating_point else torch.float64


@lru_cache(maxsize=256)
def reduction_of(name: str, dtype: torch.dtype) -> Formula | None:
    """Return the formula of a reduction kernel for a dtype; None if Triton does not support it."""
    if name in ("nansum", "nanprod") and not dtype.is_floating_point:
        name = name.removeprefix("nan")
    if dtype is torch.bool:
        name = _OF_BOOLEANS.get(name, name)
    if name in ("any", "all"):
        return _all_or_any(name, dtype)
    if name == "square_sum" and dtype is torch.bool:
        return None
    if name in REDUCTIONS:
        kind, steps = REDUCTIONS[name]
    elif name in ("norm1", "norm2"):
        step = "abs" if name == "norm1" else "square"
        kind, steps = "sum", (Step(step, (0,), (), (NAMES[real_of(dtype)],)),)
    else:
        return None
    return Formula(1, steps, (), Reduction(kind, len(steps), (ROOT,) * (name == "norm2")))


def _all_or_any(name: str, dtype: torch.dtype) -> Formula:
    """Return the formula of ``all`` or ``any`` for a dtype."""
    # Both by a product, of what holds or of its opposite: one kind of reduction compiles for both.
    computed = ("int8",) if dtype is torch.bool else ()
    if name == "all":
        step = Step("not_equal_scalar", (0,), (("scalar", "0"),), computed, "int1")
        return Formula(1, (step,), (), Reduction("product", 1))
    step = Step("equal_scalar", (0,), (("scalar", "0"),), computed, "int1")
    return Formula(1, (step,), (), Reduction("product", 1, (Step("logical_not", (0,)),)))


def axes_of(axis: Axis, rank: int, exclude: bool = False) -> list[int]:
    """Return the axes to reduce, counted from the front; all if ``axis`` is None or empty."""
    if not axis or not rank:
        return list(range(rank))
    selected = {i % rank for i in axis}
    return [i for i in range(rank) if (i in selected) != exclude]


def total_of(
    formula: Formula,
    inputs: Sequence[Tensor],
    axes: Sequence[int],
    y: Tensor,
    count: int = 1,
    computed: torch.dtype | None = None,
) -> None:
    """Write the reduction of a formula over any axes to ``y``.

    Args:
        formula: The formula, with its reduction.
        inputs: Tensors that broadcast to the shape of the first.
        axes: The axes to reduce.
        y: Contiguous memory for the result.
        count: Divisor of the result, as for a mean.
        computed: The dtype to reduce in; see :func:`reduced`.
    """
    shape = inputs[0].shape
    # Reduced axes become the last ones of a view: nothing is copied, kernels take strides.
    order = [*(i for i in range(len(shape)) if i not in axes), *axes]
    moved = inputs
    if order != [*range(len(shape))]:
        moved = [x.expand(shape).permute(order) for x in inputs]
    reduced(formula, moved, moved[0].shape, len(axes), y, count, computed)


def shape_of(shape: Sequence[int], axes: Sequence[int], keepdims: bool) -> list[int]:
    """Return the shape of the result; reducing all axes leaves ``(1,)``."""
    if keepdims:
        return [1 if i in axes else n for i, n in enumerate(shape)]
    return [n for i, n in enumerate(shape) if i not in axes] or [1]


def _supporting(name: str) -> Callable[..., bool]:
    """Return a predicate: whether the reduction ``name`` supports a tensor and its axes."""

    def supports(data: Tensor, *, axis: Axis = None, exclude: bool = False, **_: Any) -> bool:
        if not runs_on(data) or any(not -data.ndim <= i < data.ndim for i in axis or ()):
            return False
        compares = (
            name in ("max", "min") and not data.numel()
        )  # torch reports that there is nothing
        return not compares and reduction_of(name, data.dtype) is not None

    return supports


def _enter(name: str) -> None:
    """Enter the kernel of a reduction over axes, whose formula is :func:`reduction_of`."""

    @overlay(name, supports=_supporting(name))
    def reduce(
        data: Tensor, *, axis: Axis, keepdims: bool, exclude: bool, out: OutBuffers = None
    ) -> Tensor:
        axes = axes_of(axis, data.ndim, exclude)
        formula = reduction_of(name, data.dtype)
        assert formula is not None
        y = target(out, shape_of(data.shape, axes, keepdims), data.dtype, data.device)
        if name == "mean":
            count = prod(data.shape[i] for i in axes)
            total_of(formula, [data], axes, y, count, real_of(data.dtype))
        else:
            total_of(formula, [data], axes, y)
        return y


for _name in REDUCTIONS:
    _enter(_name)


def _supports_norm(data: Tensor, *, ord: int, axis: Axis, out_dtype: str | None, **_: Any) -> bool:
    known = out_dtype is None or out_dtype in TYPES
    return known and ord in (1, 2) and _supporting(f"norm{ord}")(data, axis=axis)


@overlay(supports=_supports_norm)
def norm(
    data: Tensor,
    *,
    ord: int,
    axis: Axis,
    out_dtype: str | None,
    keepdims: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the L1 or L2 norm over axes; the root is taken before the sum is rounded."""
    axes = axes_of(axis, data.ndim)
    formula = reduction_of(f"norm{ord}", data.dtype)
    assert formula is not None
    dtype = data.dtype if out_dtype is None else torch_type(out_dtype)
    y = target(out, shape_of(data.shape, axes, keepdims), dtype, data.device)
    total_of(formula, [data], axes, y, 1, real_of(data.dtype))
    return y


# --- positions -------------------------------------------------------------------------------


def _supports_search(data: Tensor, *, axis: int | None = None, **_: Any) -> bool:
    valid = axis is None or -data.ndim <= axis < data.ndim
    return data.numel() > 0 and data.ndim > 0 and valid and runs_on(data)


def position_of(data: Tensor, axis: int | None, y: Tensor, lowest: bool) -> Tensor:
    """Write the index of the largest or smallest element along an axis to ``y``, and return ``y``.

    Args:
        data: Tensor that is not empty.
        axis: Axis to search; None: the flattened tensor.
        y: Contiguous memory for the indices, of any dtype.
        lowest: Whether to find the smallest element.
    """
    rows = Rows(1, data.numel(), 1) if axis is None else Rows.of(data, axis)
    tile_rows, tile_columns = rows.tile(1 << 12)
    programs = -(-rows.rows // tile_rows)
    # Rows that are too few to fill a GPU are cut, but not below four tiles, of which starting a
    # program takes no noticeable share.
    parts = max(min(-(-rows.columns // (4 * tile_columns)), _PROGRAMS // programs), 1)
    part = -(-rows.columns // (parts * tile_columns)) * tile_columns
    parts = -(-rows.columns // part)
    whole = is_integer(data)
    empty = torch.iinfo(torch.int64).min if whole else -inf
    result, best = y, y
    if parts > 1:
        result = data.new_empty((rows.rows, parts), dtype=torch.int64)
        best = data.new_empty((rows.rows, parts), dtype=torch.int64 if whole else torch.float64)
    launch(
        device.extreme_position,
        (programs, parts),
        *(data.contiguous(), result, best, rows.rows, rows.columns, rows.inner, part),
        warps=warps_for(tile_rows * tile_columns),
        SMALLEST=lowest,
        IN_PARTS=parts > 1,
        TYPE=tl.int64 if whole else tl.float64,
        EMPTY=empty,
        ALIGN=gcd(rows.columns, 8),
        ROWS=tile_rows,
        COLUMNS=tile_columns,
    )
    if parts > 1:
        operands = (result, best, y, parts)
        constants: dict[str, Any] = {"EMPTY": empty, "PARTS": next_power(parts)}
        launch(device.extreme_merged, (rows.rows,), *operands, **constants)
    return y


def _position(
    data: Tensor, axis: int | None, keepdims: bool, lowest: bool, out: OutBuffers
) -> Tensor:
    axes = [axis % data.ndim] if axis is not None else list(range(data.ndim))
    y = target(out, shape_of(data.shape, axes, keepdims), data.dtype, data.device)
    return position_of(data, axis, y, lowest)


@overlay(supports=_supports_search)
def argmax(data: Tensor, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Tensor:
    """Return the position of the first largest element along an axis, or of the first nan."""
    return _position(data, axis, keepdims, False, out)


@overlay(supports=_supports_search)
def argmin(data: Tensor, *, axis: int | None, keepdims: bool, out: OutBuffers = None) -> Tensor:
    """Return the position of the first smallest element along an axis, or of the first nan."""
    return _position(data, axis, keepdims, True, out)


@overlay(supports=lambda data, **_: data.ndim > 1 and _supports_search(data))
def argmax_channel(data: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the position of the first largest element along axis 1."""
    return _position(data, 1, False, False, out)
