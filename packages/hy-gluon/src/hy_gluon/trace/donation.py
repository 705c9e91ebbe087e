"""Donated arguments: those whose arrays predictions may overwrite."""

from collections.abc import Collection, Sequence
from typing import Any

from hy_gluon._errors import BlockError
from hy_gluon.trace.structure import flatten

__all__ = ["argnums_of", "arrays_of"]


def argnums_of(value: int | Sequence[int]) -> tuple[int, ...] | None:
    """Return positions of arguments as a tuple; None if there are none.

    Raises:
        BlockError: A position is not an integer, or negative.
    """
    argnums: Sequence[Any] = (*value,) if isinstance(value, Sequence) else (value,)
    if not all(isinstance(k, int) and k >= 0 for k in argnums):
        raise BlockError(
            f"hybridize: donate_argnums={value!r} must be positions of arguments, from 0"
        )
    return tuple(argnums) or None


def arrays_of(args: Sequence[Any], argnums: Collection[int]) -> set[int]:
    """Return the positions, among the arrays in all arguments, of those in some arguments."""
    positions: set[int] = set()
    count = 0
    for k, arg in enumerate(args):
        first, count = count, count + sum(x is not None for x in flatten((arg,), "input")[0])
        if k in argnums:
            positions.update(range(first, count))
    return positions
