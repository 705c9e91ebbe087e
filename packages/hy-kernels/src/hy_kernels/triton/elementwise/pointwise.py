"""Generated kernels of pointwise operators, of groups of them, and of reductions after them.

A kernel reads each input once, with any strides, and writes each result once. Bytes moved: the
inputs, before broadcasting, and the results. Intermediate values stay in registers, where float16
and bfloat16 are float32: only the results of a group are rounded, each once.
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
from hy_kernels.triton._tiles import Rows, next_power, warps_for
from hy_kernels.triton._weights import numbers_on
from hy_kernels.triton.runtime._launch import launch, runs_on

_BLOCK = 1024  # elements of a program
_EVEN = 16  # elements, of which a multiple is read in vectors
_INT32_ELEMENTS = 1 << 31  # elements that 32-bit offsets reach
_MAX_INPUTS = 64
"""Inputs of a launch; sums of more arrays fall back to torch."""
_PLAIN = (float, int, str)
_VECTOR = 8  # elements of 16 bits that are read at once
_PROGRAMS = 512  # that keep a GPU busy; fewer rows are cut into parts


View: TypeAlias = tuple[Sequence[int], Sequence[int]]
"""Shape and strides of a tensor."""


def _views(inputs: Sequence[Tensor]) -> tuple[View, ...]:
    return tuple([(x.shape, x.stride()) for x in inputs])


class _Layout(NamedTuple):
    """Iteration space of a launch, with contiguous axes merged, and the strides of the inputs."""

    sizes: tuple[int, ...]
    steps: tuple[tuple[int, ...], ...]
    """Stride of each input, for each axis."""
    leading: int
    """Number of axes that are not reduced."""

    @classmethod
    def of(cls, views: Sequence[View], shape: Sequence[int], leading: int = 0) -> "_Layout":
        """Return the layout of views broadcast to ``shape``; ``leading`` first axes are kept."""
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
        """The part of the layout that the code is specialised for: strides 0 and 1."""
        return tuple([Axis(tuple([n if n in (0, 1) else None for n in x])) for x in self.steps])

    @property
    def numbers(self) -> list[int]:
        """The sizes and strides that are arguments of a launch."""
        inputs = range(len(self.steps[0]))
        sizes = [n for k, n in enumerate(self.sizes) if k not in (0, self.leading)]
        return sizes + [each[j] for j in inputs for each in self.steps if each[j] not in (0, 1)]


def _strides(view: View, shape: Sequence[int]) -> list[int]:
    """Return the strides of a tensor broadcast to a shape: 0 along axes that are repeated."""
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
    """Compute a formula without a reduction, and write its results.

    Args:
        formula: The formula to compute.
        inputs: Tensors that broadcast to the shape.
        shape: Shape of the results.
        results: Contiguous memory for the results; may be that of an input of the same shape.
        numbers: Scalar arguments of the formula: exact if a result is float64, else float32. They
            may be 0-d tensors on the device, which are not copied to the host.
    """
    plan = _plan(formula, tuple(shape), _views(inputs))
    if plan is None:
        return
    exact = any(y.dtype is torch.float64 for y in results) or any(map(torch.is_tensor, numbers))
    values, constants = _scalars(numbers, exact, results[0].device)
    operands = (*inputs, *results, *values, *plan.passed)
    launch(plan.kernel, plan.grid, *operands, BLOCK=plan.block, **constants)


class _Plan(NamedTuple):
    """Launch configuration of a formula: everything but the tensors and scalar arguments."""

    kernel: Any
    grid: tuple[int, ...]
    passed: tuple[int, ...]
    block: int


# Plans depend on shapes and strides alone, and making one takes some twenty times as long as a
# look-up: for small arrays Python's work before the launch takes as long as the launch.
@lru_cache(maxsize=4096)
def _plan(formula: Formula, shape: tuple[int, ...], views: tuple[View, ...]) -> _Plan | None:
    """Return the cached plan of a formula without a reduction; None if the result is empty."""
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
    """Return sizes and strides divided by a common factor with 8, and these factors.

    The generated code multiplies by the factors, so that the compiler knows the alignment.
    """
    # Up to 8 where Triton sees no multiple of 16.
    factors = tuple([gcd(n, 8) if n % 16 else 1 for n in numbers])
    return [n // factor for n, factor in zip(numbers, factors, strict=True)], factors


def _scalars(
    numbers: Sequence[float], exact: bool, where: torch.device
) -> tuple[Sequence[Any], Mapping[str, bool]]:
    """Return the scalar arguments of a launch, and a constant that says if they are in memory.

    Arguments have 32 bits; if ``exact`` they are float64 tensors instead.
    """
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
    """Compute a formula with a reduction; an empty one gives the neutral element of its kind.

    Args:
        formula: The formula to compute.
        inputs: Tensors that broadcast to the shape.
        shape: Shape of the elements before the reduction.
        trailing: Number of reduced axes, which are the last ones.
        total: Contiguous memory for the result.
        count: Divisor of the result, as for a mean.
        computed: The dtype to reduce in: float32, float64, int32 or int64; None: the smallest for
            the dtype of ``total``.
        numbers: Scalar arguments of the formula: exact if reduced in float64, else float32.
    """
    compute_dtype = _reduced_in(total.dtype) if computed is None else computed
    vector = _vector(formula, inputs, shape, trailing)
    plan = _reduction_plan(formula, tuple(shape), trailing, _views(inputs), compute_dtype, vector)
    values, constants = _scalars(numbers, compute_dtype is torch.float64, total.device)
    parts = plan.grid[1]
    memory = total if parts == 1 else total.new_empty((plan.rows, parts), dtype=compute_dtype)
    counted = count if parts == 1 else 1
    operands = (*inputs, *values, memory, plan.tiles, counted, *plan.passed)
    launch(plan.kernel, plan.grid, *operands, warps=plan.warps, **plan.constants, **constants)
    if plan.again is not None:
        reduced(plan.again, [memory], (plan.rows, parts), 1, total, count, compute_dtype)


def _vector(formula: Formula, inputs: Sequence[Tensor], shape: Sequence[int], trailing: int) -> int:
    """Return the elements at whose multiples tiles begin: 1 where rows do, see :class:`Rows`."""
    # One contiguous input; of several, or of other strides, rows begin at different places.
    if not trailing or shape[-1] % _VECTOR == 0 or len(inputs) > 1 or formula.results:
        return 1
    x, columns = inputs[0], prod(shape[len(shape) - trailing :])
    if not columns or not x.is_floating_point() or x.shape != tuple(shape) or not x.is_contiguous():
        return 1
    return Rows(x.numel() // columns, columns, 1).vector(x)


class _ReductionPlan(NamedTuple):
    """Launch configuration of a formula with a reduction."""

    kernel: Any
    grid: tuple[int, int]
    passed: tuple[int, ...]
    tiles: int
    warps: int
    rows: int
    constants: Mapping[str, Any]
    again: Formula | None
    """Formula of a second launch that reduces the parts of each row; None for one part."""


@lru_cache(maxsize=4096)
def _reduction_plan(
    formula: Formula,
    shape: tuple[int, ...],
    trailing: int,
    views: tuple[View, ...],
    compute_dtype: torch.dtype,
    vector: int,
) -> _ReductionPlan:
    reduction = formula.reduction
    assert reduction is not None
    leading = len(shape) - trailing
    rows, columns = prod(shape[:leading]), prod(shape[leading:])
    layout = _Layout.of(views, shape, leading)
    side_by_side = bool(views) and layout.steps[-1][0] != 1 and rows > 1
    # Neighbours along rows: 32 columns of 64 rows, each thread a vector of rows. Along columns: all
    # of 2,048 in one row, which a warp reads as one stretch of memory.
    reach = columns + vector - 1
    tile_columns = min(next_power(reach), 32 if side_by_side else 2048)
    tile_rows = min(next_power(rows), max((2048 if side_by_side else 1024) // tile_columns, 1))
    programs = -(-rows // tile_rows)
    # Few long rows are cut into parts, which a second launch joins in order: no atomic additions.
    parts = min(-(-reach // (4 * tile_columns)), max(_PROGRAMS // max(programs, 1), 1))
    tiles = -(-reach // (max(parts, 1) * tile_columns))  # of a part
    parts = max(-(-reach // max(tiles * tile_columns, 1)), 1)
    again = None
    if parts > 1:
        formula = replace(formula, reduction=reduction._replace(after=()))
        again = Formula(1, (), (), reduction._replace(value=0))
    passed, factors = _passed([rows, columns, *layout.numbers])
    is_far = rows * columns >= _INT32_ELEMENTS
    visit = Visit(layout.axes, layout.leading, is_far, True, factors, vector)
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
    """Return the dtype to reduce in for results of ``dtype``.

    Float32 for 16-bit floats, int32 for smaller integers, which wrap around when cast back.
    """
    if dtype in (torch.float64, torch.int64):
        return dtype
    return torch.float32 if dtype.is_floating_point else torch.int32


def _neutral(kind: str, dtype: torch.dtype) -> float:
    """Return the neutral element of a reduction: 0, 1, or the lowest or highest number."""
    if kind in ("sum", "product"):
        return int(kind == "product") if not dtype.is_floating_point else float(kind == "product")
    if dtype.is_floating_point:
        return -inf if kind == "max" else inf
    limits = torch.iinfo(dtype)
    return int(limits.min if kind == "max" else limits.max)


def steps_of(steps: Sequence[PlainStep], dtype: torch.dtype) -> tuple[Step, ...] | None:
    """Return the formula steps of operators on one dtype; None if one is not supported."""
    typed = []
    for each in steps:
        step = step_of(each.kernel, each.operands, each.params, [dtype] * len(each.operands))
        if step is None or step.dtype is not dtype:
            return None
        typed.append(step.step)
    return tuple(typed)


def unsupported(group: Group) -> str:
    """Return a description of the first step that formulas do not support; "" if all are."""
    dtype = group.type[1]
    for step in group.steps:
        if steps_of([step], getattr(torch, dtype)) is None:
            params = ", ".join(f"{name}={value!r}" for name, value in step.params.items())
            return f"{step.kernel}({params}) of {dtype}"
    return ""


def fused(group: Group) -> Kernel | None:
    """Return one kernel for a group of pointwise steps; None if one is not supported."""
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
    """Formula of one operator, and the dtype of its result."""

    formula: Formula
    dtype: torch.dtype
    """Dtype of the result."""


_singles: dict[Hashable, _Single | None] = {}
_MAX_SINGLES = 4096  # formulas


def _alone(name: str, inputs: Sequence[Tensor], params: Mapping[str, Any]) -> _Single | None:
    """Return the cached formula of one operator; None if Triton does not support the dtypes."""
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
    """Return the result of one operator on operands that broadcast."""
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
    """Return ``x`` where the condition is not 0, else ``y``; a vector is a condition per row."""
    holds = condition
    if condition.shape != x.shape:
        holds = condition.reshape(-1, *(1,) * (x.ndim - 1))
    return _compute("where", holds, x, y, out=out)


@overlay(supports=lambda data, like, **_: runs_on(data, like))
def cast_like(data: Tensor, like: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` in the dtype of ``like``, whose shape may differ."""
    return _compute("cast", data, dtype=DTYPES[like.dtype], out=out)


for _name in NAMES:
    OVERLAYS[_name] = Overlay(_name, partial(_compute, _name), partial(_supports, _name))
OVERLAYS["where"] = Overlay("where", _where, _supports_where)
