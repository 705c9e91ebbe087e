"""Decorator for computed attributes that objects can overwrite."""

from collections.abc import Callable
from typing import Any

__all__ = ["computed"]


class computed:  # noqa: N801  # a decorator, as property
    """Decorator of a method as an attribute that, unlike a ``property``, can be assigned.

    Args:
        function: Function of the object that returns the value.

    Example:
        >>> class Net:
        ...     @computed
        ...     def name(self):
        ...         return "net"
        >>> net = Net()
        >>> before, net.name = net.name, "mine"
        >>> before, net.name
        ('net', 'mine')
    """

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.__doc__ = function.__doc__
        self._function = function

    def __get__(self, instance: Any, owner: type) -> Any:
        return self if instance is None else self._function(instance)
