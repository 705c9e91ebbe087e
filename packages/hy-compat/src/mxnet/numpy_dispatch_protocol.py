"""Decorators for functions that call NumPy's on MXNet's arrays."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["with_array_function_protocol", "with_array_ufunc_protocol"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def with_array_function_protocol(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return ``func`` so that NumPy functions in it accept and return ``mx.np`` arrays.

    ``mx.np.ndarray`` has ``__array_function__`` anywhere, so that nothing is switched on.

    Example:
        >>> import numpy
        >>> from mxnet import np
        >>> @with_array_function_protocol
        ... def total(x):
        ...     return numpy.sum(x)
        >>> total(np.ones(3))
        array(3.)
    """

    @functools.wraps(func)
    def wrapped(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        return func(*args, **kwargs)

    return wrapped


def with_array_ufunc_protocol(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return ``func`` so that NumPy ufuncs in it accept and return ``mx.np`` arrays."""
    return with_array_function_protocol(func)
