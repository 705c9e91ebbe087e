"""Suggestions for misspelled names of attributes, arguments and registered classes.

All packages create their "did you mean ...?" messages with these functions.
"""

import difflib
import dis
import inspect
import operator
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from types import CodeType
from typing import TYPE_CHECKING, Any, Self

from hy_ndarray._errors import ArgumentError

__all__ = [
    "CheckedArguments",
    "Suggesting",
    "accepted_arguments",
    "hint",
    "nearest",
    "suggest_members",
    "unknown_argument",
    "unknown_attribute",
]

_OWN = ("hy_", "mxnet")
"""Prefixes of modules whose ``__init__`` a user's subclass has to call."""


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name most similar to ``name``, ignoring case; None if there is none.

    Args:
        name: The misspelled name.
        known: The valid names. Private ones are suggested only for a private ``name``.

    Example:
        >>> nearest("sofmax", ["softmax", "relu"]), nearest("adma", ["adamax", "adam"])
        ('softmax', 'adam')
    """
    text = str(name)
    names = [n for n in known if isinstance(n, str) and n.startswith("_") <= text.startswith("_")]
    if text in names:
        return None
    folded = text.casefold()
    similar = difflib.get_close_matches(folded, {n.casefold() for n in names}, n=5)
    if not similar:
        return None
    fewest = min(similar, key=lambda n: _edits(folded, n))  # of several the first, the most similar
    of_any_case = sorted(n for n in names if n.casefold() == fewest)
    return max(of_any_case, key=lambda n: sum(map(operator.eq, n, text)))


def _edits(a: str, b: str) -> int:
    """Return the edit distance of two strings, with transpositions (Damerau-Levenshtein)."""
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i]
        for j, y in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
    return row[-1]


def hint(name: object, known: Iterable[object]) -> str:
    """Return a clause that suggests the most similar name; empty if there is none.

    Example:
        >>> f"there is no layer 'Dens'{hint('Dens', ['Dense', 'Conv2D'])}"
        "there is no layer 'Dens'; did you mean 'Dense'?"
    """
    similar = nearest(name, known)
    return "" if similar is None else f"; did you mean {similar!r}?"


class _Message(str):
    """Message whose suggestion is computed only when shown; ``hasattr`` discards most messages."""

    __slots__ = ("_hint",)

    _hint: Callable[[], str]

    def __new__(cls, text: str, hint: Callable[[], str]) -> Self:
        message = super().__new__(cls, text)
        message._hint = hint
        return message

    def __str__(self) -> str:
        return super().__str__() + self._hint()

    def __repr__(self) -> str:
        return repr(str(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return str, (str(self),)


def unknown_attribute(
    what: str, name: str, known: Callable[[], Iterable[object]], otherwise: str = ""
) -> AttributeError:
    """Return an AttributeError whose suggestion is computed when it is shown.

    Args:
        what: The object, in Python's words: ``"module 'hy_gluon.nn'"``.
        name: The attribute.
        known: Returns the names of existing attributes.
        otherwise: End of the message if no name is similar.

    Example:
        >>> print(unknown_attribute("module 'nn'", "Dens", lambda: ["Dense"]))
        module 'nn' has no attribute 'Dens'; did you mean 'Dense'?
    """
    message = _Message(
        f"{what} has no attribute {name!r}", lambda: hint(name, known()) or otherwise
    )
    # Python adds a hint of its own to an error that has the object, too.
    return AttributeError(message, name=name, obj=None)


def suggest_members(module: dict[str, Any]) -> None:
    """Add suggestions for unknown names to a module without ``__getattr__``.

    Args:
        module: The ``globals()`` of the module; call this at its end.
    """

    def find(name: str) -> Any:
        raise unknown_attribute(
            f"module {module['__name__']!r}", name, lambda: module.get("__all__") or list(module)
        )

    module["__getattr__"] = find


# --- arguments -------------------------------------------------------------------------------


@lru_cache(maxsize=512)
def _named_arguments(code: CodeType) -> tuple[str, ...]:
    return code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]


def accepted_arguments(cls: type[Any]) -> list[str]:
    """Return the names of the arguments of a class, including those passed to its bases.

    Example:
        >>> class Base:
        ...     def __init__(self, prefix=None): ...
        >>> class Layer(Base):
        ...     def __init__(self, units, **kwargs):
        ...         super().__init__(**kwargs)
        >>> accepted_arguments(Layer)
        ['units', 'prefix']
    """
    names: dict[str, None] = {}
    for base in cls.__mro__:
        code = getattr(vars(base).get("__init__"), "__code__", None)
        if code is not None:
            names.update(dict.fromkeys(_named_arguments(code)))
            if not code.co_flags & inspect.CO_VARKEYWORDS:
                break
    return list(names)


def unknown_argument(what: str, name: str, known: Iterable[str]) -> ArgumentError:
    """Return the error of an unknown argument, with a suggestion and all names.

    Args:
        what: The operator, class or function.
        name: The argument.
        known: Names of the valid arguments.
    """
    known = list(known)
    taken = ", ".join(known) or "none"
    return ArgumentError(f"{what}: unknown argument {name!r}{hint(name, known)} (it takes {taken})")


# --- attributes of objects -------------------------------------------------------------------


def _assigned_attributes(code: CodeType) -> set[str]:
    """Return the names of the attributes that a function assigns."""
    return {str(step.argval) for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}


def _uncalled(instance: object, name: str) -> Iterator[type[Any]]:
    """Yield base classes whose ``__init__`` sets ``name`` but has not run on ``instance``."""
    present = vars(instance).keys() if hasattr(instance, "__dict__") else set()
    for base in type(instance).__mro__:
        code = getattr(vars(base).get("__init__"), "__code__", None)
        if code is not None and base.__module__.startswith(_OWN):
            stored = _assigned_attributes(code)
            if stored and (name in stored or stored.isdisjoint(present)):
                yield base


def _answer(instance: object, name: str) -> str:
    kind = type(instance)
    base = next(_uncalled(instance, name), None)
    if base is not None and base is not kind:
        return (
            f": {base.__name__}.__init__ was not called; call super().__init__() first in "
            f"{kind.__name__}.__init__"
        )
    return hint(name, dir(instance))


class CheckedArguments:
    """Base class whose constructors reject unknown arguments with a suggestion.

    Example:
        >>> class Model(CheckedArguments):
        ...     def __init__(self, units=1):
        ...         self.units = units
        >>> try:
        ...     Model(unit=2)
        ... except TypeError as error:
        ...     print(error)
        Model: unknown argument 'unit'; did you mean 'units'? (it takes units)
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers would take any argument

        def __new__(cls, *args: Any, **kwargs: Any) -> Self:
            """Return a new object; raise an error for arguments that ``__init__`` does not take."""
            code = getattr(cls.__init__, "__code__", None) if kwargs else None
            if code is not None and not code.co_flags & inspect.CO_VARKEYWORDS:
                known = _named_arguments(code)
                for name in kwargs:
                    if name not in known:
                        raise unknown_argument(cls.__name__, name, accepted_arguments(cls))
            new = super().__new__
            return new(cls) if new is object.__new__ else new(cls, *args, **kwargs)


class Suggesting(CheckedArguments):
    """Base class that reports misspelled attributes with a suggestion.

    The message also says if an attribute is missing because a subclass did not call
    ``super().__init__()``. Arrays do not inherit from it: in Python 3.11 ``__getattr__`` slows
    every attribute access, and thereby eager operators by a tenth. For uncaught errors Python adds
    a suggestion of its own.

    Example:
        >>> class Model(Suggesting):
        ...     def forward(self): ...
        >>> try:
        ...     Model().foward()
        ... except AttributeError as error:
        ...     print(error)
        'Model' object has no attribute 'foward'; did you mean 'forward'?
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # type checkers would take any attribute

        def __getattr__(self, name: str) -> Any:
            if any(name in vars(base) for base in type(self).__mro__):
                return object.__getattribute__(self, name)  # a property that raised, again
            text = f"{type(self).__name__!r} object has no attribute {name!r}"
            raise AttributeError(_Message(text, lambda: _answer(self, name)), name=name, obj=None)
