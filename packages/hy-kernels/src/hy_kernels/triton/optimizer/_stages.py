"""Stages: what a rule of an optimizer computes, as one launch for each array of numbers it needs.

A pointwise rule is one stage. One that has means or sums along rows has a stage for each of these,
which computes what is summed as it reads; then one for results of the weight's shape, and one for
those that have a number for each row. What is reshaped on the way is the same element all the same.
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

__all__ = ["run_stages", "stages"]

_WITH_NUMBERS = {
    "div_scalar": "broadcast_div",
    "minus_scalar": "broadcast_sub",
    "mul_scalar": "broadcast_mul",
    "plus_scalar": "broadcast_add",
}
_RESHAPES = frozenset({"flatten", "reshape_like"})
_REDUCTIONS = frozenset({"mean", "sum"})


class Stage(NamedTuple):
    """One launch."""

    formula: Formula
    reads: tuple[int, ...]
    """Arrays by number, then, from their count on, sums of former stages."""
    results: tuple[int, ...]
    """Which of the rule's results it writes, by number; none: it is a sum along rows."""
    is_mean: bool = False
    by_row: bool = False
    """Whether the results have a number for each row."""


class _Rule:
    """Steps of a rule: where each value comes from, and whether it is one number a row."""

    def __init__(self, formula: Plain, by_row: Collection[int]) -> None:
        self.formula, self.first = formula, formula.inputs
        self.same = {value: value for value in range(self.first)}
        """Each value, or what it is a reshaped form of."""
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
        """Return arrays and sums that values follow from, and the values between, in order."""
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
        """Return whether it is in memory: an array, or a sum."""
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
    """Return the stages of a rule's formula; None if it has a step that no kernel here has.

    Args:
        formula: The formula to compute.
        numbers: How many numbers a step takes.
        narrow: Whether the new weight is written in 16 bits, too.
        by_row: The arrays that have one number a row, by number.
    """
    if not all(map(_is_known, formula.steps)):
        return None
    rule = _Rule(formula, by_row)
    staged = [_stage(rule, numbers, [rule.step(x).operands[0]], total=x) for x in rule.sums]
    results = [*formula.results, *(formula.results[:1] if narrow else ())]
    for rows in (False, True):  # what old states are read for comes before new ones are written
        own = [k for k, value in enumerate(results) if rule.by_row[rule.same[value]] == rows]
        if own:
            stage = _stage(rule, numbers, [results[k] for k in own])
            staged.append(stage._replace(results=tuple(own), by_row=rows))
    return tuple(staged)


def _stage(rule: _Rule, numbers: int, results: Sequence[int], total: int | None = None) -> Stage:
    """Translate the steps that values follow from: what is scaled by a number is multiplied."""
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
    """Launch stages.

    Args:
        staged: They.
        arrays: Weight, gradient and states, without gaps.
        results: Where new ones are written; those of the weight's shape, or one number a row.
        constants: Numbers of the step.
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
