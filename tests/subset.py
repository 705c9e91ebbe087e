"""Which of a test's parameter sets the fast tests run: what is left out is marked `exhaustive`."""

from collections.abc import Sequence

import pytest

__all__ = ["FEW", "SOME", "first_sets", "operator_of"]

FEW = 6
"""Up to so many sets of a test that is not about operators all run: one a package, for instance."""
SOME = 3
"""How many run of more sets, spread over all."""


def first_sets(operators: Sequence[str | None]) -> list[bool]:
    """Whether to run each set of one test: the first row of each operator, or some of the sets.

    Args:
        operators: The operator whose row of cases each set is; None if it is no such row.
    """
    if None not in operators:
        first = {name: i for i, name in reversed([*enumerate(operators)])}
        return [first[name] == i for i, name in enumerate(operators)]
    count = len(operators)
    chosen = {i * count // SOME for i in range(SOME)}
    return [count <= FEW or i in chosen for i in range(count)]


def operator_of(item: pytest.Item) -> str | None:
    """The operator whose row of cases a test runs on."""
    callspec = getattr(item, "callspec", None)
    case = None if callspec is None else callspec.params.get("case")
    return getattr(case, "op", None)
