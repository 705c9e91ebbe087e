"""Places: which block a thread is in, so that graphs and the profiler can name it."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from hy_ndarray.observing import Observer, Place, at, place
from hy_symbol import current_trace

if TYPE_CHECKING:
    from hy_gluon.block.base import Block

__all__ = ["child_name", "entered", "observed_run"]


_current: "ContextVar[Block | None]" = ContextVar("block", default=None)


def child_name(outer: "Block", inner: "Block") -> str:
    """What ``outer`` calls the block inside it; that block's own name if it is no child."""
    names = [name for name, child in outer._children.items() if child is inner]
    return names[0] if names else inner.name


@contextmanager
def entered(block: "Block", *, as_root: bool = False) -> Iterator[None]:
    """A scope inside ``block``.

    Args:
        block: The block.
        as_root: The path begins with it, whatever is around it.
    """
    outer = _current.get()
    path = block.name
    if outer is block and not as_root:
        path = place().block
    elif outer is not None and not as_root:
        path = f"{place().block}.{child_name(outer, block)}"
    _current.set(block)
    try:
        with at(Place(path)):
            yield
    finally:
        _current.set(outer)


def observed_run(block: "Block", args: tuple[Any, ...], observer: Observer) -> Any:
    """Run ``block``, and show the observer that."""
    if current_trace() is not None:  # nothing runs; the graph keeps the places
        return block._run(*args)
    with entered(block), observer.span(place().block, "block", {"class": type(block).__name__}):
        return block._run(*args)
