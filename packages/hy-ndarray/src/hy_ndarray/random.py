"""Random numbers: one generator per context, and its seed."""

import threading
from typing import Any

import numpy as np

from hy_ndarray import _dispatch
from hy_ndarray._errors import ArgumentError
from hy_ndarray._tables import Device
from hy_ndarray.context import Context

__all__ = ["generator", "seed"]

_lock = threading.Lock()
_seeds: dict[Context, int] = {}
_generators: dict[Device, Any] = {}
_root: list[np.random.SeedSequence] = [np.random.SeedSequence()]


def _seed_of(context: Context) -> int:
    """Seed of a context that was given none of its own: from the common one and its name."""
    if context in _seeds:
        return _seeds[context]
    key = (context.device_typeid, context.device_id)
    sequence = np.random.SeedSequence(entropy=_root[0].entropy, spawn_key=key)
    return int(sequence.generate_state(1, np.uint64)[0])


def generator(device: Device) -> Any:
    """The random generator of a device, of the kind its kernel table draws from."""
    found = _generators.get(device)
    if found is None:
        with _lock:
            seeded = device.table.generator(_seed_of(device.context), device.handle)
            found = _generators.setdefault(device, seeded)
    return found


def seed(seed_state: int, ctx: Context | str = "all") -> None:
    """Seed the generator of one context, or of all of them.

    The numbers differ from MXNet's for the same seed; they are the same in every run of hy.

    Args:
        seed_state: Any integer.
        ctx: A context, or ``"all"``.

    Raises:
        ArgumentError: ``seed_state`` is no integer.

    Example:
        >>> from hy_ndarray import nd
        >>> seed(7); first = nd.random.uniform(shape=(2,)).asnumpy()
        >>> seed(7); bool((nd.random.uniform(shape=(2,)).asnumpy() == first).all())
        True
    """
    if not isinstance(seed_state, int | np.integer):
        raise ArgumentError(f"seed: seed_state is a {type(seed_state).__name__}, not an integer")
    number = int(seed_state) % 2**64
    with _lock:
        if isinstance(ctx, str):
            _root[0] = np.random.SeedSequence(number)
            _seeds.clear()
            _generators.clear()
            return
        _seeds[ctx] = number
        for device in [device for device in _generators if device.context == ctx]:
            del _generators[device]


_dispatch.hooks.generator = generator
