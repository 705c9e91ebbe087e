"""Contracted axes of tensor products, for all tables."""

from collections.abc import Sequence

__all__ = ["remaining_axes"]


def remaining_axes(axes: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    """Return ``axes`` as non-negative numbers, and all other axes of an array of ``rank``."""
    summed = [axis % rank for axis in axes]
    return summed, [i for i in range(rank) if i not in summed]
