"""Automatic names of nodes: ``convolution0``, ``relu1``, and prefixes."""

import threading
from contextvars import ContextVar
from itertools import count
from typing import Any, Self

from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = ["NameManager", "Numbers", "Prefix", "innermost"]


# One default manager per thread, so that automatic names do not depend on what other threads build.
class _Outermost(threading.local):
    manager: "NameManager | None" = None


_outermost = _Outermost()
_entered: "ContextVar[tuple[NameManager, Any] | None]" = ContextVar("name_managers", default=None)
"""The innermost name manager of this thread or task, and the enclosing value."""


class Numbers:
    """Thread-safe counter for each name hint.

    Example:
        >>> numbers = Numbers()
        >>> numbers.next("conv"), numbers.next("conv"), numbers.next("relu")
        (0, 1, 0)
    """

    def __init__(self) -> None:
        self._counts: dict[str, count[int]] = {}
        self._last_numbers: dict[str, int] = {}

    def __setstate__(self, counts: dict[str, int]) -> None:
        self._last_numbers = counts
        self._counts = {hint: count(last + 1) for hint, last in counts.items()}

    def __reduce__(self) -> tuple[Any, ...]:
        return Numbers, (), dict(self._last_numbers)

    @classmethod
    def of_mxnet(cls, counter: dict[str, int]) -> Self:
        """Return counters that continue the counters of a name manager pickled by MXNet."""
        numbers = cls()
        # MXNet counts the names given; here the last number is kept, which is one less.
        numbers.__setstate__({hint: count - 1 for hint, count in counter.items()})
        return numbers

    @property
    def last_numbers(self) -> dict[str, int]:
        """Return the last number given for each hint."""
        return dict(self._last_numbers)

    def next(self, hint: str) -> int:
        """Return the next number for ``hint``."""
        number = next(self._counts.setdefault(hint, count()))  # each step cannot be interrupted
        self._last_numbers[hint] = number
        return number


class _InnermostOfThread:
    """Descriptor of MXNet's class attribute ``current``: the result of :func:`innermost`."""

    def __get__(self, instance: Any, owner: Any) -> "NameManager":
        return innermost()


class NameManager:
    """Scope that gives nodes without a name an automatic one: a hint and a number.

    Example:
        >>> with NameManager() as names:
        ...     print(names.get(None, "conv"), names.get(None, "conv"), names.get("mine", "conv"))
        conv0 conv1 mine
    """

    current = _InnermostOfThread()

    def __init__(self) -> None:
        self._numbers = Numbers()

    def __setstate__(self, state: dict[str, Any]) -> None:
        if "_counter" in state:  # MXNet pickled it
            state = {**state, "_numbers": Numbers.of_mxnet(state["_counter"])}
        self.__dict__.update(state)

    def get(self, name: str | None, hint: str) -> str:
        """Return ``name`` if it is given, else the next name for ``hint``."""
        if name:
            return name
        return f"{hint}{self._numbers.next(hint)}"

    def __enter__(self) -> Self:
        _entered.set((self, _entered.get()))
        return self

    def __exit__(self, *_: object) -> None:
        scope = _entered.get()
        assert scope is not None
        _entered.set(scope[1])


class Prefix(NameManager):
    """Name manager that adds ``prefix`` before every name.

    Example:
        >>> with Prefix("net_") as names:
        ...     print(names.get(None, "relu"), names.get("mine", "relu"))
        net_relu0 net_mine
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """Return the given or automatic name with the prefix before it."""
        return self._prefix + super().get(name, hint)


def innermost() -> NameManager:
    """Return the innermost name manager of this thread."""
    scope = _entered.get()
    if scope is not None:
        return scope[0]
    if _outermost.manager is None:
        _outermost.manager = NameManager()
    return _outermost.manager


_suggest_members(globals())
