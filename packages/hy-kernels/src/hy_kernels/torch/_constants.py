"""Constants cached on a device, and the tensors that captured CUDA graphs keep alive.

A CUDA graph reads memory by address each time it runs. The memory that it reads besides its inputs,
such as a constant of this module, must live as long as the graph, even if it is dropped from a
cache.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Any, TypeAlias, TypeVar, cast

import torch
from torch.compiler import is_compiling

F = TypeVar("F", bound=Callable[..., Any])
Numbers: TypeAlias = tuple[float, ...] | tuple[tuple[float, ...], ...]

_MAX_VALUES = 1024
"""Largest number of cached results of one function."""


class _Reads(threading.local):
    """Tensors that the graph being captured by this thread reads; None outside of a capture."""

    values: list[Any] | None = None


_reads = _Reads()


@contextmanager
def captured_reads() -> Iterator[list[Any]]:
    """Scope that yields a list, to which the tensors that captured work reads are appended."""
    before = _reads.values
    values: list[Any] = []
    _reads.values = values
    try:
        yield values
    finally:
        _reads.values = before


def is_recording() -> bool:
    """Return whether this thread is inside of a :func:`captured_reads` scope."""
    return _reads.values is not None


def keep(value: Any) -> None:
    """Keep a value alive as long as the graph that this thread captures, if it captures one."""
    if _reads.values is not None:
        _reads.values.append(value)


def on_device(function: F) -> F:
    """Return a function that caches its results by arguments, which include the device.

    Results must not be written to. A result computed during a capture is not cached, as it has its
    values only once the graph has run.
    """
    cache: dict[tuple[Any, ...], Any] = {}

    @wraps(function)
    def cached(*args: Any) -> Any:
        if is_compiling():  # an argument may be a symbol, which has no hash
            return function(*args)
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
