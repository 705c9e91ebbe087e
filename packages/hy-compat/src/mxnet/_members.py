"""Private attributes of MXNet's classes that hy's do not need, for programs that reach for them."""

from types import ModuleType
from typing import Any

from mxnet._binding import load

__all__ = ["CLASSES", "attach_members", "has_members"]

CLASSES: dict[str, tuple[str, str, str]] = {}
"""By class of hy's: the class in ``_private`` that has the attributes, those that can be assigned
where objects have no dictionary, and the others."""

_MODULES = {path.partition(":")[0] for path in CLASSES}


class _Member:
    """An attribute of a class, or of its objects, that is loaded when it is first asked for."""

    def __init__(self, source: str, name: str) -> None:
        self._source = source
        self._name = name

    def __get__(self, instance: object, owner: type) -> Any:
        self._settle(owner)
        return getattr(owner if instance is None else instance, self._name)

    def _settle(self, owner: type) -> None:
        """Put the attribute itself where this stands for it."""
        holder = next(kind for kind in owner.__mro__ if vars(kind).get(self._name) is self)
        setattr(holder, self._name, vars(load(self._source))[self._name])


class _WritableMember(_Member):
    def __set__(self, instance: object, value: Any) -> None:
        self._settle(type(instance))
        setattr(instance, self._name, value)


def has_members(module: str) -> bool:
    """Whether a class of a module of hy's gets attributes of MXNet's."""
    return module in _MODULES


def attach_members(module: ModuleType) -> None:
    """Give the classes of a module the attributes that MXNet's have."""
    for path, (source, writable, others) in CLASSES.items():
        where, _, name = path.partition(":")
        if where == module.__name__:
            holder = getattr(module, name)
            for kind, names in ((_WritableMember, writable), (_Member, others)):
                for attribute in names.split():
                    setattr(holder, attribute, kind(source, attribute))
