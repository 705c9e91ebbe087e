"""Costs of a table changed for a test."""

from typing import Any

import pytest

from hy_kernels.numpy.costs import COSTS

__all__ = ["change_costs"]


def change_costs(
    patch: pytest.MonkeyPatch, costs: Any = COSTS, /, **families: dict[str, Any]
) -> None:
    """Have the kernels of a table, numpy's if no other, read other numbers until the test ends."""
    for name, numbers in families.items():
        patch.setattr(costs, name, getattr(costs, name)._replace(**numbers))
