"""Support for ``device=``, MXNet 2's name of the argument ``ctx=``."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar, cast

from hy_ndarray._errors import ArgumentError

__all__ = ["all_take_device", "takes_device"]

F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type)


def takes_device(function: F) -> F:
    """Wrap a function so that its argument ``ctx`` may also be passed as ``device``.

    Example:
        >>> takes_device(lambda ctx=None: ctx)(device="here")
        'here'
    """

    @wraps(function)
    def renamed(*args: Any, **kwargs: Any) -> Any:
        if "device" in kwargs:
            if "ctx" in kwargs:
                raise ArgumentError(
                    f"{function.__name__}: ctx and device are two names of one argument; pass only "
                    "one of them"
                )
            kwargs["ctx"] = kwargs.pop("device")
        return function(*args, **kwargs)

    return cast("F", renamed)


def all_take_device(owner: C) -> C:
    """Apply :func:`takes_device` to the public methods of a class, and return the class.

    Example:
        >>> @all_take_device
        ... class Net:
        ...     def initialize(self, ctx=None):
        ...         return ctx
        >>> Net().initialize(device="here")
        'here'
    """
    for name, member in list(vars(owner).items()):
        kind = type(member) if isinstance(member, staticmethod | classmethod) else None
        function = member.__func__ if kind else member
        is_public = not name.startswith("_") and callable(function)
        # Only functions with ctx: a wrapper costs time in every call.
        if is_public and not isinstance(function, type) and "ctx" in signature(function).parameters:
            wrapped = takes_device(function)
            setattr(owner, name, kind(wrapped) if kind else wrapped)
    return owner
