"""Contracted axes of tensor products, and products of all other elements, for all tables."""

from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["product_of_others", "remaining_axes"]

T = TypeVar("T")


def remaining_axes(axes: Sequence[int], rank: int) -> tuple[list[int], list[int]]:
    """Return ``axes`` as non-negative numbers, and all other axes of an array of ``rank``."""
    summed = [axis % rank for axis in axes]
    return summed, [i for i in range(rank) if i not in summed]


def product_of_others(
    factors: T, size: int, ones: T, times_following: Callable[[T, T, int], T]
) -> T:
    """Return, for each of the ``size`` elements along the last axis, the product of all others.

    Args:
        factors: The elements.
        size: Their number.
        ones: Ones in the shape of ``factors``.
        times_following: Returns each element of its first argument times the one of the second that
            is a number of positions later.
    """
    # Dividing the total product by each element would fail for zeros. So elements form a ring, and
    # the product of the n - 1 that follow one is composed of windows of doubling length, in
    # O(n log n).
    span, value, window = size - 1, ones, factors
    start = length = 1  # the first element that `value` does not hold yet, and the window's length
    while span > 0:
        if span & 1:
            value = times_following(value, window, start)
            start += length
        span >>= 1
        if span:
            window = times_following(window, window, length)
            length *= 2
    return value
