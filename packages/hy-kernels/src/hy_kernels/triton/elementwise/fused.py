"""Pointwise operators with operands that are broadcast, and a reduction behind them, as one kernel.

Rules put :func:`fused_pointwise` in the place of such operators. It is generated
(:mod:`hy_kernels.triton.elementwise.pointwise`): bytes moved are those of the inputs, before
broadcasting, and of the result; what is between exists in registers, in float32. Where there are
casts, as mixed precision puts them in, each value is rounded to its dtype all the same.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple, TypeAlias

import torch

from hy_kernels.record import Kernel
from hy_kernels.torch import table as torch_table
from hy_kernels.torch._dtypes import NAMES as DTYPES, torch_type
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target
from hy_kernels.triton._formula import Formula, Step, step_of
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.elementwise.pointwise import run, steps_of
from hy_kernels.triton.reduce.reductions import axes_of, reduction_of, shape_of, total_of
from hy_kernels.triton.runtime._launch import runs_on

__all__ = ["CASTS", "REDUCTIONS", "Call", "FusedCalls", "fused_pointwise", "present_inputs"]

REDUCTIONS = frozenset({"max", "mean", "min", "nanprod", "nansum", "prod", "square_sum", "sum"})
"""The kernels that can be behind others."""
CASTS = frozenset({"amp_cast", "cast"})
"""Those whose result is of another dtype than their operand."""

_HALF = 2
"""Bytes of what is computed in float32."""

Params: TypeAlias = tuple[tuple[str, Any], ...]


class Call(NamedTuple):
    """One operator."""

    kernel: str
    operands: tuple[int, ...]
    """Numbers of the values it takes: inputs first, then the result of each call."""
    fixed: Params

    @property
    def params(self) -> dict[str, Any]:
        """Return the operator's parameters."""
        return dict(self.fixed)

    def by_torch(self, values: list[Tensor]) -> Tensor:
        """Return the operator's result."""
        record = torch_table().find(self.kernel)
        assert record is not None, self.kernel
        params = self.params
        if self.kernel == "leaky_relu":  # which draws for functions alone that are no steps
            params |= {"is_train": False, "rng": None}
        result: Tensor = record.function(*[values[i] for i in self.operands], **params)
        return result


class FusedCalls(NamedTuple):
    """Operators that are computed together; the last gives the result."""

    steps: tuple[Call, ...]
    reduction: Call | None
    inputs: int
    """How many there are."""

    def shape(self, full: tuple[int, ...]) -> tuple[int, ...]:
        """Return the shape of the result, if the inputs broadcast to ``full``."""
        if self.reduction is None:
            return full
        return tuple(shape_of(full, self.axes(len(full)), self.reduction.params["keepdims"]))

    def dtype(self, inputs: Sequence[str]) -> str:
        """Return the dtype of the result, by the dtypes of the inputs."""
        dtypes = [*inputs]
        for step in self.steps:
            first = dtypes[step.operands[0]]
            dtypes.append(step.params["dtype"] if step.kernel in CASTS else first)
        return dtypes[-1]

    def by_torch(self, *inputs: Tensor) -> Tensor:
        """Return the result of the operators in turn."""
        values = [*inputs]
        for step in self.steps:
            values.append(step.by_torch(values))
        return values[-1] if self.reduction is None else self.reduction.by_torch(values)

    def axes(self, rank: int) -> list[int]:
        """Return the axes that are reduced."""
        assert self.reduction is not None
        params = self.reduction.params
        return axes_of(params["axis"], rank, params["exclude"])


@lru_cache(maxsize=1024)
def _formula(calls: FusedCalls, operands: tuple[torch.dtype, ...]) -> Formula | None:
    """Return the fused step, or None if there is none for such numbers."""
    steps, inputs = _formula_steps(calls, operands), calls.inputs
    if steps is None:
        return None
    last = inputs + len(steps) - 1
    if calls.reduction is None:
        return Formula(inputs, steps, (last,))
    after = reduction_of(calls.reduction.kernel, _dtype(calls, operands))
    assert after is not None
    assert after.reduction is not None
    more = [step._replace(operands=tuple(last + i for i in step.operands)) for step in after.steps]
    reduction = after.reduction._replace(value=last + after.reduction.value)
    return Formula(inputs, (*steps, *more), (), reduction)


def _formula_steps(
    calls: FusedCalls, operand_dtypes: Sequence[torch.dtype]
) -> tuple[Step, ...] | None:
    """Return the operators as steps; with casts among them, each result is rounded to its dtype."""
    if not any(step.kernel in CASTS for step in calls.steps):
        return steps_of(calls.steps, operand_dtypes[0])
    dtypes, steps = [*operand_dtypes], list[Step]()
    for each in calls.steps:
        operands = [dtypes[i] for i in each.operands]
        result = step_of(each.kernel, each.operands, each.params, operands)
        if result is None:
            return None
        rounded = DTYPES[result.dtype] if result.dtype.itemsize == _HALF else ""
        steps.append(result.step._replace(rounded=rounded))
        dtypes.append(result.dtype)
    return tuple(steps)


def _dtype(calls: FusedCalls, operands: Sequence[torch.dtype]) -> torch.dtype:
    """Return the dtype of the result."""
    return torch_type(calls.dtype([DTYPES[each] for each in operands]))


def present_inputs(inputs: tuple[Tensor | None, ...]) -> list[Tensor]:
    """Operands without the places of those that there are not."""
    return [x for x in inputs if x is not None]


def _by_torch(*inputs: Tensor | None, calls: FusedCalls, out: OutBuffers = None) -> Tensor:
    """Return the operators in turn."""
    return stored(calls.by_torch(*present_inputs(inputs)), out)


def _supports(*inputs: Tensor | None, calls: FusedCalls, **_: Any) -> bool:
    operands = present_inputs(inputs)
    is_standard = all(x.numel() for x in operands) and runs_on(*operands)
    return is_standard and _formula(calls, tuple([x.dtype for x in operands])) is not None


@overlay(supports=_supports, below=Kernel("fused_pointwise", _by_torch, out="apart"))
def fused_pointwise(*inputs: Tensor | None, calls: FusedCalls, out: OutBuffers = None) -> Tensor:
    """Compute the operators, the last one's result.

    Args:
        inputs: Floating tensors that broadcast to one shape; of one dtype, but for casts.
        calls: The operators.
        out: Memory for the result.
    """
    operands = present_inputs(inputs)
    full, dtypes = torch.broadcast_shapes(*(x.shape for x in operands)), [x.dtype for x in operands]
    formula = _formula(calls, tuple(dtypes))
    assert formula is not None
    y = target(out, calls.shape(tuple(full)), _dtype(calls, dtypes), operands[0].device)
    if calls.reduction is None:
        run(formula, operands, full, [y])
    else:
        axes, spread = calls.axes(len(full)), [x.expand(full) for x in operands]
        count = prod(full[i] for i in axes) if calls.reduction.kernel == "mean" else 1
        total_of(formula, spread, axes, y, count)
    return y
