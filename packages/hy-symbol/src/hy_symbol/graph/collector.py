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
"""Whether a thread has paused the collector and will resume it."""


def without_collections(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Decorator: pause the cyclic garbage collector while ``function`` runs.

    Building a graph allocates many small objects that stay alive. The collector would traverse them
    repeatedly without finding garbage, which takes up to half of the time of a first call.
    Reference counting goes on freeing objects that are in no cycle.

    Example:
        >>> import gc
        >>> without_collections(gc.isenabled)(), gc.isenabled()
        (False, True)
    """

    @wraps(function)
    def run(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        global _paused  # noqa: PLW0603  # the collector is one for the process
        # Only the outermost call resumes the collector, and only if the user had not disabled it.
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
    """Resume the collector in a forked child, where the thread that paused it does not exist."""
    if _paused:
        gc.enable()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
