"""Optimizer states as bytes of numbers and strings only, so that loading runs no code.

hy-io defines the format (``hy_io.save_states``); this module converts hy's arrays and schedules.
"""

import copy
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from hy_gluon import lr_scheduler
from hy_gluon.optimizer.checks import scale
from hy_gluon.optimizer.optimizer import Optimizer, OptimizerError
from hy_gluon.optimizer.settings import StatesError, check_optimizer, check_schedule
from hy_io import (
    FileFormatError,
    FileLimitError,
    Schedule,
    dumps_states,
    loads_states,
    read_pickled_states,
)
from hy_ndarray import HyError, NDArray, cpu, nd

# Protocol 2 and above begin with PROTO; hy's own files do not.
_PICKLE = b"\x80"

__all__ = ["LoadedStates", "StatesError", "dump_optimizer", "dumps", "loads"]


def dumps(value: Any) -> bytes:
    """Return a value as bytes: arrays, numbers and strings in nested tuples, lists, dictionaries.

    Raises:
        StatesError: A value has another type; names its position.
    """
    try:
        return dumps_states(_serializable(value))
    except TypeError as error:
        raise StatesError(f"{error}. Leave it out in __getstate__") from error


def _serializable(value: Any) -> Any:
    """Return a value for hy-io: arrays as numpy arrays, and schedules by name."""
    if isinstance(value, NDArray):
        return value.asnumpy()
    if isinstance(value, lr_scheduler.LRScheduler):
        return Schedule(type(value).__name__, _serializable(dict(vars(value))))
    return _each(_serializable, value)


def _each(change: Callable[[Any], Any], value: Any) -> Any:
    if isinstance(value, list):
        return [change(x) for x in value]
    if isinstance(value, tuple):
        return tuple(change(x) for x in value)
    if isinstance(value, dict):
        return {key: change(x) for key, x in value.items()}
    return value


class LoadedStates(NamedTuple):
    """Saved states that were read and checked, but not applied yet."""

    states: dict[Any, Any]
    """What the optimizer keeps, by number or name of the parameter."""
    optimizer: Optimizer
    """The one to go on with: that which was there, or a new one of the saved kind."""
    settings: dict[str, Any] | None
    """Its saved settings, if there were any."""
    schedule: tuple[lr_scheduler.LRScheduler, dict[str, Any]] | None
    """A schedule that is there, and its saved values."""

    def apply(self) -> Optimizer:
        """Apply the saved settings to the optimizer, and return it; unchanged if that fails.

        Raises:
            StatesError: A user-defined ``__setstate__`` raised an error.
        """
        optimizer = self.optimizer
        if self.settings is None:
            return optimizer
        before = dict(vars(optimizer))
        try:
            optimizer.__setstate__(self.settings)
        # Restored whatever fails, since a user's __setstate__ may have changed half of it.
        except Exception as error:
            vars(optimizer).clear()
            vars(optimizer).update(before)
            name = type(optimizer).__name__
            raise StatesError(f"{name}.__setstate__ refuses the saved settings: {error}") from error
        if self.schedule is not None:
            schedule, values = self.schedule
            vars(schedule).update(values)
        # MXNet's current device is the lowest one after loading.
        counts = optimizer._all_index_update_counts
        optimizer._index_update_count = counts.setdefault(min(counts, default=0), {})
        return optimizer


def loads(data: bytes, present: Optimizer) -> LoadedStates:
    """Return the states in bytes of :func:`dumps`, or in a pickle of MXNet, whose code is not run.

    ``present`` is unchanged before :meth:`LoadedStates.apply`.

    Args:
        data: The bytes.
        present: The current optimizer; gets the settings if it has the saved class. Its schedule
            gets the values of a saved schedule of the same class.

    Raises:
        StatesError: The bytes are damaged, of another kind, or contain invalid settings.
    """
    try:
        stored = _of_pickle(data, present) if data[:1] == _PICKLE else loads_states(data)
    # A limit is the user's to raise; the bytes are not damaged.
    except FileLimitError:
        raise
    except FileFormatError as error:
        raise StatesError(f"the optimizer states are damaged: {error}") from error
    states = stored.get("states") if isinstance(stored, dict) else None
    if not isinstance(states, dict):
        raise StatesError("the bytes are not optimizer states")
    saved = stored.get("optimizer")
    if saved is None:
        restored = _restored(states)
        _check_states(restored, present, {})
        return LoadedStates(restored, present, settings=None, schedule=None)
    name, values = _name_and_values(saved)
    if _OF_MXNET_2 in values:
        values, states = _settings_of_mxnet_2(name, values, states)
    # Found before anything is checked, as checks depend on the optimizer's class.
    optimizer = _of_kind(name, present)
    settings = {key: x for key, x in values.items() if key not in {"param_dict", "lr_scheduler"}}
    settings = _restored(settings)
    schedule = None
    if "lr_scheduler" in values:
        settings["lr_scheduler"], schedule = _schedule(values["lr_scheduler"], present.lr_scheduler)
    checks = optimizer.saved_checks
    if not _is_own(optimizer):
        checks = {"rescale_grad": scale, **checks}  # a user's class need not know of it
    check_optimizer(settings, optimizer, checks)
    restored = _restored(states)
    _check_states(restored, optimizer, settings)
    return LoadedStates(restored, optimizer, settings=settings, schedule=schedule)


def _of_pickle(data: bytes, present: Optimizer) -> dict[str, Any]:
    """Return the states in a pickle of MXNet, with optimizers and schedules as records."""
    kinds: set[type] = {*Optimizer.opt_registry.values(), type(present)}
    if present.lr_scheduler is not None:
        # Names only: the pickle's objects become records, whatever the classes are.
        kinds.add(type(present.lr_scheduler))
    names = {f"{kind.__module__} {kind.__qualname__}" for kind in kinds}
    return read_pickled_states(data, classes=names)


_OF_MXNET_2 = "use_fused_step"
_IMPLEMENTATION_SETTINGS = (_OF_MXNET_2, "aggregate_num", "allow_np_array")


def _settings_of_mxnet_2(
    name: str, values: dict[Any, Any], states: dict[Any, Any]
) -> tuple[dict[Any, Any], dict[Any, Any]]:
    """Return settings and states of MXNet 2, converted to those of MXNet 1.9."""
    settings = {key: value for key, value in values.items() if key not in _IMPLEMENTATION_SETTINGS}
    factor = settings.get("rescale_grad")
    # MXNet 2 keeps the factor on the device for some optimizers.
    if isinstance(factor, np.ndarray) and factor.size == 1:
        settings["rescale_grad"] = float(factor.item())
    if name == "rmsprop":
        for old, new in (("rho", "gamma1"), ("momentum", "gamma2")):
            if old in settings:
                settings[new] = settings.pop(old)
        states = {i: (x,) if isinstance(x, np.ndarray) else x for i, x in states.items()}
    return settings, states


def _is_own(optimizer: Optimizer) -> bool:
    """Return whether the class of an optimizer is defined in this package."""
    return type(optimizer).__module__.startswith(__package__)


def _check_states(states: dict[Any, Any], optimizer: Optimizer, settings: dict[str, Any]) -> None:
    """Raise an error if states have another structure than the optimizer creates."""
    if not _is_own(optimizer):
        # The structure of a user's states is known to nobody else.
        return
    trial = copy.copy(optimizer)
    # Copies of what is kept by parameter: creating a state may note the shape of the trial weight.
    own = {**vars(trial), **settings}
    vars(trial).update({name: dict(x) if isinstance(x, dict) else x for name, x in own.items()})
    trial.param_dict = optimizer.param_dict
    for index, state in states.items():
        if not _is_of(index, state, trial):
            raise StatesError(
                f"the states of parameter {index!r} have another structure than those of "
                f"{type(optimizer).__name__}"
            )


def _is_of(index: Any, state: Any, trial: Optimizer) -> bool:
    """Return whether a state has the structure that an optimizer creates for a parameter."""
    parameter = trial.param_dict.get(index)
    shape = None if parameter is None else parameter.shape
    # Some treat vectors otherwise than matrices.
    ranks = (2, 1) if shape is None else (len(shape),)
    for rank in ranks:
        try:
            # States of a trial weight show the structure: nothing is trained with it.
            expected = trial.create_state(index, nd.zeros((1,) * rank))
        except OptimizerError:  # it takes no weights of this rank
            continue
        if _is_like(state, expected) or (
            isinstance(state, tuple | list)  # with a float32 copy of a weight of 16 bits
            and len(state) == 2  # noqa: PLR2004
            and isinstance(state[0], NDArray)
            and _is_like(state[1], expected)
        ):
            return True
    return False


def _is_like(state: Any, expected: Any) -> bool:
    if isinstance(expected, tuple):
        return (
            isinstance(state, tuple | list)
            and len(state) == len(expected)
            and all(map(_is_like, state, expected))
        )
    return isinstance(state, NDArray) or (state is None and expected is None)


def _restored(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        try:
            return nd.array(value, ctx=cpu(), dtype=value.dtype)
        except HyError as error:
            raise StatesError(f"the optimizer states hold an array of {value.dtype}") from error
    if isinstance(value, Schedule):
        raise StatesError(f"the states hold the schedule {value.name} in the place of an array")
    return _each(_restored, value)


def _name_and_values(saved: Any) -> tuple[str, dict[Any, Any]]:
    name, values = (
        (saved.get("name"), saved.get("values")) if isinstance(saved, dict) else (None, None)
    )
    if not isinstance(name, str) or not isinstance(values, dict):
        raise StatesError("the states hold an optimizer without name or settings")
    return name, values


_SCHEDULES: dict[str, Callable[[], lr_scheduler.LRScheduler]] = {
    "LRScheduler": lr_scheduler.LRScheduler,
    "FactorScheduler": lambda: lr_scheduler.FactorScheduler(1),
    "MultiFactorScheduler": lambda: lr_scheduler.MultiFactorScheduler([1]),
    "PolyScheduler": lambda: lr_scheduler.PolyScheduler(1),
    "CosineScheduler": lambda: lr_scheduler.CosineScheduler(1),
}
"""One of each class, to be given saved values."""


def _schedule(
    saved: Any, present: lr_scheduler.LRScheduler | None
) -> tuple[Any, tuple[lr_scheduler.LRScheduler, dict[str, Any]] | None]:
    """Return the schedule to continue with, and the saved values for ``present``."""
    if not isinstance(saved, Schedule):
        return saved, None
    values = _restored(saved.values)
    if present is not None and type(present).__name__ == saved.name:
        check_schedule(values, present)
        return present, (present, values)
    if saved.name not in _SCHEDULES:
        raise StatesError(
            f"the states hold a learning-rate schedule {saved.name}, which is not hy's own; make "
            "the optimizer with one, and load the states then"
        )
    schedule = _SCHEDULES[saved.name]()
    check_schedule(values, schedule)
    vars(schedule).update(values)
    return schedule, None


def dump_optimizer(optimizer: Optimizer) -> dict[str, Any]:
    """Return the settings and counts of an optimizer, for :func:`dumps`."""
    return {"name": type(optimizer).__name__.lower(), "values": optimizer.__getstate__()}


def _of_kind(name: str, present: Optimizer) -> Optimizer:
    """Return ``present`` if its class is called ``name``, else a new optimizer of that class.

    Raises:
        StatesError: No optimizer of the kind is registered.
    """
    if type(present).__name__.lower() == name:
        return present
    kind = Optimizer.opt_registry.get(name)
    if kind is None:
        known = ", ".join(sorted(Optimizer.opt_registry))
        raise StatesError(f"the states are of an optimizer {name!r}, not one of {known}")
    return _fresh(kind)


def _fresh(kind: type[Optimizer]) -> Optimizer:
    """Return a new optimizer with default settings, made without ``__init__`` if that fails."""
    try:
        return kind()
    except TypeError:  # a user's optimizer, which cannot be made without arguments
        return kind.__new__(kind)
