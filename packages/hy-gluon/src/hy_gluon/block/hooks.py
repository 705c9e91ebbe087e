"""HookHandle: what registering a hook returns, to take the hook away again."""

from collections.abc import Callable, MutableMapping
from itertools import count
from types import TracebackType
from typing import Any, Self

__all__ = ["HookHandle", "version"]

_ids = count()
_counts = count(1)
_changes = [0]


def version() -> int:
    """Another number after each hook that was attached or detached: tells when to look again."""
    return _changes[0]


class HookHandle:
    """A registered hook; detached by :meth:`detach`, or at the end of a ``with``."""

    def __init__(self) -> None:
        self._hooks: MutableMapping[int, Callable[..., Any]] | None = None
        self.id = next(_ids)

    def attach(self, hooks: MutableMapping[int, Callable[..., Any]], hook: Any) -> None:
        """Put ``hook`` among ``hooks``."""
        assert self._hooks is None, "the handle is attached already"
        hooks[self.id] = hook
        _changes[0] = next(_counts)  # two threads at once leave no number twice
        self._hooks = hooks

    def detach(self) -> None:
        """Take the hook away; no effect the second time."""
        if self._hooks is not None:
            self._hooks.pop(self.id, None)
            _changes[0] = next(_counts)
        self._hooks = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.detach()
