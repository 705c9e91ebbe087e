"""Costs of a table changed for a test."""

from dataclasses import replace
from typing import Any

import pytest

from hy_kernels.numpy.costs import COSTS

__all__ = ["change_costs"]


def change_costs(patch: pytest.MonkeyPatch, **families: dict[str, Any]) -> None:
    """Have numpy's kernels read other numbers, see :data:`COSTS`, until the test ends."""
    for name, numbers in families.items():
        patch.setattr(COSTS, name, replace(getattr(COSTS, name), **numbers))
