"""Switches and decorators of MXNet's ``util``."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from hy_ndarray import is_np_shape, set_np_shape

__all__ = ["is_np_array", "is_np_shape", "makedirs", "np_shape", "set_np_shape", "use_np_shape"]

P = ParamSpec("P")
R = TypeVar("R")


@contextmanager
def np_shape(active: bool = True) -> Iterator[None]:
    """A scope in which shapes are numpy's: 0 is a size, and an array may have no axes."""
    before = set_np_shape(active)
    try:
        yield
    finally:
        set_np_shape(before)


def use_np_shape(func: Callable[P, R]) -> Callable[P, R]:
    """``func`` in a :func:`np_shape` scope."""

    @wraps(func)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        with np_shape(True):
            return func(*args, **kwargs)

    return wrapped


def is_np_array() -> bool:
    """Whether arrays are numpy's by default: never, ``mx.np`` is not built."""
    return False


def makedirs(d: Any) -> None:
    """Make a folder and those above it; no effect where it exists."""
    Path(d).mkdir(parents=True, exist_ok=True)
