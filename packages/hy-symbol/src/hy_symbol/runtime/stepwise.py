"""Stepwise: a routine run instruction by instruction, without code of its own.

The first run of a program is made so: many programs run once, and to compile one costs more than
that run.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray import Buffer
from hy_symbol.compile.linking import Linked
from hy_symbol.compile.routine import Instruction, Routine

__all__ = ["carry_out", "run_stepwise"]


def run_stepwise(
    routine: Routine,
    given: list[Buffer],
    places: Sequence[Buffer] = (),
    tick: Callable[[int], None] | None = None,
) -> tuple[Buffer, ...]:
    """Carry out a routine.

    Args:
        routine: What to do.
        given: Its inputs; the list is emptied.
        places: Memory for what has a place.
        tick: Called behind each unit with its number.
    """
    values = dict(routine.constants)
    values.update(zip(routine.arguments, given, strict=True))
    values.update(zip(routine.memory, places, strict=True))
    given.clear()
    for unit, instruction in enumerate(routine.instructions):
        if instruction.targets:
            carry_out(instruction, values, routine)
        for name in instruction.frees:
            del values[name]
        if tick is not None:
            tick(unit)
    return tuple([values[name] for name in routine.results])


def carry_out(instruction: Instruction, values: dict[str, Buffer], routine: Routine) -> None:
    """Carry out one instruction, which adds its results to the values."""
    targets, linked = instruction.targets, routine.linked
    if not instruction.kernel:
        (source,) = instruction.operands
        assert source is not None
        values[targets[0]] = values[source].reshape(linked.scope[f"s{instruction.number}"])
        return
    operands = [None if name is None else values[name] for name in instruction.operands]
    found = linked.scope[instruction.kernel](*operands, **_keywords(instruction, values, linked))
    if not instruction.returns_tuple:
        values[targets[0]] = found
        return
    values.update(zip(targets, found[: len(targets)], strict=True))
    for name, value in zip(instruction.updated, found[len(targets) :], strict=True):
        linked.scope["write"](values[name], value)


def _keywords(
    instruction: Instruction, values: Mapping[str, Buffer], linked: Linked
) -> Mapping[str, Any]:
    """Parameters, and what else the kernel is given by name."""
    params = instruction.params or {}
    if not instruction.needs and not instruction.out:
        return params
    keywords = dict(params)
    for need in instruction.needs:
        keywords[need] = _needed(need, linked)
    if instruction.out:
        keywords["out"] = tuple([None if x is None else values[x] for x in instruction.out])
    return keywords


def _needed(need: str, linked: Linked) -> Any:
    if need == "is_train":
        return linked.plan.is_train
    return linked.scope["rng"]() if need == "rng" else linked.scope[need]
