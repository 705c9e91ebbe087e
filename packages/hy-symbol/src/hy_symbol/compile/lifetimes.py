"""Lifetimes: the first and the last unit in which each intermediate buffer is in use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf, isinf

from hy_symbol.compile.plan import Plan, Storage
from hy_symbol.graph.node import Entry

__all__ = ["Lifetime", "joint_lifetimes", "lifetimes_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Lifetime:
    """Lifetime of a buffer that a program creates and does not return."""

    storage: Storage
    size: int
    """Bytes."""
    first: int
    last: float
    """Unit numbers; those of a backward program continue the forward program's."""
    private: bool = True
    """Whether only the programs' own steps ever hold a reference to the buffer."""


def lifetimes_of(plan: Plan) -> list[Lifetime]:
    """Return the lifetimes of a program's intermediate buffers."""
    return [
        Lifetime(
            storage,
            size=plan.nbytes(storage),
            first=storage.first,
            last=storage.last,
            private=not storage.protected,
        )
        for storage in plan.storages
        if storage.owned and storage.last < inf
    ]


def joint_lifetimes(
    forward: Plan,
    backward: Plan,
    outputs: Sequence[Entry],
    taken: Sequence[Entry],
    *,
    retained: bool = False,
) -> tuple[list[Lifetime], list[Lifetime]]:
    """Return the lifetimes of the intermediate buffers of a forward and of a backward program.

    Args:
        forward: The plan of the forward program.
        backward: The plan of the backward program.
        outputs: The entries that the forward program returns to users.
        taken: The inputs of the backward program.
        retained: Whether the backward program may run more than once per forward run; saved values
            then live on.
    """
    offset = len(forward.units)
    uses = {key: backward.storage_of[key] for key in taken if key in forward.storage_of}
    returned = set(outputs)
    first = [
        _extended(storage, forward.nbytes(storage), uses, offset, retained)
        for storage in forward.storages
        if storage.owned and returned.isdisjoint(storage.entries)
    ]
    second = [
        replace(life, first=offset + life.first, last=offset + life.last)
        for life in lifetimes_of(backward)
    ]
    return first, second


def _extended(
    storage: Storage, size: int, uses: Mapping[Entry, Storage], offset: int, retained: bool
) -> Lifetime:
    """Return the lifetime of a forward buffer, extended to its last use in the backward program."""
    later = [uses[key] for key in storage.entries if key in uses]
    # A backward input that no step reads has no last unit.
    ends = [inf if retained else offset + use.last for use in later if use.last >= 0]
    if not isinf(storage.last):
        ends.append(storage.last)
    # Else values may be referenced after the backward program ran.
    private = not storage.protected and not any(use.protected or use.returned for use in later)
    return Lifetime(storage, size, storage.first, max(ends, default=-1), private)
