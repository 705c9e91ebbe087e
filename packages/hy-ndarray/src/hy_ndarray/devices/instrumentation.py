"""Instrumentation: reporting of executed work to an observer such as the profiler.

Without an observer calls have no overhead: objects that run kernels *subscribe*, are notified when
an observer is set or removed, and then swap their kernels for the observer's variants or back.
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
"""Attributes of an event besides its name: node, block, line …"""


class Observer(Protocol):
    """Interface of observers, such as the profiler."""

    def eager(self, kernel: KernelFunction, name: str, device: ServedContext) -> KernelFunction:
        """Return a kernel's observed variant, for eager calls on arrays.

        If it is another function than the kernel, its attribute ``unwrapped`` is the kernel.
        """

    def step(
        self, kernel: KernelFunction, name: str, device: ServedContext, details: Details
    ) -> KernelFunction:
        """Return a kernel's observed variant, for an operator's step in a graph."""

    def spanned(
        self, function: Callable[..., Any], name: str, category: str, details: Details
    ) -> Callable[..., Any]:
        """Return the function wrapped to run inside a :meth:`span`."""

    def span(
        self, name: str, category: str, details: Details | None = None
    ) -> AbstractContextManager[None]:
        """Return a scope that is reported as a span of time containing other events."""

    def custom(self, name: str) -> AbstractContextManager[None]:
        """Return the scope in which a custom operator's Python code runs."""


class Target(Protocol):
    """Object that runs kernels and can be observed."""

    def observe(self, observer: Observer | None) -> None:
        """Use the observer's variants of kernels from now on; None: the kernels themselves."""


class _Watch:
    """Holder of the current observer, for code that is not time-critical."""

    __slots__ = ("observer",)

    def __init__(self) -> None:
        self.observer: Observer | None = None


# An object and not a global, of which importing modules would keep the value of their import.
watch = _Watch()
_targets: WeakSet[Target] = WeakSet()
_lock = threading.RLock()


def _after_fork() -> None:
    """Replace the lock in a child process, whose other threads are gone."""
    global _lock  # noqa: PLW0603  # held by a thread that does not exist here
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def subscribe(target: Target) -> None:
    """Notify ``target`` of the current observer and of later ones, while it lives."""
    # One lock for both functions: a target that is added while an observer is set must not miss it.
    with _lock:
        _targets.add(target)
        if watch.observer is not None:
            target.observe(watch.observer)


def observe(observer: Observer | None) -> None:
    """Report everything that runs from now on to ``observer``; None: stop reporting."""
    with _lock:
        watch.observer = observer
        for target in list(_targets):
            target.observe(observer)


def unwrap(kernel: KernelFunction) -> KernelFunction:
    """Return the kernel inside an observer's variant; other kernels unchanged."""
    return getattr(kernel, "unwrapped", kernel)


def span(name: str, category: str, details: Details | None = None) -> AbstractContextManager[None]:
    """Return a scope that is reported to the observer as a span; no effect without an observer."""
    observer = watch.observer
    return nullcontext() if observer is None else observer.span(name, category, details)


class ScopePath(NamedTuple):
    """Path of scopes in a model, such as ``net.features.0``, to which events belong."""

    block: str = ""
    """The path of the block, such as ``net.features.0``."""
    forward: str = ""
    """The forward node whose gradient is being computed; empty in the forward pass."""


_current_path = ContextVar("scope_path", default=ScopePath())  # noqa: B039  # a named tuple does not change


def scope_path() -> ScopePath:
    """Return the current scope path of this thread."""
    return _current_path.get()


class at:  # noqa: N801  # read as a preposition
    """Scope that sets the current scope path.

    It is a class and not a generator: a generator interrupted by a signal would be closed late, by
    the garbage collector, after outer scopes have restored their paths.

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
