"""Tensor: a value of the imported graph, with its type."""

from dataclasses import dataclass

import numpy as np

from hy_onnx.model import Dim
from hy_symbol import Entry

__all__ = ["Shape", "Tensor", "whole_numbers"]

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """Entry of the imported graph, with its dtype and its shapes for two sets of test sizes.

    A size that differs between the two shapes is open; ``names`` maps the pair to the name of an
    open size of an input.
    """

    entry: Entry
    dtype: str
    shapes: tuple[Shape, Shape]
    names: dict[tuple[int, int], str]

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shapes[0])

    @property
    def dims(self) -> tuple[Dim, ...]:
        """Sizes: integers, names of open sizes, or None for sizes derived from open ones."""
        pairs = zip(*self.shapes, strict=True)
        return tuple(a if a == b else self.names.get((a, b)) for a, b in pairs)

    @property
    def is_floating(self) -> bool:
        """Return whether the value is of a floating dtype."""
        return self.dtype in ("float16", "bfloat16", "float32", "float64")


_MANY = 1024
"""Limit on sizes or axes of a node: a constant of millions could be used by every node."""


def whole_numbers(values: object) -> list[int]:
    """Return a constant with sizes or axes as a list of integers.

    Raises:
        ValueError: There are more than 1,024 of them.
    """
    numbers = np.asarray(values).reshape(-1)
    if numbers.size > _MANY:
        raise ValueError(f"{numbers.size} numbers are too many for sizes or axes")
    return [int(n) for n in numbers]
