"""Pointwise operators and groups of them, and reductions after them: one generated kernel each.

The kernel reads each input once, where it lies, whatever its strides, and writes each result once:
bytes moved are those of the inputs, before broadcasting, and of the results. Between the steps
there are registers, in which float16 and bfloat16 are float32: of a group only the results are
rounded, each once.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import gcd, inf, prod
from typing import Any, NamedTuple, TypeAlias

import torch
import triton.language as tl

from hy_kernels.pointwise import Group, Step as PlainStep
from hy_kernels.record import Kernel
from hy_kernels.torch._dtypes import NAMES as DTYPES
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer, target
from hy_kernels.triton._code import Axis, Visit, function
from hy_kernels.triton._formula import NAMES, Formula, Step, step_of
from hy_kernels.triton._overlay import OVERLAYS, Overlay, overlay
from hy_kernels.triton._tiles import next_power, warps_for
from hy_kernels.triton._weights import numbers_on
from hy_kernels.triton.runtime._launch import launch, runs_on

__all__ = ["fused", "reduced", "run", "steps_of", "unsupported"]

_BLOCK = 1024  # elements of a program
_EVEN = 16  # elements, of which a multiple is read in vectors
_INT32_ELEMENTS = 1 << 31  # elements that 32-bit offsets reach
_MAX_INPUTS = 64
"""Of a launch; of more arrays torch makes the sum."""
_PLAIN = (float, int, str)
_PROGRAMS = 512  # that keep a GPU busy; fewer rows are cut into parts


View: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Shape and strides of a tensor."""


def _views(inputs: Sequence[Tensor]) -> tuple[View, ...]:
    return tuple([(x.shape, x.stride()) for x in inputs])


class _Layout(NamedTuple):
    """The elements that are visited, as few axes as will do."""

    sizes: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    """For each axis how far apart the elements of each input are."""
    leading: int
    """How many axes are not reduced."""

    @classmethod
    def of(cls, views: Sequence[View], shape: Sequence[int], leading: int = 0) -> "_Layout":
        """Lay out elements of a shape, of which so many axes stay apart from the others."""
        spread = [_strides(view, shape) for view in views]
        sizes: list[int] = []
        steps: list[tuple[int, ...]] = []
        first = 0  # the axis that others are joined with at most
        for k, n in enumerate(shape):
            if k == leading:
                first = len(sizes)
            if n == 1:
                continue
            apart = tuple([strides[k] for strides in spread])
            collapses = len(sizes) > first and all(
                a == n * b for a, b in zip(steps[-1], apart, strict=True)
            )
            if collapses:
                sizes[-1] *= n
                steps[-1] = apart
            else:
                sizes.append(n)
                steps.append(apart)
        count = len(sizes) if leading >= len(shape) else first
        if not sizes:
            return cls(sizes=(1,), steps=((0,) * len(views),), leading=0)
        return cls(sizes=tuple(sizes), steps=tuple(steps), leading=count)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """Return the layout that the code is made for."""
        return tuple([Axis(tuple([n if n in (0, 1) else None for n in x])) for x in self.steps])

    @property
    def numbers(self) -> list[int]:
        """Return the numbers that a launch passes to the code."""
        inputs = range(len(self.steps[0]))
        sizes = [n for k, n in enumerate(self.sizes) if k not in (0, self.leading)]
        return sizes + [each[j] for j in inputs for each in self.steps if each[j] not in (0, 1)]


def _strides(view: View, shape: Sequence[int]) -> list[int]:
    """Return the strides of a tensor that is spread to a shape."""
    size, strides = view
    missing = len(shape) - len(size)
    own = [0 if n == 1 else step for n, step in zip(size, strides, strict=True)]
    return [0] * missing + own


def run(
    formula: Formula,
    inputs: Sequence[Tensor],
    shape: Sequence[int],
    results: Sequence[Tensor],
    numbers: Sequence[float] = (),
) -> None:
    """Compute a formula without a reduction.

    Args:
        formula: The formula to compute.
        inputs: Tensors that broadcast to the shape.
        shape: Shape of the results.
        results: Contiguous memory for them; where an input has their shape it may be that.
        numbers: Numbers of the formula; exact where a result is of float64, else in float32. They
            may be tensors without axes, which nobody reads here.
    """
    plan = _plan(formula, tuple(shape), _views(inputs))
    if plan is None:
        return
    exact = any(y.dtype is torch.float64 for y in results) or any(map(torch.is_tensor, numbers))
    values, constants = _scalars(numbers, exact, results[0].device)
    operands = (*inputs, *results, *values, *plan.passed)
    launch(plan.kernel, plan.grid, *operands, BLOCK=plan.block, **constants)


class _Plan(NamedTuple):
    """Launch of a formula, but for tensors and its numbers."""

    kernel: Any
    grid: tuple[int, ...]
    passed: tuple[int, ...]
    block: int


# Plans follow from shapes and strides, and take some twenty times as long to make as to find: they
# are kept, as a launch of a small array is as long as what Python does before it.
@lru_cache(maxsize=4096)
def _plan(formula: Formula, shape: tuple[int, ...], views: tuple[View, ...]) -> _Plan | None:
    """Return the plan of a formula without a reduction; None where there is nothing to compute."""
    size = prod(shape)
    if not size:
        return None
    layout = _Layout.of(views, shape)
    passed, factors = _passed(layout.numbers)
    visit = Visit(layout.axes, 0, size >= _INT32_ELEMENTS, size % _EVEN == 0, factors)
    block = min(_BLOCK, next_power(size))
    return _Plan(
        kernel=function(formula, visit),
        grid=(-(-size // block),),
        passed=(size, *passed),
        block=block,
    )


def _passed(numbers: Sequence[int]) -> tuple[list[int], tuple[int, ...]]:
    """Return numbers as a launch passes them, and the factor of each in the code."""
    # Up to 8 where Triton sees no multiple of 16.
    factors = tuple([gcd(n, 8) if n % 16 else 1 for n in numbers])
    return [n // factor for n, factor in zip(numbers, factors, strict=True)], factors


def _scalars(
    numbers: Sequence[float], exact: bool, where: torch.device
) -> tuple[Sequence[Any], Mapping[str, bool]]:
    """Numbers as a launch takes them, which has 32 bits for each: in memory where that is few."""
    if not numbers:
        return (), {}
    values = [
        x if torch.is_tensor(x) else numbers_on(where, float(x)) if exact else float(x)
        for x in numbers
    ]
    return values, {"LOADED": exact}


def reduced(
    formula: Formula,
    inputs: Sequence[Tensor],
    shape: Sequence[int],
    trailing: int,
    total: Tensor,
    count: int = 1,
    computed: torch.dtype | None = None,
    numbers: Sequence[float] = (),
) -> None:
    """Compute a formula with a reduction; of nothing that is the kind's neutral element.

    Args:
        formula: The formula to compute.
        inputs: Tensors that broadcast to the shape.
        shape: Shape of the elements that are reduced.
        trailing: How many axes are reduced, the last ones.
        total: Contiguous memory for the result.
        count: What the result is divided by.
        computed: The dtype that is reduced in: float32, float64, int32 or int64; None: the least
            that suits the result.
        numbers: Numbers of the formula; exact where it is reduced in float64, else in float32.
    """
    compute_dtype = _reduced_in(total.dtype) if computed is None else computed
    plan = _reduction_plan(formula, tuple(shape), trailing, _views(inputs), compute_dtype)
    values, constants = _scalars(numbers, compute_dtype is torch.float64, total.device)
    parts = plan.grid[1]
    memory = total if parts == 1 else total.new_empty((plan.rows, parts), dtype=compute_dtype)
    counted = count if parts == 1 else 1
    operands = (*inputs, *values, memory, plan.tiles, counted, *plan.passed)
    launch(plan.kernel, plan.grid, *operands, warps=plan.warps, **plan.constants, **constants)
    if plan.again is not None:
        reduced(plan.again, [memory], (plan.rows, parts), 1, total, count, compute_dtype)


class _ReductionPlan(NamedTuple):
    """Likewise of a formula with a reduction."""

    kernel: Any
    grid: tuple[int, int]
    passed: tuple[int, ...]
    tiles: int
    warps: int
    rows: int
    constants: Mapping[str, Any]
    again: Formula | None
    """What joins parts, if there are several of each row."""


@lru_cache(maxsize=4096)
def _reduction_plan(
    formula: Formula,
    shape: tuple[int, ...],
    trailing: int,
    views: tuple[View, ...],
    compute_dtype: torch.dtype,
) -> _ReductionPlan:
    reduction = formula.reduction
    assert reduction is not None
    leading = len(shape) - trailing
    rows, columns = prod(shape[:leading]), prod(shape[leading:])
    layout = _Layout.of(views, shape, leading)
    side_by_side = bool(views) and layout.steps[-1][0] != 1 and rows > 1
    # Neighbours along rows: 32 columns of 64 rows, each thread a vector of rows. Along columns: all
    # of 2,048 in one row, which a warp reads as one stretch of memory.
    tile_columns = min(next_power(columns), 32 if side_by_side else 2048)
    tile_rows = min(next_power(rows), max((2048 if side_by_side else 1024) // tile_columns, 1))
    programs = -(-rows // tile_rows)
    # Few long rows are cut into parts, which a second launch joins in order: no atomic additions.
    parts = min(-(-columns // (4 * tile_columns)), max(_PROGRAMS // max(programs, 1), 1))
    tiles = -(-columns // (max(parts, 1) * tile_columns))  # of a part
    parts = max(-(-columns // max(tiles * tile_columns, 1)), 1)
    again = None
    if parts > 1:
        formula = replace(formula, reduction=reduction._replace(after=()))
        again = Formula(1, (), (), reduction._replace(value=0))
    passed, factors = _passed([rows, columns, *layout.numbers])
    visit = Visit(layout.axes, layout.leading, rows * columns >= _INT32_ELEMENTS, True, factors)
    constants = {
        "TYPE": getattr(tl, DTYPES[compute_dtype]),
        "EMPTY": _neutral(reduction.kind, compute_dtype),
        "ROWS": tile_rows,
        "COLUMNS": tile_columns,
    }
    kernel, warps = function(formula, visit), warps_for(tile_rows * tile_columns)
    return _ReductionPlan(
        kernel=kernel,
        grid=(programs, parts),
        passed=tuple(passed),
        tiles=tiles,
        warps=warps,
        rows=rows,
        constants=constants,
        again=again,
    )


def _reduced_in(dtype: torch.dtype) -> torch.dtype:
    """Return the dtype for a result of another; integers wrap around as their own do."""
    if dtype in (torch.float64, torch.int64):
        return dtype
    return torch.float32 if dtype.is_floating_point else torch.int32


def _neutral(kind: str, dtype: torch.dtype) -> float:
    """Return the step that changes nothing."""
    if kind in ("sum", "product"):
        return int(kind == "product") if not dtype.is_floating_point else float(kind == "product")
    if dtype.is_floating_point:
        return -inf if kind == "max" else inf
    limits = torch.iinfo(dtype)
    return int(limits.min if kind == "max" else limits.max)


def steps_of(steps: Sequence[PlainStep], dtype: torch.dtype) -> tuple[Step, ...] | None:
    """Steps whose operands and results are of one dtype; None if formulas lack one."""
    typed = []
    for each in steps:
        step = step_of(each.kernel, each.operands, each.params, [dtype] * len(each.operands))
        if step is None or step.dtype is not dtype:
            return None
        typed.append(step.step)
    return tuple(typed)


def unsupported(group: Group) -> str:
    """Return the first step of a group that formulas lack, in words, or an empty text."""
    dtype = group.type[1]
    for step in group.steps:
        if steps_of([step], getattr(torch, dtype)) is None:
            params = ", ".join(f"{name}={value!r}" for name, value in step.params.items())
            return f"{step.kernel}({params}) of {dtype}"
    return ""


def fused(group: Group) -> Kernel | None:
    """Return one kernel for a group; None if it has a step that formulas lack."""
    steps = steps_of(group.steps, getattr(torch, group.type[1]))
    if steps is None:
        return None
    formula = Formula(group.inputs, steps, tuple(group.results))
    name = "+".join(step.kernel for step in group.steps)

    def compute(*inputs: Tensor, out: OutBuffers = None) -> tuple[Tensor, ...]:
        shape, first = inputs[0].shape, inputs[0]
        results = [
            torch.empty(shape, dtype=first.dtype, device=first.device) if y is None else y
            for y in (out_buffer(out, k) for k in range(len(formula.results)))
        ]
        run(formula, inputs, shape, results)
        return tuple(results)

    return Kernel(name, compute, out="in place")


class _Single(NamedTuple):
    """An operator that is computed by itself."""

    formula: Formula
    dtype: torch.dtype
    """Of the result."""


_singles: dict[Hashable, _Single | None] = {}
_MAX_SINGLES = 4096  # formulas


def _alone(name: str, inputs: Sequence[Tensor], params: Mapping[str, Any]) -> _Single | None:
    """Return the formula of an operator that is computed by itself, kept for the next call."""
    dtypes = tuple([x.dtype for x in inputs])
    values = tuple([(k, v or repr(v)) for k, v in params.items() if isinstance(v, _PLAIN)])
    key = (name, dtypes, values)  # in which 0.0 is not -0.0
    try:
        return _singles[key]
    except KeyError:
        if len(_singles) >= _MAX_SINGLES:
            _singles.clear()
        typed, count = step_of(name, range(len(inputs)), params, dtypes), len(inputs)
        result = typed and _Single(Formula(count, (typed.step,), (count,)), typed.dtype)
        _singles[key] = result
        return result


_broadcast_shapes = lru_cache(maxsize=4096)(torch.broadcast_shapes)


def _present(operands: Sequence[Tensor | None]) -> list[Tensor]:
    return [x for x in operands if x is not None]


def _supports(name: str, *operands: Tensor | None, **params: Any) -> bool:
    if torch.is_tensor(params.get("scalar")):  # a number that is on the device
        return False
    inputs = _present(operands)
    is_standard = 0 < len(inputs) <= _MAX_INPUTS and runs_on(*inputs)
    return is_standard and _alone(name, inputs, params) is not None


def _compute(name: str, *operands: Tensor | None, out: OutBuffers = None, **params: Any) -> Tensor:
    """Compute one operator, as a formula of one step."""
    inputs = _present(operands)
    result = _alone(name, inputs, params)
    assert result is not None
    shape = _broadcast_shapes(*[x.shape for x in inputs])
    y = target(out, shape, result.dtype, inputs[0].device)
    run(result.formula, inputs, shape, [y])
    return y


def _supports_where(condition: Tensor, x: Tensor, y: Tensor, **_: Any) -> bool:
    fits = x.shape == y.shape and condition.shape in (x.shape, x.shape[:1])
    return fits and _supports("where", condition, x, y)


def _where(condition: Tensor, x: Tensor, y: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return where each element of a vector is the condition of a row."""
    holds = condition
    if condition.shape != x.shape:
        holds = condition.reshape(-1, *(1,) * (x.ndim - 1))
    return _compute("where", holds, x, y, out=out)


@overlay(supports=lambda data, like, **_: runs_on(data, like))
def cast_like(data: Tensor, like: Tensor, *, out: OutBuffers = None) -> Tensor:
    """``data`` in the dtype of ``like``, of whatever shape that is."""
    return _compute("cast", data, dtype=DTYPES[like.dtype], out=out)


for _name in NAMES:
    OVERLAYS[_name] = Overlay(_name, partial(_compute, _name), partial(_supports, _name))
OVERLAYS["where"] = Overlay("where", _where, _supports_where)
