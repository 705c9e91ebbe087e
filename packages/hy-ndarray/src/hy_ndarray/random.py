"""Random streams: one generator per context, and seeding.

A stream belongs to a context rather than to the kernel table that serves it: if another table is
selected, the stream continues. A context has one stream for each kind of generator that tables use.
"""

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

from hy_ndarray._errors import ArgumentError, ContextError
from hy_ndarray.devices._device import Device
from hy_ndarray.devices._levels import Level
from hy_ndarray.devices.context import Context
from hy_ndarray.devices.device_argument import takes_device

__all__ = ["before_draws", "drawing_from", "generator", "replaying", "seed", "undisturbed"]

R = TypeVar("R")

before_draws: ContextVar[Callable[[], object] | None] = ContextVar("before_draws", default=None)
"""Hook that is called before this thread draws numbers, and may raise, as tracers do.

If it returns a generator, numbers are drawn from that."""

_replayed: ContextVar[Callable[[Device], Any] | None] = ContextVar("replayed", default=None)
"""Function that returns generators instead of the contexts' own, while draws are replayed."""

_lock = threading.Lock()
_seeds: dict[Context, int] = {}
_streams: dict[Context, dict[type[Any], Any]] = {}
"""The generators of each context, by class of generator."""
_drawing: WeakSet[Device] = WeakSet()
"""Devices that cache the generator they draw from."""
_root: list[int] = [int.from_bytes(os.urandom(16))]
"""The common seed, of contexts that have no seed of their own."""


def _seed_of(context: Context) -> int:
    """Return the seed of a context that has none of its own: from the common seed and its name."""
    if context in _seeds:
        return _seeds[context]
    key = (context.device_typeid, context.device_id)
    sequence = np.random.SeedSequence(entropy=_root[0], spawn_key=key)
    return int(sequence.generate_state(1, np.uint64)[0])


def generator(device: Device) -> Any:
    """Return the random generator of a device, of the kind that its kernel table uses."""
    if isinstance(device, Level):  # its kernels draw from those below
        return device
    observer = before_draws.get()
    if observer is not None:
        instead = observer()
        if instead is not None:
            return instead
    replayed = _replayed.get()
    if replayed is not None:
        return replayed(device)
    generator_of = device.stream
    if generator_of is None:
        with _lock:
            fresh = device.table.generator(_seed_of(device.context), device.handle)
            generator_of = _streams.setdefault(device.context, {}).setdefault(type(fresh), fresh)
            device.stream = generator_of
            _drawing.add(device)
    return generator_of


@contextmanager
def undisturbed() -> Iterator[None]:
    """Return a context manager that ignores transforms' generators, for persistent values."""
    observing, replaying_before = before_draws.set(None), _replayed.set(None)
    try:
        yield
    finally:
        _replayed.reset(replaying_before)
        before_draws.reset(observing)


@contextmanager
def replaying(seed_of: Callable[[], int]) -> Iterator[None]:
    """Return a context manager in which draws are repeatable, from generators of fixed seeds.

    Args:
        seed_of: Returns the seed of these generators; called at the first draw.

    Example:
        >>> from hy_ndarray import nd
        >>> def draw():
        ...     with replaying(lambda: 3):
        ...         return nd.random.uniform(shape=(2,)).asnumpy()
        >>> bool((draw() == draw()).all())
        True
    """
    streams: dict[Device, Any] = {}
    outer = _replayed.get()

    def stream(device: Device) -> Any:
        if device not in streams:
            token = _replayed.set(outer)  # in which the seed may be drawn
            try:
                streams[device] = device.table.generator(seed_of(), device.handle)
            finally:
                _replayed.reset(token)
        return streams[device]

    token = _replayed.set(stream)
    try:
        yield
    finally:
        _replayed.reset(token)


def drawing_from(stream: Any, run: Callable[..., R]) -> Callable[..., R]:
    """Return ``run`` wrapped so that it draws from ``stream``.

    Args:
        stream: The generator, of the kind that the table uses.
        run: Function that draws random numbers in its calling thread.
    """

    def drawn(*args: Any) -> R:
        before = before_draws.set(lambda: stream)
        try:
            return run(*args)
        finally:
            before_draws.reset(before)

    return drawn


@takes_device
def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Seed the generator of one context, or of all of them.

    Draws are the same in every run of hy, but differ from MXNet's for the same seed.

    Args:
        seed_state: Any integer.
        ctx: A context, the name of its device type, or ``"all"``.

    Raises:
        ArgumentError: ``seed_state`` is not an integer.
        ContextError: ``ctx`` is neither a context nor ``"all"``.

    Example:
        >>> from hy_ndarray import nd
        >>> seed(7); first = nd.random.uniform(shape=(2,)).asnumpy()
        >>> seed(7); bool((nd.random.uniform(shape=(2,)).asnumpy() == first).all())
        True
    """
    if not isinstance(seed_state, int | np.integer):
        raise ArgumentError(f"seed: seed_state must be an integer, got {type(seed_state).__name__}")
    if not isinstance(ctx, str | Context):
        raise ContextError(f"seed: ctx={ctx!r} is neither a context nor 'all'")
    number = int(seed_state) % 2**64
    one = None if ctx == "all" else Context(ctx)
    with _lock:
        if one is None:
            _root[0] = number
            _seeds.clear()
            _streams.clear()
            _forget(_drawing)
            return
        _seeds[one] = number
        _streams.pop(one, None)
        _forget(device for device in _drawing if device.context == one)


def _forget(devices: Iterable[Device]) -> None:
    """Discard the generators of devices, so that they are created again with their seeds."""
    for device in devices:
        device.stream = None
