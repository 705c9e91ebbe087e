"""What a call allocates."""

import tracemalloc
from collections.abc import Callable
from typing import Any

__all__ = ["peak"]


def peak(call: Callable[[], Any]) -> int:
    """The most bytes that a call holds at a time, of those it allocates; it was called before."""
    call()
    call()
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
