"""Automatic names of nodes: ``convolution0``, ``relu1``, and prefixes."""

import threading
from types import TracebackType
from typing import Any, Self

__all__ = ["NameManager", "Prefix", "current"]


class _Current(threading.local):
    manager: "NameManager | None" = None


_current = _Current()


class _InnermostOfThread:
    """The class attribute ``current``, as MXNet has it: what :func:`current` returns."""

    def __get__(self, instance: Any, owner: Any) -> "NameManager":
        return current()


class NameManager:
    """Gives every unnamed node a name out of a hint and a counter; a scope.

    Example:
        >>> with NameManager() as names:
        ...     print(names.get(None, "conv"), names.get(None, "conv"), names.get("mine", "conv"))
        conv0 conv1 mine
    """

    current = _InnermostOfThread()

    def __init__(self) -> None:
        self._counter: dict[str, int] = {}
        self._outer: list[NameManager | None] = []

    def get(self, name: str | None, hint: str) -> str:
        """``name`` if there is one, else the next name for ``hint``."""
        if name:
            return name
        count = self._counter.get(hint, 0)
        self._counter[hint] = count + 1
        return f"{hint}{count}"

    def __enter__(self) -> Self:
        self._outer.append(_current.manager)
        _current.manager = self
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current.manager = self._outer.pop()


class Prefix(NameManager):
    """A name manager that puts ``prefix`` in front of every name.

    Example:
        >>> with Prefix("net_") as names:
        ...     print(names.get(None, "relu"), names.get("mine", "relu"))
        net_relu0 net_mine
    """

    def __init__(self, prefix: str) -> None:
        super().__init__()
        self._prefix = prefix

    def get(self, name: str | None, hint: str) -> str:
        """The name with the prefix in front."""
        return self._prefix + super().get(name, hint)


def current() -> NameManager:
    """The innermost name manager of this thread."""
    if _current.manager is None:
        _current.manager = NameManager()
    return _current.manager
