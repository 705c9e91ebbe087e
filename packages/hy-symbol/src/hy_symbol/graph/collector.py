"""Pauses Python's cyclic garbage collector while graphs are built and compiled."""

import gc
import os
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

__all__ = ["without_collections"]

_P = ParamSpec("_P")
_R = TypeVar("_R")
_paused = False
"""Whether some thread has paused it, and will let it go on."""


def without_collections(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a function during which the garbage collector is paused.

    A graph is many small objects that all stay: the collector would look through them again and
    again, and find nothing, in up to half of the time of a first call. Objects that are in no
    cycle are freed as ever.

    Example:
        >>> import gc
        >>> without_collections(gc.isenabled)(), gc.isenabled()
        (False, True)
    """

    @wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        global _paused  # noqa: PLW0603  # the collector is one for the process
        if not gc.isenabled():  # by the user, or by a caller or a thread that will enable it
            return function(*args, **kwargs)
        try:
            _paused = True
            gc.disable()
            return function(*args, **kwargs)
        finally:
            _paused = False
            gc.enable()

    return run


def _after_fork() -> None:
    """Resume the collector in a forked child, where a thread of the parent had paused it."""
    if _paused:
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
