"""Constants on a device, copied there once, and the tensors that a captured graph reads.

A CUDA graph reads memory by address each time it runs. What it reads beside its inputs, such as a
constant of this module, has to live as long as the graph, whatever is dropped from caches.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

import torch

__all__ = ["captured_reads", "constant", "is_recording", "keep", "on_device"]

F = TypeVar("F", bound=Callable[..., Any])
Numbers: TypeAlias = tuple[float, ...] | tuple[tuple[float, ...], ...]

_MAX_VALUES = 1024
"""Results of one function that are kept at once."""


class _Reads(threading.local):
    """Tensors read by the graph that this thread captures, if it captures one."""

    values: list[Any] | None = None


_reads = _Reads()


@contextmanager
def captured_reads() -> Iterator[list[Any]]:
    """Scope that gives a list of the tensors that only captured work keeps alive."""
    before = _reads.values
    values: list[Any] = []
    _reads.values = values
    try:
        yield values
    finally:
        _reads.values = before


def is_recording() -> bool:
    """Return whether this thread captures work inside of :func:`captured_reads`."""
    return _reads.values is not None


def keep(value: Any) -> None:
    """Keep a value alive as long as the graph that this thread captures."""
    if _reads.values is not None:
        _reads.values.append(value)


def on_device(function: F) -> F:
    """Return a function that caches its results by device; its results must not be written to.

    What is made while work is captured has its values only after the graph has run, and is not kept
    for other calls.
    """
    cache: dict[tuple[Any, ...], Any] = {}

    @wraps(function)
    def cached(*args: Any) -> Any:
        value = cache.get(args)
        if value is None:
            value = function(*args)
            if _reads.values is None:
                if len(cache) >= _MAX_VALUES:
                    cache.clear()
                cache[args] = value
        if _reads.values is not None:
            _reads.values.append(value)
        return value

    cached.cache_clear = cache.clear  # type: ignore[attr-defined]
    return cast("F", cached)


@on_device
def constant(values: Numbers, dtype: torch.dtype, device: torch.device) -> torch.Tensor:
    """Return numbers as a cached tensor, which must not be written to."""
    return torch.tensor(values, dtype=dtype, device=device)
