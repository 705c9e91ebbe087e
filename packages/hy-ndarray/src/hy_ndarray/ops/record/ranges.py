"""Ranges of numeric parameters, declared in an operator's signature and checked on parsing.

A range is part of a parameter's annotation, ``p: Annotated[float, Range(0, 1)]``; for a tuple it
applies to each item. The type aliases are ranges that many operators share.
"""

from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, TypeAlias

__all__ = [
    "NonNegative",
    "NonNegativeFloat",
    "NonNegatives",
    "Positive",
    "PositiveFloat",
    "Positives",
    "Probability",
    "Range",
]


@dataclass(frozen=True, slots=True)
class Range:
    """Closed interval of numbers from ``low`` to ``high``; without ``low`` if ``open``.

    Args:
        low: The smallest number.
        high: The largest number.
        open: Whether ``low`` itself is excluded, such as 0 for the scale of a distribution.

    Example:
        >>> str(Range(0, 1)), str(Range(1)), str(Range(0, open=True))
        ('from 0 to 1', 'of at least 1', 'above 0')
        >>> Range(0, 1).contains((0.5, 1)), Range(0, 1).contains(float("nan"))
        (True, False)
    """

    low: float = -inf
    high: float = inf
    open: bool = False

    def contains(self, value: Any) -> bool:
        """Return whether a number, or each number of a tuple, is in the range; True for None."""
        if isinstance(value, tuple):
            return all(map(self.contains, value))
        if value is None:
            return True
        return bool(self.low <= value <= self.high and not (self.open and value == self.low))

    def __str__(self) -> str:
        if self.high == inf:
            return f"above {self.low}" if self.open else f"of at least {self.low}"
        return f"from {self.low} to {self.high}"


Positive: TypeAlias = Annotated[int, Range(1)]
NonNegative: TypeAlias = Annotated[int, Range(0)]
Positives: TypeAlias = Annotated[tuple[int, ...], Range(1)]
NonNegatives: TypeAlias = Annotated[tuple[int, ...], Range(0)]
Probability: TypeAlias = Annotated[float, Range(0, 1)]
PositiveFloat: TypeAlias = Annotated[float, Range(0, open=True)]
NonNegativeFloat: TypeAlias = Annotated[float, Range(0)]
