"""NumPy's semantics of shapes and array classes: switches, scopes, decorators."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from inspect import getmembers, isfunction
from typing import Any, TypeVar, cast

from hy_ndarray._errors import ArgumentError
from hy_ndarray.core._state import is_np_array, is_np_shape, set_np_array, set_np_shape

__all__ = [
    "is_np_array",
    "is_np_shape",
    "np_array",
    "np_shape",
    "reset_np",
    "set_np",
    "set_np_array",
    "set_np_shape",
    "use_np",
    "use_np_array",
    "use_np_shape",
]

F = TypeVar("F", bound=Callable[..., Any])


def set_np(shape: bool = True, array: bool = True) -> None:
    """Switch NumPy's semantics on in this thread.

    Args:
        shape: Whether shapes follow NumPy: size 0 means empty, and ``()`` is a scalar's shape.
        array: Whether blocks, parameters and data use ``np.ndarray``.

    Raises:
        ArgumentError: ``array`` without ``shape``.
    """
    if array and not shape:
        raise ArgumentError("set_np: array=True needs shape=True")
    set_np_shape(shape)
    set_np_array(array)


def reset_np() -> None:
    """Restore MXNet's legacy semantics."""
    set_np(shape=False, array=False)


@contextmanager
def np_shape(active: bool = True) -> Iterator[None]:
    """Enter a scope of NumPy's shapes: size 0 means empty, and an array may have no axes."""
    before = set_np_shape(active)
    try:
        yield
    finally:
        set_np_shape(before)


@contextmanager
def np_array(active: bool = True) -> Iterator[None]:
    """Enter a scope in which blocks, parameters and data use ``np.ndarray``."""
    before = set_np_array(active)
    try:
        yield
    finally:
        set_np_array(before)


def _decorated(target: F, scope: Callable[[], Any], active: Callable[[], bool]) -> F:
    """Wrap a function in a scope; of a class, its own methods and public inherited ones."""
    if isinstance(target, type):
        own = vars(target)
        for name, member in getmembers(target, isfunction):
            if name in own or name in ("__init__", "__call__") or not name.startswith("_"):
                setattr(target, name, _decorated(member, scope, active))
        return target

    @wraps(target)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        # Already active, as in a method called by another decorated one: no further scope.
        if active():
            return target(*args, **kwargs)
        with scope():
            return target(*args, **kwargs)

    return cast("F", wrapped)


def use_np_shape(func: F) -> F:
    """Decorate a function, or each method of a class, with a :func:`np_shape` scope."""
    return _decorated(func, np_shape, is_np_shape)


def use_np_array(func: F) -> F:
    """Decorate a function, or each method of a class, with a :func:`np_array` scope."""
    return _decorated(func, np_array, is_np_array)


def use_np(func: F) -> F:
    """Decorate a function, or a class's methods, with :func:`np_shape` and :func:`np_array` scopes.

    Example:
        >>> @use_np
        ... def semantics():
        ...     return is_np_shape(), is_np_array()
        >>> semantics(), is_np_array()
        ((True, True), False)
    """
    return use_np_shape(use_np_array(func))
