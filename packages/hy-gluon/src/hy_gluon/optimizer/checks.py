"""Checks of settings in files of optimizer states."""

from collections.abc import Callable
from typing import Any, TypeAlias

from hy_ndarray import NDArray

__all__ = ["Check", "array", "by_index", "count", "number", "of_parts", "optional", "scale"]

Check: TypeAlias = Callable[[Any], bool]
"""Whether a setting may have a value."""

_MAX_STEP = 1 << 63  # steps: numbers of int64


def number(value: Any) -> bool:
    """Return whether a value is a real number other than nan."""
    if isinstance(value, int):
        # Python's True is an int; as a rate it is a mistake.
        return not isinstance(value, bool) and -_MAX_STEP <= value < _MAX_STEP
    return isinstance(value, float) and value == value  # noqa: PLR0124  # nan is not


def count(value: Any) -> bool:
    """Return whether a value is an integer of at least 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < _MAX_STEP


def array(value: Any) -> bool:
    """Return whether a value is an array."""
    return isinstance(value, NDArray)


def scale(value: Any) -> bool:
    """Return whether a value is a number, or an array of one element on a device."""
    return number(value) or (isinstance(value, NDArray) and value.size == 1)


def optional(check: Check) -> Check:
    """Return a check that accepts None, and whatever ``check`` accepts."""
    return lambda value: value is None or check(value)


def by_index(check: Check) -> Check:
    """Return a check of a dictionary keyed by parameter number or name."""
    return lambda value: (
        isinstance(value, dict)
        and all(isinstance(key, int | str) and check(item) for key, item in value.items())
    )


def of_parts(*checks: Check) -> Check:
    """Return a check of a tuple or list with one check for each element."""
    return lambda value: (
        isinstance(value, tuple | list)
        and len(value) == len(checks)
        and all(check(part) for check, part in zip(checks, value, strict=True))
    )
