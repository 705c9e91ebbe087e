"""Ranges of numeric parameters, stated in an operator's signature and checked where it is parsed.

A range is part of a parameter's annotation, ``p: Annotated[float, Range(0, 1)]``; of a tuple it
holds for each item. The aliases are the ranges that many operators share.
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
    """The numbers from ``low`` to ``high``; both belong to it unless it is ``open``.

    Args:
        low: The least number.
        high: The largest one.
        open: Whether ``low`` itself is excluded, as 0 for the scale of a distribution.

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
        """Return whether a number, or each of a tuple, is in the range; None always is."""
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
