"""Optimizer states as bytes that hold numbers and text only: reading them runs no code.

hy-io defines the form (``hy_io.save_states``); here hy's arrays and schedules enter and leave it.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from hy_gluon import lr_scheduler
from hy_gluon.optimizer.optimizer import Optimizer
from hy_io import FileFormatError, Schedule, dumps_states, loads_states, read_pickled_states
from hy_ndarray import HyError, NDArray, cpu, nd

_PICKLE = b"\x80"

__all__ = ["StatesError", "dump_optimizer", "dumps", "load_optimizer", "loads"]


class StatesError(HyError, ValueError):
    """States cannot be written, or what was read is no states of this optimizer."""


def dumps(value: Any) -> bytes:
    """Arrays, numbers and texts, in any nesting of tuples, lists and dictionaries.

    Raises:
        StatesError: There is something else; names where.
    """
    try:
        return dumps_states(_stored(value))
    except TypeError as error:
        raise StatesError(f"{error}. Leave it out in __getstate__") from error


def _stored(value: Any) -> Any:
    """The value as hy-io writes it: numpy arrays, and schedules by name."""
    if isinstance(value, NDArray):
        return value.asnumpy()
    if isinstance(value, lr_scheduler.LRScheduler):
        return Schedule(type(value).__name__, _stored(dict(vars(value))))
    return _each(_stored, value)


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list):
        return [change(x) for x in value]
    if isinstance(value, tuple):
        return tuple(change(x) for x in value)
    if isinstance(value, dict):
        return {key: change(x) for key, x in value.items()}
    return value


def loads(data: bytes, scheduler: lr_scheduler.LRScheduler | None = None) -> Any:
    """What :func:`dumps` wrote, or MXNet pickled, of which nothing is run.

    Args:
        data: The bytes.
        scheduler: Takes the values of a saved schedule of its class.

    Raises:
        StatesError: They are damaged, or something else.
    """
    try:
        stored = read_pickled_states(data) if data[:1] == _PICKLE else loads_states(data)
    except FileFormatError as error:
        raise StatesError(f"the optimizer states are damaged: {error}") from error
    return _restored(stored, scheduler)


def _restored(value: Any, scheduler: lr_scheduler.LRScheduler | None) -> Any:
    if isinstance(value, np.ndarray):
        return nd.array(value, ctx=cpu(), dtype=value.dtype)
    if isinstance(value, Schedule):
        values = {key: _restored(x, scheduler) for key, x in value.values.items()}
        return _schedule(value.name, values, scheduler)
    return _each(lambda item: _restored(item, scheduler), value)


def _schedule(
    name: str, values: dict[str, Any], present: lr_scheduler.LRScheduler | None
) -> lr_scheduler.LRScheduler:
    if present is None or type(present).__name__ != name:
        if name not in lr_scheduler.__all__:
            raise StatesError(
                f"the states hold a learning-rate schedule {name}, which is not hy's own; make "
                "the optimizer with one, and load the states then"
            )
        kind = getattr(lr_scheduler, name)
        present = kind.__new__(kind)
    present.__dict__.update(values)
    return present


def dump_optimizer(optimizer: Optimizer) -> dict[str, Any]:
    """The settings and counts of an optimizer, for :func:`dumps`."""
    return {"name": type(optimizer).__name__.lower(), "values": optimizer.__getstate__()}


def load_optimizer(saved: dict[str, Any], present: Optimizer) -> Optimizer:
    """An optimizer with saved settings: ``present`` itself, if it is of the saved kind.

    Raises:
        StatesError: No optimizer of the saved kind is registered.
    """
    name = saved["name"]
    if type(present).__name__.lower() != name:
        kind = Optimizer.opt_registry.get(name)
        if kind is None:
            known = ", ".join(sorted(Optimizer.opt_registry))
            raise StatesError(f"the states are of an optimizer {name!r}, not one of {known}")
        present = _fresh(kind)
    present.__setstate__(saved["values"])
    counts = present._all_index_update_counts
    present._index_update_count = counts.setdefault(min(counts, default=0), {})
    return present


def _fresh(kind: type[Optimizer]) -> Optimizer:
    """An optimizer to be given saved values; MXNet saves fewer than hy keeps."""
    try:
        return kind()
    except TypeError:  # a user's optimizer, which cannot be made without arguments
        return kind.__new__(kind)
