"""overridable: decorator of methods that subclasses override with other arguments."""

from collections.abc import Callable
from typing import TypeVar

__all__ = ["overridable"]

R = TypeVar("R")


def overridable(method: Callable[..., R]) -> Callable[..., R]:
    """Return the method unchanged, with a type that lets subclasses override the arguments.

    The arguments of ``forward`` differ from model to model, so no signature of a base class is
    correct. Pyright accepts overrides of ``*args: Any, **kwargs: Any``, but not of ``x: Any, *args:
    Any``, which these methods have.
    """
    return method
