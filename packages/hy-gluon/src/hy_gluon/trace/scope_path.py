"""Scope paths: the path of the block that a thread runs, for graphs and the profiler."""

from collections.abc import Mapping
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Protocol

from hy_ndarray.devices.instrumentation import Observer, ScopePath, at, scope_path
from hy_symbol import current_trace

__all__ = ["Scoped", "child_name", "entered", "observed_run"]


class Scoped(Protocol):
    """Interface of a block with a name and children."""

    @property
    def name(self) -> str:
        """Name of the block outside of any other block."""

    @property
    def _children(self) -> Mapping[str, Any]: ...


class _Running(Scoped, Protocol):
    def _hy_run(self, *args: Any) -> Any: ...


_current: ContextVar[Scoped | None] = ContextVar("block", default=None)


def child_name(outer: Scoped, inner: Scoped) -> str:
    """Return the attribute name of ``inner`` in ``outer``; its own name if it is not a child."""
    names = [name for name, child in outer._children.items() if child is inner]
    return names[0] if names else inner.name


# A class, as `contextlib.contextmanager` costs a generator and two calls for each block.
class entered:  # noqa: N801  # read as a participle
    """Scope in which the current scope path is that of a block.

    A class rather than a generator-based context manager, which is slower.

    Args:
        block: The block.
        as_root: Begin the path with this block, ignoring enclosing blocks.
    """

    __slots__ = ("_as_root", "_at", "_block", "_outer")

    def __init__(self, block: Scoped, *, as_root: bool = False) -> None:
        self._block, self._as_root = block, as_root
        self._outer: Scoped | None = None
        self._at = at(ScopePath())

    def __enter__(self) -> None:
        outer, block = _current.get(), self._block
        path = block.name
        # A block that calls itself again (hybrid_forward by forward) is no child of itself.
        if outer is block and not self._as_root:
            path = scope_path().block
        elif outer is not None and not self._as_root:
            path = f"{scope_path().block}.{child_name(outer, block)}"
        self._outer = outer
        self._at = at(ScopePath(path))
        _current.set(block)
        self._at.__enter__()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        # The variable is set back rather than reset by a token: tracing runs in a copied context,
        # where tokens of another one are refused.
        self._at.__exit__(kind, error, trace)
        _current.set(self._outer)


def observed_run(block: _Running, args: tuple[Any, ...], observer: Observer) -> Any:
    """Run ``block`` with ``args``, and report its name and duration to the observer."""
    if current_trace() is not None:  # nothing runs; the graph keeps the places
        return block._hy_run(*args)
    with (
        entered(block),
        observer.span(scope_path().block, "block", {"class": type(block).__name__}),
    ):
        return block._hy_run(*args)
