"""Instrumentation: reports what runs to an observer such as the profiler.

Nothing here is on the way of a call that nobody observes: things that run kernels *subscribe*, and
are notified when an observer comes or goes; they then return its variants of their kernels, or the
unwrapped ones again.
"""

import os
import threading
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from contextvars import ContextVar
from types import TracebackType
from typing import Any, NamedTuple, Protocol, TypeAlias
from weakref import WeakSet

from hy_ndarray.devices._protocols import KernelFunction, ServedContext

__all__ = [
    "Details",
    "Observer",
    "ScopePath",
    "Target",
    "at",
    "observe",
    "scope_path",
    "span",
    "subscribe",
    "unwrap",
    "watch",
]

Details: TypeAlias = Mapping[str, Any]
"""What is known of an event beside its name: node, block, line …"""


class Observer(Protocol):
    """Interface of observers."""

    def eager(self, kernel: KernelFunction, name: str, device: ServedContext) -> KernelFunction:
        """Return the observed variant of a kernel for calls on arrays.

        The kernel itself is its attribute ``unwrapped``, if it is another one.
        """

    def step(
        self, kernel: KernelFunction, name: str, device: ServedContext, details: Details
    ) -> KernelFunction:
        """Return the observed variant of a kernel for a graph's step of an operator."""

    def spanned(
        self, function: Callable[..., Any], name: str, category: str, details: Details
    ) -> Callable[..., Any]:
        """Return a function that runs inside a :meth:`span`."""

    def span(
        self, name: str, category: str, details: Details | None = None
    ) -> AbstractContextManager[None]:
        """Return a scope of time that contains other events."""

    def custom(self, name: str) -> AbstractContextManager[None]:
        """Return the scope of a custom operator's Python code."""


class Target(Protocol):
    """Runner of kernels that can be observed."""

    def observe(self, observer: Observer | None) -> None:
        """Use the observer's variants from now on; None: the kernels themselves."""


class _Watch:
    """Current observer, for code that is not time-critical."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        self.observer: Observer | None = None


watch = _Watch()
_targets: WeakSet[Target] = WeakSet()
_lock = threading.RLock()


def _after_fork() -> None:
    """Replace the lock in a child process, whose other threads are gone."""
    global _lock  # noqa: PLW0603  # a lock cannot be released for another thread
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def subscribe(target: Target) -> None:
    """Tell ``target`` the current observer, and later ones, while it lives."""
    with _lock:
        _targets.add(target)
        if watch.observer is not None:
            target.observe(watch.observer)


def observe(observer: Observer | None) -> None:
    """Report everything that runs from now on to ``observer``; None: to nobody."""
    with _lock:
        watch.observer = observer
        for target in list(_targets):
            target.observe(observer)


def unwrap(kernel: KernelFunction) -> KernelFunction:
    """Return the kernel inside an observer's variant; unchanged if it is none."""
    return getattr(kernel, "unwrapped", kernel)


def span(name: str, category: str, details: Details | None = None) -> AbstractContextManager[None]:
    """Return a scope that is reported to the observer, if there is one."""
    observer = watch.observer
    return nullcontext() if observer is None else observer.span(name, category, details)


class ScopePath(NamedTuple):
    """Scope path in a model at which events happen."""

    block: str = ""
    """The path to the block: ``net.features.0``."""
    forward: str = ""
    """The node whose gradient is computed, if one is."""


_current_path = ContextVar("scope_path", default=ScopePath())  # noqa: B039  # a named tuple does not change


def scope_path() -> ScopePath:
    """Return the scope path of this thread."""
    return _current_path.get()


class at:  # noqa: N801  # read as a preposition
    """Scope that sets the scope path.

    It is no generator: one that a signal cuts off would be ended late, by the garbage collector,
    and undo what outer scopes restored meanwhile.

    Args:
        path: The path.

    Example:
        >>> with at(ScopePath("net.features")):
        ...     print(scope_path().block)
        net.features
    """

    __slots__ = ("_outer", "_path")

    def __init__(self, path: ScopePath) -> None:
        self._path = self._outer = path

    def __enter__(self) -> None:
        self._outer = _current_path.get()
        _current_path.set(self._path)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _current_path.set(self._outer)
