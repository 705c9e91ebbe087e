"""Registries of classes by name: functions ``register``, ``alias`` and ``create``."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol, TypeVar

from hy_ndarray import HyError
from hy_ndarray.suggestion import hint
from hy_ndarray.warning import warn

__all__ = ["get_alias_func", "get_create_func", "get_register_func", "get_registry"]

_Class = TypeVar("_Class", bound=type[Any])

_REGISTRIES: dict[type[Any], dict[str, type[Any]]] = {}

_OF_GLUON = {"Initializer": "hy_gluon.initializer", "EvalMetric": "hy_gluon.metric"}
"""Base classes that are registered where they are defined."""


class Register(Protocol):
    """Type of the decorator returned by :func:`get_register_func`."""

    def __call__(self, klass: _Class, name: str | None = None) -> _Class: ...


class RegistryError(HyError, AssertionError):
    """A class cannot be registered, or a name is not registered."""


def _registry(base_class: type[Any]) -> dict[str, type[Any]]:
    """Return the registry of a base class, which may be changed."""
    # Shared with hy_gluon, so that a class registered by either is found by both.
    home = _OF_GLUON.get(base_class.__name__)
    if home is not None and base_class is getattr(import_module(home), base_class.__name__):
        registered: dict[str, type[Any]] = import_module(home).registered
        return registered
    return _REGISTRIES.setdefault(base_class, {})


def get_registry(base_class: type[Any]) -> dict[str, type[Any]]:
    """Return a copy of the registered classes of a base class, by name."""
    return dict(_registry(base_class))


def get_register_func(base_class: type[Any], nickname: str) -> Register:
    """Return a decorator that registers a class under its name in lower case.

    Args:
        base_class: Base class of the registered classes.
        nickname: Name of the kind of classes, for messages.

    Example:
        >>> class Shape: ...
        >>> register = get_register_func(Shape, "shape")
        >>> @register
        ... class Circle(Shape):
        ...     def __init__(self, radius=1):
        ...         self.radius = radius
        >>> get_create_func(Shape, "shape")("circle", radius=2).radius
        2
    """
    registry = _registry(base_class)

    def register(klass: _Class, name: str | None = None) -> _Class:
        if not issubclass(klass, base_class):
            raise RegistryError(
                f"{klass!r} cannot be registered as {nickname}: only subclasses of "
                f"{base_class.__name__} can"
            )
        key = (klass.__name__ if name is None else name).lower()
        before = registry.get(key)
        if before is not None:
            message = (
                f"New {nickname} {klass.__module__}.{klass.__name__} registered with name {key} "
                f"is overriding existing {nickname} {before.__module__}.{before.__name__}"
            )
            warn(message)
        # The last one wins, as in MXNet: a cell of a notebook may run again.
        registry[key] = klass
        return klass

    register.__doc__ = f"Register {nickname} to the {nickname} factory"
    return register


def get_alias_func(
    base_class: type[Any], nickname: str
) -> Callable[..., Callable[[_Class], _Class]]:
    """Return a function from names to a decorator that registers a class under these names."""
    register = get_register_func(base_class, nickname)

    def alias(*aliases: str) -> Callable[[_Class], _Class]:
        def add(klass: _Class) -> _Class:
            for name in aliases:
                register(klass, name)
            return klass

        return add

    return alias


def get_create_func(base_class: type[Any], nickname: str) -> Callable[..., Any]:
    """Return a function that creates an instance of a registered class.

    The function takes a name (in any case) and the arguments of the class; or an instance, which is
    returned; or a ``dict`` of arguments, with the name as ``nickname``; or JSON of such a ``dict``,
    or of a list of a name and a ``dict``.
    """
    registry = _registry(base_class)

    def create(*args: Any, **kwargs: Any) -> Any:
        if not args and nickname not in kwargs:
            raise RegistryError(f"create: no {nickname} is given, by position or by name")
        first, *rest = args or [kwargs.pop(nickname)]
        # Texts of JSON are what `dumps` of initializers writes.
        is_whole = isinstance(first, base_class) or str(first).startswith(("[", "{"))
        if is_whole and (rest or kwargs):
            raise RegistryError(
                f"{nickname} is already an instance, or has its arguments, so {rest} and {kwargs} "
                "are not accepted"
            )
        if isinstance(first, base_class):
            return first
        if isinstance(first, dict):
            return create(**first)
        if not isinstance(first, str):
            raise RegistryError(
                f"{nickname} must be a name, a dict or a {base_class.__name__}, not {first!r}"
            )
        if is_whole:
            parsed = json.loads(first)
            return create(**parsed) if first[0] == "{" else create(parsed[0], **parsed[1])
        return _named(registry, first, nickname)(*rest, **kwargs)

    create.__doc__ = f"Create a {nickname} instance from config."
    return create


def _named(registry: dict[str, type[Any]], name: str, nickname: str) -> type[Any]:
    try:
        return registry[name.lower()]
    except KeyError:
        known = ", ".join(sorted(registry))
        raise RegistryError(
            f"{name} is not registered. Please register with {nickname}.register first; "
            f"known: {known}{hint(name, registry)}"
        ) from None
