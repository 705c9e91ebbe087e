"""Optimizer steps: the interface of rules, and the assignment of their values to memory slots."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

from hy_kernels import pointwise

__all__ = ["Call", "Formula", "Numbers", "Rule", "Slots", "Step", "calls_of", "constant_of"]

Numbers: TypeAlias = tuple[Any, ...]


class Formula(Protocol):
    """The computation of a rule as steps; values are indexed: inputs, then each step's result."""

    def __hash__(self) -> int:
        """Return a hash by identity, with which compiled functions are cached."""

    @property
    def inputs(self) -> int:
        """Return the number of inputs: weight, gradient and states."""

    @property
    def steps(self) -> Sequence[pointwise.Step]:
        """Return the steps; a parameter is a number or refers to one, see :func:`constant_of`."""

    @property
    def results(self) -> Sequence[int]:
        """Return the indices of the values that are the new weight and the new states."""

    @property
    def constants(self) -> Callable[..., tuple[Any, ...]]:
        """Return the function that computes the formula's constants from the rule's numbers."""

    @property
    def is_pointwise(self) -> bool:
        """Return whether all kernels of the steps are pointwise."""


class Rule(Protocol):
    """A rule by which an optimizer updates a weight and its states."""

    @property
    def name(self) -> str:
        """Return the name of the operator that updates one weight."""

    @property
    def arrays(self) -> Sequence[str]:
        """Return the names of the weight, gradient and states."""

    @property
    def numbers(self) -> Sequence[str]:
        """Return the names of the rule's numbers, such as the learning rate."""

    @property
    def guard(self) -> str:
        """Return the name of the number that disables a step if 0 or not finite; "" for none."""

    @property
    def phases(self) -> Sequence["Rule"]:
        """Return the rules that a composed rule applies in turn; empty for other rules."""

    def formula(self, numbers: Sequence[Any], *, narrow: bool = False) -> Formula:
        """Return the formula for ``numbers``, without terms that they disable (a clip bound of -1).

        Args:
            numbers: The values of :attr:`numbers`, in that order.
            narrow: Whether a 16-bit copy of the weight is one more input.
        """


class Step(Protocol):
    """An optimizer step that a table has compiled from a rule."""

    @property
    def loads(self) -> bool:
        """Return whether the numbers may be 0-d buffers."""

    def __call__(self, rows: Sequence[Any], numbers: Sequence[Numbers]) -> None:
        """Update the weights and states of ``rows`` in place; all arrays are contiguous.

        A row holds a weight, its gradient and its states, all of one shape, and optionally a 16-bit
        copy of the weight, which is updated, too.
        """


def constant_of(value: Any) -> int | None:
    """Return the index of the constant that a parameter refers to; None if it is a number."""
    return getattr(value, "constant", None)


class Call(NamedTuple):
    """A kernel call on numbered slots: those of the inputs, then scratch memory."""

    kernel: str
    operands: tuple[int, ...]
    params: Mapping[str, Any]
    target: int


class Slots(NamedTuple):
    """A formula as in-place kernel calls, see :func:`calls_of`."""

    calls: tuple[Call, ...]
    moves: tuple[tuple[int, int], ...]
    """Final copies ``(source, target)``, from a slot to that of the weight or of a state."""
    scratch: int
    """Number of scratch slots."""


_GRADIENT = 1  # its position among a row's arrays


def calls_of(formula: Formula) -> Slots:
    """Assign slots to a formula's values; new weight and states end in the slots of the old ones.

    A value overwrites one that no later step reads, but never the gradient.
    """
    count, end = formula.inputs, len(formula.steps)
    last = {value: k for k, step in enumerate(formula.steps) for value in step.operands}
    # A value may be overwritten after the last step that reads it; results live to the end.
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
