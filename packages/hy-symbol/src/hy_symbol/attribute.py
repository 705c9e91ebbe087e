"""AttrScope: attributes that every node made inside a scope gets."""

import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self

from hy_symbol._errors import GraphError

__all__ = ["HIDDEN", "AttrScope", "current", "hidden", "merged"]

HIDDEN = frozenset(("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"))
"""Attributes that nodes keep between double underscores."""


class _Current(threading.local):
    scope: "AttrScope | None" = None


_current = _Current()


class _InnermostOfThread:
    """The class attribute ``current``, as MXNet has it: what :func:`current` returns."""

    def __get__(self, instance: Any, owner: Any) -> "AttrScope":
        return current()


def hidden(name: str) -> str:
    """The form in which nodes keep attribute ``name``: ``ctx_group`` as ``__ctx_group__``."""
    return f"__{name}__" if name in HIDDEN else name


class AttrScope:
    """A scope whose attributes every node made inside it gets.

    Args:
        kwargs: Attributes by name; values are strings.

    Raises:
        GraphError: A value is not a string.

    Example:
        >>> from hy_symbol import sym
        >>> with AttrScope(ctx_group="dev1"):
        ...     x = sym.var("x")
        >>> x.attr("ctx_group")
        'dev1'
    """

    current = _InnermostOfThread()

    def __init__(self, **kwargs: str) -> None:
        for name, value in kwargs.items():
            if not isinstance(value, str):
                raise GraphError(f"AttrScope: attribute {name}={value!r} must be a string")
        self._attrs = dict(kwargs)
        self._outer: list[AttrScope | None] = []

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """The attributes of the scope, with ``attr`` on top."""
        return {**self._attrs, **(attr or {})}

    def __enter__(self) -> Self:
        outer = _current.scope
        self._outer.append(outer)
        if outer is not None:
            self._attrs = {**outer._attrs, **self._attrs}
        _current.scope = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.scope = self._outer.pop()


def current() -> AttrScope:
    """The innermost scope of this thread."""
    if _current.scope is None:
        _current.scope = AttrScope()
    return _current.scope


def merged(attrs: Mapping[str, str] | None) -> dict[str, str]:
    """The attributes of the current scope with ``attr`` on top, in the form nodes keep them."""
    scope = current().get(None)
    return {hidden(name): value for part in (scope, attrs or {}) for name, value in part.items()}
