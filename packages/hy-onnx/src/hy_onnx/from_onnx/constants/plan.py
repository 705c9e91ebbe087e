"""Plan: type and cost of a constant, before it is computed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from hy_onnx.from_onnx.budget import Budget
from hy_onnx.from_onnx.call import Call
from hy_onnx.model import Array

__all__ = ["PLANNERS", "Plan", "Planner", "planner"]


@dataclass(frozen=True, slots=True)
class Plan:
    """Type and cost of a constant, with the function that computes it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    compute: Callable[[], Any]
    work: int = 0
    """Elements processed in addition to those of the result, about a nanosecond each."""
    is_bound: bool = False
    """Whether ``shape`` is only an upper bound, as the shape depends on values."""

    def run(self, budget: Budget) -> Array:
        """Reserve the cost in the budget, then compute the constant.

        Raises:
            ValueError: A size is negative, or the budget is exceeded.
        """
        if any(n < 0 for n in self.shape):
            raise ValueError(f"shape {self.shape} has a negative size")
        count = math.prod(self.shape)
        budget.reserve(count * self.dtype.itemsize, count + self.work)
        with np.errstate(all="ignore"):  # infinities and NaN are results here
            result: Array = np.asarray(self.compute()).astype(self.dtype, copy=False)
        assert self.is_bound or result.shape == self.shape, (result.shape, self.shape)
        return result


Planner: TypeAlias = Callable[[Call], Plan | Sequence[Plan] | None]
"""Function that plans the results of a node on constants; None if these are not supported."""

PLANNERS: dict[str, Planner] = {}
"""Planners of the operators that are folded during import, by ONNX's name."""


def planner(*names: str) -> Callable[[Planner], Planner]:
    """Return a decorator that registers a function as the planner of operators."""

    def register(function: Planner) -> Planner:
        for name in names:
            assert name not in PLANNERS, f"two planners for {name}"
            PLANNERS[name] = function
        return function

    return register
