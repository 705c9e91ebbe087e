"""Steps of optimizers: a rule as a table sees it, and the memory slots of its values."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from hy_kernels import pointwise

__all__ = ["Call", "Formula", "Numbers", "Rule", "Slots", "Step", "calls_of", "constant_of"]

Numbers: TypeAlias = tuple[Any, ...]


class Formula(Protocol):
    """Computation of a rule; values are numbered: inputs, then each step's result."""

    def __hash__(self) -> int:
        """Return the hash of this very formula, by which functions of it are cached."""

    @property
    def inputs(self) -> int:
        """Return the weight, gradient and states."""

    @property
    def steps(self) -> Sequence[pointwise.Step]:
        """Return the steps; a parameter is a number, or has the index ``constant`` of one."""

    @property
    def results(self) -> Sequence[int]:
        """Return the numbers of the new weight and the new states."""

    @property
    def constants(self) -> Callable[..., tuple[Any, ...]]:
        """Return the function that computes the constants from the numbers of the rule."""

    @property
    def is_pointwise(self) -> bool:
        """Return whether all steps are of pointwise kernels."""


class Rule(Protocol):
    """A rule by which an optimizer changes a weight and its states."""

    @property
    def name(self) -> str:
        """Return the name of the operator on one weight."""

    @property
    def arrays(self) -> Sequence[str]:
        """Return the weight, gradient and states."""

    @property
    def numbers(self) -> Sequence[str]:
        """Return the names of its numbers."""

    @property
    def guard(self) -> str:
        """Return the number that disables a step where it is 0 or not finite; "" for none."""

    @property
    def phases(self) -> Sequence["Rule"]:
        """Return the rules that a composed rule applies in turn, none of others."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> Formula:
        """Return the formula for ``numbers``, without the terms of absent ones."""


class Step(Protocol):
    """Step that a table makes of a rule."""

    @property
    def loads(self) -> bool:
        """Return whether numbers may be buffers without axes."""

    def __call__(self, rows: Sequence[Any], numbers: Sequence[Numbers]) -> None:
        """Overwrite the weights and states of rows, all of them without gaps.

        A row is a weight, its gradient and its states, all of one shape; behind them, if there is
        one, the weight of 16 bits that gets the new weight, too.
        """


def constant_of(value: Any) -> int | None:
    """Return the index of the constant that a parameter refers to; None: it is a number."""
    return getattr(value, "constant", None)


class Call(NamedTuple):
    """A step on slots: the inputs', then scratch."""

    kernel: str
    operands: tuple[int, ...]
    params: Mapping[str, Any]
    target: int


class Slots(NamedTuple):
    """A formula in place."""

    calls: tuple[Call, ...]
    moves: tuple[tuple[int, int], ...]
    """Copies at the end: from a slot to that of a weight or state."""
    scratch: int
    """Number of slots besides those of the inputs."""


_GRADIENT = 1  # its position among a row's arrays


def calls_of(formula: Formula) -> Slots:
    """Assign slots to a formula's values; new weights and states are in the slots of the old ones.

    A value overwrites one that no later step reads, but never the gradient.
    """
    count, end = formula.inputs, len(formula.steps)
    last = {value: k for k, step in enumerate(formula.steps) for value in step.operands}
    last |= dict.fromkeys(formula.results, end)
    result_slots = (0, *range(_GRADIENT + 1, count))
    slot_of_result = dict(zip(formula.results, result_slots, strict=False))
    slot_of = {value: value for value in range(count)}
    holds: dict[int, int] = {slot: slot for slot in range(count)}
    free: list[int] = []
    scratch, calls = 0, []

    def is_over(slot: int, k: int) -> bool:
        return slot != _GRADIENT and last.get(holds.get(slot, -1), -1) <= k

    for k, step in enumerate(formula.steps):
        value = count + k
        operands = tuple(slot_of[x] for x in step.operands)
        target = slot_of_result.get(value)
        if target is None or not is_over(target, k):
            # In place of an operand if one is dead: it is in the cache, and no scratch is needed.
            dead = [slot for slot in operands if is_over(slot, k)]
            target = dead[0] if dead else free.pop() if free else None
        if target is None:
            target, scratch = count + scratch, scratch + 1
        calls.append(Call(step.kernel, operands, step.params, target))
        free = [slot for slot in free if slot != target]
        free += {s for s in operands if s >= count and s != target and is_over(s, k)} - {*free}
        slot_of[value], holds[target] = target, value
    ends = zip(formula.results, result_slots, strict=False)
    moves = tuple((slot_of[x], slot) for x, slot in ends if slot_of[x] != slot)
    return Slots(tuple(calls), moves, scratch)
