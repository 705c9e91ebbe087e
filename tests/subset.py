"""Which of a test's parameter sets the fast tests run: what is left out is marked `exhaustive`."""

from collections.abc import Sequence

import pytest

__all__ = ["MOST", "first_sets", "operator_of"]

MOST = 5
"""How many sets of a test that is not about operators, spread over all that it has."""


def first_sets(operators: Sequence[str | None]) -> list[bool]:
    """Whether to run each set of one test: the first row of each operator, or some of the sets.

    Args:
        operators: The operator whose row of cases each set is; None if it is no such row.
    """
    if None not in operators:
        return [name not in operators[:i] for i, name in enumerate(operators)]
    count = len(operators)
    chosen = {i * count // MOST for i in range(MOST)}
    return [count <= MOST or i in chosen for i in range(count)]


def operator_of(item: pytest.Item) -> str | None:
    """The operator whose row of cases a test runs on."""
    callspec = getattr(item, "callspec", None)
    case = None if callspec is None else callspec.params.get("case")
    return getattr(case, "op", None)
