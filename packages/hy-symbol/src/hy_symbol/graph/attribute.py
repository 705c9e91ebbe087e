"""AttrScope: attributes given to every node created inside a scope."""

from collections import defaultdict
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any, ClassVar, Self

from hy_ndarray.suggestion import suggest_members as _suggest_members
from hy_symbol._errors import GraphError

__all__ = ["FORMS", "HIDDEN", "AttrScope", "hidden", "innermost", "merged", "shown"]

HIDDEN = frozenset(("ctx_group", "lr_mult", "wd_mult", "force_mirroring", "mirror_stage"))
"""Attributes that nodes store between double underscores."""
FORMS: Mapping[str, str] = {name: f"__{name}__" for name in HIDDEN}
"""The stored name of each of these attributes."""


class _InnermostOfThread:
    """Descriptor of MXNet's class attribute ``current``: the result of :func:`innermost`."""

    def __get__(self, instance: Any, owner: Any) -> "AttrScope":
        return innermost()


def hidden(name: str) -> str:
    """Return the name under which nodes store an attribute, such as ``__ctx_group__``."""
    return FORMS.get(name, name)


def shown(attrs: Mapping[str, str]) -> dict[str, str]:
    """Return attributes as users see them: ``__ctx_group__`` also under ``ctx_group``."""
    visible = dict(attrs)
    for key, value in attrs.items():
        plain = key.strip("_")
        if key.startswith("__") and hidden(plain) == key:
            visible[plain] = value
    return visible


class AttrScope:
    """Scope whose attributes are given to every node created inside it.

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
    _subgraph_names: ClassVar[defaultdict[str, int]] = defaultdict(int)
    """Number of loops and branches created so far by name; the attribute has MXNet's name."""

    def __init__(self, **kwargs: str) -> None:
        for name, value in kwargs.items():
            if not isinstance(value, str):
                raise GraphError(f"AttrScope: attribute {name}={value!r} must be a string")
        self._attr = dict(kwargs)  # MXNet's name, under which its pickles hold them

    def get(self, attr: Mapping[str, str] | None) -> dict[str, str]:
        """Return the attributes of this scope and the enclosing ones, overridden by ``attr``."""
        around: dict[str, str] = {}
        entered = _entered.get()
        while entered is not None and not around:
            scope, attrs, entered = entered
            # Only scopes around this one count, so the search goes to where it was entered.
            around = attrs if scope is self else {}
        return {**around, **self._attr, **(attr or {})}

    def __enter__(self) -> Self:
        # A scope may be entered again, also in other threads: the chain of entered scopes is a
        # linked list in a context variable, not a field of the scope.
        outer = _entered.get()
        around = {} if outer is None else outer[1]
        _entered.set((self, {**around, **self._attr}, outer))
        return self

    def __exit__(self, *_: object) -> None:
        entered = _entered.get()
        assert entered is not None
        _entered.set(entered[2])


_OUTERMOST = AttrScope()
_entered: ContextVar[tuple[AttrScope, dict[str, str], Any] | None] = ContextVar(
    "attribute_scopes", default=None
)
"""This thread's innermost scope, all attributes in force, and the enclosing value."""


def innermost() -> AttrScope:
    """Return the innermost scope of this thread."""
    entered = _entered.get()
    return _OUTERMOST if entered is None else entered[0]


def merged(attrs: Mapping[str, str] | None) -> dict[str, str]:
    """Return the current scope's attributes overridden by ``attrs``, in stored form."""
    entered = _entered.get()
    around = {} if entered is None else entered[0].get(None)
    stored = FORMS.get
    result = {}
    for part in (around, attrs or {}):
        for name, value in part.items():
            result[stored(name, name)] = value
    return result


_suggest_members(globals())
