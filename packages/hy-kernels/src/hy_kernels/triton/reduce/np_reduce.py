"""Reductions of NumPy's interface; axis ``()`` reduces no axes, None all.

They are those of :mod:`hy_kernels.triton.reduce.reductions`, with the arguments ``dtype`` and
``initial``. A variance takes two launches, since deviations need the mean: the tensor is read
twice.
"""

from collections.abc import Callable, Sequence
from math import inf, prod
from typing import Any

import torch

from hy_kernels.torch._dtypes import NAMES, TYPES, accumulator, torch_type
from hy_kernels.torch._tensor import OutBuffers, Tensor, is_integer, stored, target
from hy_kernels.torch.np.reduce import reduced_axes, sum_dtype
from hy_kernels.triton._formula import Formula, Reduction, Step, literal
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.elementwise.pointwise import run
from hy_kernels.triton.reduce.reductions import ROOT, position_of, real_of, reduction_of, total_of
from hy_kernels.triton.runtime._launch import runs_on

Axis = tuple[int, ...] | None
_FLAT, _FROBENIUS, _GENERAL = -2, 1, -1
_MAX_ELEMENTS = 2**31
_COMBINED = {
    "sum": "plus_scalar",
    "prod": "mul_scalar",
    "max": "maximum_scalar",
    "min": "minimum_scalar",
}
_LENGTHS = {
    1.0: (Step("abs", (0,)), Reduction("sum", 1)),
    2.0: (Step("square", (0,)), Reduction("sum", 1, (ROOT,))),
    inf: (Step("abs", (0,)), Reduction("max", 1)),
    -inf: (Step("abs", (0,)), Reduction("min", 1)),
}
_WEIGHTED = Formula(2, (Step("broadcast_mul", (0, 1)),), (), Reduction("sum", 2))
_QUOTIENT = Formula(2, (Step("broadcast_div", (0, 1)),), (2,))


def _shape(data: Tensor, axes: Sequence[int], keepdims: bool) -> list[int]:
    if keepdims:
        return [1 if i in axes else n for i, n in enumerate(data.shape)]
    return [n for i, n in enumerate(data.shape) if i not in axes]


def _is_there(data: Tensor, axis: Axis) -> bool:
    return runs_on(data) and all(-data.ndim <= i < data.ndim for i in axis or ())


def _starts(initial: float | None, dtype: torch.dtype) -> bool:
    """Return whether the initial value of a reduction is exact in the result's dtype."""
    if initial is None or dtype.is_floating_point:
        return True
    return abs(initial) < _MAX_ELEMENTS and initial == int(initial)


def _begun(name: str, formula: Formula, initial: float | None, dtype: torch.dtype) -> Formula:
    """Return the formula with the initial value combined with the result."""
    if initial is None:
        return formula
    value = initial if dtype.is_floating_point else int(initial)
    assert formula.reduction is not None
    step = Step(_COMBINED[name], (0,), (("scalar", literal(value)),))
    return Formula(1, formula.steps, (), formula.reduction._replace(after=(step,)))


def _supports_fold(
    a: Tensor, *, axis: Axis, dtype: str | None, initial: float | None, **_: Any
) -> bool:
    """Return whether the reduction supports the operand and dtype; floats give no integers."""
    if not _is_there(a, axis) or (dtype is not None and dtype not in TYPES):
        return False
    result = sum_dtype(a.dtype, dtype)
    fits = result.is_floating_point or (is_integer(a) and result is not torch.bool)
    return fits and _starts(initial, result)


def _enter_fold(name: str) -> None:
    """Enter the kernel of a sum or product."""

    @overlay(name, supports=_supports_fold)
    def fold(
        a: Tensor,
        *,
        axis: Axis,
        dtype: str | None,
        keepdims: bool,
        initial: float | None,
        out: OutBuffers = None,
    ) -> Tensor:
        return _folded(name, a, axis, sum_dtype(a.dtype, dtype), keepdims, initial, out)


def _folded(
    name: str,
    a: Tensor,
    axis: Axis,
    result: torch.dtype,
    keepdims: bool,
    initial: float | None,
    out: OutBuffers,
) -> Tensor:
    name = name.removeprefix("np_")
    axes, formula = reduced_axes(axis, a.ndim), reduction_of(name, result)
    assert formula is not None
    y = target(out, _shape(a, axes, keepdims), result, a.device)
    total_of(_begun(name, formula, initial, result), [a], axes, y)
    return y


def _supports_extreme(a: Tensor, *, axis: Axis, initial: float | None, **_: Any) -> bool:
    compares = a.numel() > 0 or initial is not None
    return compares and _is_there(a, axis) and _starts(initial, a.dtype)


def _enter_extreme(name: str) -> None:
    """Enter the kernel of a maximum or minimum; nan if there is one."""

    @overlay(name, supports=_supports_extreme)
    def extreme(
        a: Tensor, *, axis: Axis, keepdims: bool, initial: float | None, out: OutBuffers = None
    ) -> Tensor:
        return _folded(name, a, axis, a.dtype, keepdims, initial, out)


# --- means and variances ---------------------------------------------------------------------


def _supports_mean(
    a: Tensor, *, axis: Axis, dtype: str | None, initial: float | None = None, **_: Any
) -> bool:
    known = dtype is None or dtype in TYPES
    return known and initial is None and _is_there(a, axis)


def _mean(a: Tensor, axes: Sequence[int], y: Tensor, computed: torch.dtype) -> None:
    """Write the means over axes to ``y``; 0 for empty sums."""
    formula = reduction_of("mean", a.dtype)
    assert formula is not None
    total_of(formula, [a], axes, y, prod(a.shape[i] for i in axes) or 1, computed)


@overlay(supports=_supports_mean)
def np_mean(
    a: Tensor,
    *,
    axis: Axis,
    dtype: str | None,
    keepdims: bool,
    initial: float | None,  # there is none
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean over axes; of integers by default in float32."""
    axes, floating = reduced_axes(axis, a.ndim), torch.float32 if is_integer(a) else a.dtype
    result = floating if dtype is None else torch_type(dtype)
    y = target(out, _shape(a, axes, keepdims), result, a.device)
    _mean(a, axes, y, real_of(result))
    return y


def spread_of(
    data: Tensor, axes: Sequence[int], y: Tensor, spare: int = 0, root: bool = False
) -> Tensor:
    """Write the variance over axes, or its root, to ``y``; return the mean, axes kept with size 1.

    Args:
        data: Any dtype.
        axes: The axes to reduce.
        y: Contiguous memory for the result.
        spare: Degrees of freedom: sums of squares are divided by the number of elements less this.
        root: Whether to write the standard deviation.
    """
    working = real_of(data.dtype)
    # Deviations from the mean, not a difference of squares, in which digits cancel.
    mean = data.new_empty(_shape(data, axes, True), dtype=working)
    _mean(data, axes, mean, working)
    steps = (
        Step("broadcast_sub", (0, 1), (), (NAMES[working],) * 2),
        Step("square", (2,)),
    )
    formula = Formula(2, steps, (), Reduction("sum", 3, (ROOT,) * root))
    count = prod(data.shape[i] for i in axes)
    total_of(formula, [data, mean], axes, y, max(count - spare, 0) if count else 1, working)
    return mean


def _enter_spread(name: str) -> None:
    """Enter the kernel of a variance over axes, or of its root."""

    @overlay(name, supports=_supports_mean)
    def spread(
        a: Tensor,
        *,
        axis: Axis,
        dtype: str | None,
        ddof: int,
        keepdims: bool,
        out: OutBuffers = None,
    ) -> Tensor:
        axes, result = reduced_axes(axis, a.ndim), a.dtype if dtype is None else torch_type(dtype)
        y = target(out, _shape(a, axes, keepdims), result, a.device)
        spread_of(a, axes, y, ddof, root=name == "np_std")
        return y


REDUCTIONS: dict[str, Callable[[str], None]] = {
    "np_max": _enter_extreme,
    "np_min": _enter_extreme,
    "np_prod": _enter_fold,
    "np_std": _enter_spread,
    "np_sum": _enter_fold,
    "np_var": _enter_spread,
}
for _name, _enter in REDUCTIONS.items():
    _enter(_name)


# --- where -----------------------------------------------------------------------------------


def _supports_search(data: Tensor, *, axis: int | None, **_: Any) -> bool:
    return data.numel() > 0 and _is_there(data, None if axis is None else (axis,))


def _position(data: Tensor, axis: int | None, keepdims: bool, lowest: bool) -> Tensor:
    axes = reduced_axes(None if axis is None else (axis,), data.ndim)
    y = data.new_empty(_shape(data, axes, keepdims), dtype=torch.int64)
    return position_of(data, axis, y, lowest)


@overlay(supports=_supports_search)
def np_argmax(data: Tensor, *, axis: int | None, keepdims: bool) -> Tensor:
    """Return the index of the first maximum, or of the first nan."""
    return _position(data, axis, keepdims, False)


@overlay(supports=_supports_search)
def np_argmin(data: Tensor, *, axis: int | None, keepdims: bool) -> Tensor:
    """Return the index of the first minimum, or of the first nan."""
    return _position(data, axis, keepdims, True)


# --- lengths and weighted means --------------------------------------------------------------


def _order(data: Tensor, ord: float, axis: Axis, flag: int) -> float | None:
    """Return the order of a vector norm that is computed as a reduction; None for other norms."""
    if flag in (_FLAT, _FROBENIUS):
        return 2.0 if axis != () else None
    vectors = len(axis) == 1 if axis is not None else data.ndim == 1
    result = vectors and flag == _GENERAL and ord in _LENGTHS
    return float(ord) if result and (data.numel() or abs(ord) != inf) else None


def _supports_norm(data: Tensor, *, ord: float, axis: Axis, flag: int, **_: Any) -> bool:
    floats = data.dtype.is_floating_point
    return floats and _is_there(data, axis) and _order(data, ord, axis, flag) is not None


@overlay(supports=_supports_norm)
def np_norm(data: Tensor, *, ord: float, axis: Axis, flag: int, keepdims: bool) -> Tensor:
    """Return the vector norm of order 1, 2, inf or -inf over axes."""
    order, axes = _order(data, ord, axis, flag), reduced_axes(axis, data.ndim)
    assert order is not None
    step, reduction = _LENGTHS[order]
    y = data.new_empty(_shape(data, axes, keepdims))
    total_of(Formula(1, (step,), (), reduction), [data], axes, y)
    return y


def _supports_weights(
    a: Tensor, weights: Tensor | None, *, axis: Axis, weighted: bool, **_: Any
) -> bool:
    if weights is None or not weighted:
        return _is_there(a, axis)
    same = weights.dtype is a.dtype and a.dtype.is_floating_point and runs_on(weights)
    vector = weights.ndim == 1 and axis is not None and len(axis) == 1
    return same and _is_there(a, axis) and (weights.shape == a.shape or vector)


@overlay(supports=_supports_weights)
def np_average(
    a: Tensor,
    weights: Tensor | None,
    *,
    axis: Axis,
    returned: bool,  # whether the caller wants the second result
    weighted: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the weighted mean, and the sum of the weights."""
    axes = reduced_axes(axis, a.ndim)
    shape = _shape(a, axes, False)
    y, compute_dtype = target(out, shape, a.dtype, a.device), accumulator(a.dtype)
    if weights is None or not weighted:
        _mean(a, axes, y, real_of(a.dtype))
        counts = target(out, shape, a.dtype, a.device, 1)
        return y, counts.fill_(prod(a.shape[i] for i in axes) if y.numel() else 0)
    factors = weights
    if weights.shape != a.shape:
        factors = weights.reshape([-1 if i in axes else 1 for i in range(a.ndim)]).expand(a.shape)
    total, scale = (a.new_empty(shape, dtype=compute_dtype) for _ in range(2))
    total_of(_WEIGHTED, [a, factors], axes, total)
    total_of(_plain_sum(a.dtype), [factors], axes, scale)
    run(_QUOTIENT, [total, scale], shape, [y])
    # The second result sums the weights as they were given, not broadcast.
    along = axes if weights.ndim == a.ndim else [0]
    whole = weights.new_empty(_shape(weights, along, False))
    total_of(_plain_sum(a.dtype), [weights], along, whole)
    return y, stored(whole, out, 1)


def _plain_sum(dtype: torch.dtype) -> Formula:
    result = reduction_of("sum", dtype)
    assert result is not None
    return result


def _supports_total(weights: Tensor, a: Tensor, *, axis: Axis, **_: Any) -> bool:
    along = axis if weights.ndim == a.ndim else None
    return weights.dtype is not torch.bool and _is_there(weights, along)


@overlay(supports=_supports_total)
def total_weights(weights: Tensor, a: Tensor, *, axis: Axis, out: OutBuffers = None) -> Tensor:
    """Return the sums of the weights over axes."""
    along = reduced_axes(axis if weights.ndim == a.ndim else None, weights.ndim)
    y = target(out, _shape(weights, along, False), weights.dtype, weights.device)
    total_of(_plain_sum(weights.dtype), [weights], along, y)
    return y


def _supports_sum(dy: Tensor, weights: Tensor, a: Tensor, *, axis: Axis, **_: Any) -> bool:
    reduces = weights.shape != dy.shape and axis is not None and len(axis) == 1
    return reduces and dy.dtype is not torch.bool and _is_there(dy, axis)


@overlay(supports=_supports_sum)
def sum_weights(
    dy: Tensor,
    weights: Tensor,  # only its type matters
    a: Tensor,  # likewise
    *,
    axis: tuple[int, ...],
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradients of elements summed to the shape of their weights."""
    rest = [i for i in range(dy.ndim) if i != axis[0] % dy.ndim]
    y = target(out, _shape(dy, rest, False), dy.dtype, dy.device)
    total_of(_plain_sum(dy.dtype), [dy], rest, y)
    return y
