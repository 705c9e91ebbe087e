"""overridable: marks methods that subclasses define with their own arguments."""

from collections.abc import Callable
from typing import TypeVar

__all__ = ["overridable"]

R = TypeVar("R")


def overridable(method: Callable[..., R]) -> Callable[..., R]:
    """Return the method unchanged; type checkers accept any override of it.

    What a model computes from differs from model to model, so no signature of a base class is
    right. Pyright accepts overrides of ``*args: Any, **kwargs: Any`` too, but not of ``x: Any,
    *args: Any``, which is what these methods take.
    """
    return method
