"""Decorators of functions that call numpy functions on MXNet's arrays."""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

__all__ = ["with_array_function_protocol", "with_array_ufunc_protocol"]

_P = ParamSpec("_P")
_R = TypeVar("_R")


def with_array_function_protocol(func: Callable[_P, _R]) -> Callable[_P, _R]:
    """Return a wrapper of ``func``, in which numpy functions accept ``mx.np`` arrays.

    The wrapper changes nothing: ``mx.np.ndarray`` always has ``__array_function__``.

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
    """Return a wrapper of ``func``, in which numpy ufuncs accept ``mx.np`` arrays."""
    return with_array_function_protocol(func)
