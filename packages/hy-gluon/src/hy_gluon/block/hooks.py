"""HookHandle: a registered hook, which can be detached."""

from collections.abc import Callable, Collection, Mapping, MutableMapping
from itertools import count
from typing import Any, Protocol, Self

__all__ = ["HookHandle", "has_hooks", "version"]

_ids = count()
# `next(count)` is atomic under the GIL; `+= 1` is not, and could miss a change.
_counts = count(1)
_changes = [0]


def version() -> int:
    """Return a counter that changes whenever a hook is attached or detached."""
    return _changes[0]


class _Hooked(Protocol):
    """Protocol of a block with hooks and children."""

    @property
    def _forward_hooks(self) -> Collection[Any]: ...

    @property
    def _forward_pre_hooks(self) -> Collection[Any]: ...

    @property
    def _children(self) -> Mapping[str, Any]: ...


def has_hooks(block: _Hooked) -> bool:
    """Return whether a block or one of its descendants has a hook."""
    return bool(block._forward_hooks or block._forward_pre_hooks) or any(
        has_hooks(child) for child in block._children.values()
    )


class HookHandle:
    """Registered hook, detached by :meth:`detach` or at the end of a ``with`` block."""

    def __init__(self) -> None:
        self._hooks: MutableMapping[int, Callable[..., Any]] | None = None
        # The id is the key, so that detaching costs no search and other hooks keep their order.
        self.id = next(_ids)

    def attach(self, hooks_dict: MutableMapping[int, Callable[..., Any]], hook: Any) -> None:
        """Add ``hook`` to ``hooks_dict``."""
        assert self._hooks is None, "the handle is attached already"
        hooks_dict[self.id] = hook
        _changes[0] = next(_counts)  # two threads at once leave no number twice
        self._hooks = hooks_dict

    def detach(self) -> None:
        """Detach the hook; a second call has no effect."""
        if self._hooks is not None:
            self._hooks.pop(self.id, None)
            _changes[0] = next(_counts)
        self._hooks = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.detach()
