"""Stages: an optimizer's rule as a sequence of launches, each with a pointwise formula.

A pointwise rule is one stage. A rule with means or sums along rows has a stage for each of these,
which computes the summed values as it reads; then one for results of the weight's shape, and one
for results with one number per row. Reshapes are free: an element keeps its position.
"""

from collections.abc import Collection, Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

from hy_kernels.pointwise import Step as PlainStep
from hy_kernels.steps import Formula as Plain, constant_of
from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import Tensor
from hy_kernels.triton._formula import NAMES, Formula, Reduction, Step, literal
from hy_kernels.triton.elementwise.pointwise import reduced, run

_WITH_NUMBERS = {
    "div_scalar": "broadcast_div",
    "minus_scalar": "broadcast_sub",
    "mul_scalar": "broadcast_mul",
    "plus_scalar": "broadcast_add",
}
_RESHAPES = frozenset({"flatten", "reshape_like"})
_REDUCTIONS = frozenset({"mean", "sum"})


class Stage(NamedTuple):
    """One launch of an optimizer step: a formula, its inputs and its results."""

    formula: Formula
    reads: tuple[int, ...]
    """Numbers of its inputs: arrays, then the sums of earlier stages."""
    results: tuple[int, ...]
    """Numbers of the rule's results that it writes; empty: it computes a sum along rows."""
    is_mean: bool = False
    by_row: bool = False
    """Whether the results have one number per row."""


class _Rule:
    """Formula of a rule, with what is known of each value: reshapes, and one number per row."""

    def __init__(self, formula: Plain, by_row: Collection[int]) -> None:
        self.formula, self.first = formula, formula.inputs
        self.same = {value: value for value in range(self.first)}
        """For each value the one that it is a reshape of, or itself."""
        self.by_row = {value: value in by_row for value in range(self.first)}
        self.sums: list[int] = []
        for k, step in enumerate(formula.steps):
            value, operands = self.first + k, [self.same[x] for x in step.operands]
            self.same[value] = operands[0] if step.kernel in _RESHAPES else value
            is_sum = step.kernel in _REDUCTIONS
            if is_sum:
                self.sums.append(value)
            self.by_row[value] = is_sum or all(self.by_row[x] for x in operands)

    def step(self, value: int) -> PlainStep:
        return self.formula.steps[value - self.first]

    def needed(self, results: Sequence[int]) -> tuple[list[int], list[int]]:
        """Return what results depend on: the arrays and sums, and the values between, in order."""
        seen, left = set[int](), [self.same[x] for x in results]
        while left:
            value = left.pop()
            if value not in seen:
                seen.add(value)
                if not self.is_read(value):
                    left += [self.same[x] for x in self.step(value).operands]
        reads = sorted(x for x in seen if self.is_read(x))
        return reads, sorted(x for x in seen if not self.is_read(x))

    def is_read(self, value: int) -> bool:
        """Return whether a value is in memory: an array, or a sum of an earlier stage."""
        return value < self.first or value in self.sums


def _is_known(step: PlainStep) -> bool:
    if step.kernel in _REDUCTIONS:
        params = step.params
        return params["axis"] == (1,) and params["keepdims"] and not params["exclude"]
    return step.kernel in _RESHAPES or step.kernel in NAMES


@lru_cache(maxsize=256)
def stages(
    formula: Plain, numbers: int, narrow: bool = False, by_row: frozenset[int] = frozenset()
) -> tuple[Stage, ...] | None:
    """Return the stages of a rule's formula; None if Triton does not support one of its steps.

    Args:
        formula: The formula to compute.
        numbers: Number of scalar arguments of a step.
        narrow: Whether the new weight is also written in 16 bits.
        by_row: Numbers of the arrays that have one number per row.
    """
    if not all(map(_is_known, formula.steps)):
        return None
    rule = _Rule(formula, by_row)
    staged = [_stage(rule, numbers, [rule.step(x).operands[0]], total=x) for x in rule.sums]
    results = [*formula.results, *(formula.results[:1] if narrow else ())]
    for rows in (False, True):  # results that read the old states come before those that write them
        own = [k for k, value in enumerate(results) if rule.by_row[rule.same[value]] == rows]
        if own:
            stage = _stage(rule, numbers, [results[k] for k in own])
            staged.append(stage._replace(results=tuple(own), by_row=rows))
    return tuple(staged)


def _stage(rule: _Rule, numbers: int, results: Sequence[int], total: int | None = None) -> Stage:
    """Return the stage that computes ``results``, or their sum along rows if ``total`` is given.

    Scalar parameters that are arguments of the step become operands: ``mul_scalar`` a product.
    """
    reads, between = rule.needed(results)
    first = len(reads) + numbers
    index = {value: k for k, value in enumerate(reads)}
    steps: list[Step] = []

    def add(name: str, operands: Sequence[int], params: tuple[tuple[str, str], ...] = ()) -> int:
        steps.append(Step(name, tuple(operands), params))
        return first + len(steps) - 1

    for value in between:
        step = rule.step(value)
        operands = [index[rule.same[x]] for x in step.operands]
        constants_of = [constant_of(x) for x in step.params.values()]
        constants = [len(reads) + x for x in constants_of if x is not None]
        params = {name: x for name, x in step.params.items() if name != "is_int"}
        # The bounds are arguments of the launch, but the device function's are constants.
        if step.kernel == "clip":
            upper = add("broadcast_maximum", [*operands, constants[0]])
            index[value] = add("broadcast_minimum", [upper, constants[1]])
        elif params and not constants:
            texts = tuple([(name, literal(x)) for name, x in params.items()])
            index[value] = add(step.kernel, operands, texts)
        else:
            name = _WITH_NUMBERS.get(step.kernel, step.kernel)
            index[value] = add(name, [*operands, *constants])
    written = [index[rule.same[x]] for x in results]
    sums = {value: rule.first + k for k, value in enumerate(rule.sums)}
    sources = tuple([sums.get(x, x) for x in reads])
    if total is None:
        result = Formula(len(reads), tuple(steps), tuple(written), numbers=numbers)
        return Stage(formula=result, reads=sources, results=())
    reduction = Reduction("sum", written[0])
    result = Formula(len(reads), tuple(steps), (), reduction, numbers)
    return Stage(
        formula=result, reads=sources, results=(), is_mean=rule.step(total).kernel == "mean"
    )


def run_stages(
    staged: Sequence[Stage], arrays: Sequence[Tensor], results: Sequence[Tensor], constants: Any
) -> None:
    """Launch the stages of a step.

    Args:
        staged: The stages.
        arrays: Weight, gradient and states, contiguous.
        results: Memory for the new weight and states, of the weight's shape or one number per row.
        constants: Scalar arguments of the step.
    """
    shape = tuple(arrays[0].shape)
    if 0 in shape:
        return
    if len(staged) == 1:
        run(staged[0].formula, [arrays[k] for k in staged[0].reads], shape, results, constants)
        return
    rows, columns = shape[0], prod(shape[1:])
    values = [x.view(rows, -1) for x in arrays]
    written = [x.view(rows, -1) for x in results]
    for stage in staged:
        inputs = [values[k] for k in stage.reads]
        if stage.results:
            size = (rows, 1 if stage.by_row else columns)
            run(stage.formula, inputs, size, [written[k] for k in stage.results], constants)
            continue
        kind = accumulator(arrays[0].dtype)
        total = arrays[0].new_empty((rows, 1), dtype=kind)
        count = columns if stage.is_mean else 1
        reduced(stage.formula, inputs, (rows, columns), 1, total, count, kind, constants)
        values.append(total)
