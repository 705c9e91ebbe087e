"""Checks of an optimizer's or schedule's settings from a file, before they are applied."""

from collections.abc import Mapping
from itertools import pairwise
from pickle import UnpicklingError
from typing import Any

from hy_gluon.lr_scheduler import CosineScheduler, LRScheduler, PolyScheduler
from hy_gluon.optimizer.checks import Check, by_index, count, number, of_parts, optional
from hy_ndarray import HyError

__all__ = ["StatesError", "check_optimizer", "check_schedule"]


class StatesError(HyError, UnpicklingError, ValueError, AssertionError):
    """States cannot be written, or do not match the optimizer."""


def _flag(value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, int) and value in (0, 1))


def _is_decay_rate(value: Any) -> bool:
    """Return whether a value is the decay rate of a running mean, between 0 and 1."""
    return number(value) and 0 <= value < 1


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _of_symbol(value: Any) -> bool:
    """Return whether a value is empty, or has attributes and names of a symbol's variables."""
    if not value:
        return isinstance(value, tuple | list)
    return of_parts(by_index(by_index(_text)), lambda names: isinstance(names, list))(value)


_OPTIMIZER: dict[str, Check] = {
    # A file is not trusted: a wrong type here would fail in the middle of the first step.
    "lr": optional(number),
    "wd": number,
    "rescale_grad": number,
    "clip_gradient": optional(number),
    "lr_scheduler": optional(lambda value: isinstance(value, LRScheduler)),
    "lr_mult": by_index(number),
    "wd_mult": by_index(number),
    "begin_num_update": count,
    "num_update": count,
    "_index_update_count": by_index(count),
    "_all_index_update_counts": lambda value: (
        by_index(by_index(count))(value) and all(isinstance(key, int) for key in value)
    ),
    "beta1": _is_decay_rate,
    "beta2": _is_decay_rate,
    "multi_precision": _flag,
    "aggregate_num": count,
    "idx2name": by_index(_text),
    "sym_info": _of_symbol,
}


def _steps(value: Any) -> bool:
    if isinstance(value, tuple | list):
        rising = all(map(number, value)) and all(a < b for a, b in pairwise(value))
        return bool(value) and rising and value[0] >= 1
    return number(value) and value >= 1


_SCHEDULE: dict[str, Check] = {
    "warmup_steps": count,
    "warmup_mode": lambda value: value in ("linear", "constant"),
    "step": _steps,
    "factor": lambda value: number(value) and 0 <= value <= 1,
    "count": lambda value: number(value) and value >= 0,
    "cur_step_ind": count,
    "max_update": lambda value: number(value) and value >= 1,
    "power": lambda value: number(value) and value >= 0,
}


def _like(present: Any) -> Check:
    """Return a check of values that may replace ``present``, the current value of a setting."""
    if present is None:
        return lambda _: True
    if isinstance(present, bool):
        return _flag
    if isinstance(present, int | float):
        return number
    if isinstance(present, tuple | list):
        return lambda value: isinstance(value, tuple | list)
    return lambda value: isinstance(value, type(present))


def check_optimizer(values: Mapping[Any, Any], present: Any, special: Mapping[str, Check]) -> None:
    """Check saved settings of an optimizer.

    Args:
        values: The settings by name.
        present: Optimizer that is to get the settings.
        special: Checks of settings that only its class has.

    Raises:
        StatesError: A value is invalid; names the setting.
    """
    _check_settings(values, present, {**_OPTIMIZER, **special})
    if values.get("lr", 0.0) is None and values.get("lr_scheduler") is None:
        raise _error(present, "lr", None)
    if values.get("aggregate_num", 0) > 0 and present.aggregate_num == 0:
        raise _error(present, "aggregate_num", values["aggregate_num"])  # takes one at a time


def check_schedule(values: Mapping[Any, Any], present: LRScheduler) -> None:
    """Check saved values of a schedule of the same class.

    Raises:
        StatesError: A value is missing or invalid; names the setting.
    """
    _check_settings(values, present, _SCHEDULE)
    missing = {
        name
        for name in vars(present).keys() - values.keys()
        # Older versions of MXNet pickled schedules without a warm-up.
        if not name.startswith("warmup")
    }
    if missing:
        name = type(present).__name__
        raise StatesError(f"the states lack {min(missing)!r} of the schedule {name}")
    if isinstance(present, PolyScheduler | CosineScheduler):
        span = values["max_update"] - values.get("warmup_steps", 0)
        if 0 < values["max_steps"] < span:  # the curve would be followed beyond its end
            raise _error(present, "max_steps", values["max_steps"])
    if isinstance(values.get("step"), tuple | list) != isinstance(vars(present).get("step"), list):
        raise _error(present, "step", values["step"])


def _is_behaviour(present: Any, name: str) -> bool:
    """Return whether a name is a method or property of the class, which files must not replace."""
    kind = type(present)
    # Otherwise a file could replace a method by a value of its own.
    return hasattr(kind, name) and not isinstance(getattr(kind, name), bool | int | float | str)


def _check_settings(values: Mapping[Any, Any], present: Any, checks: Mapping[str, Check]) -> None:
    known = vars(present)
    for name, value in values.items():
        if not isinstance(name, str) or (name not in known and _is_behaviour(present, name)):
            raise StatesError(
                f"the states set {str(name)[:40]!r}, which is no setting of "
                f"{type(present).__name__}"
            )
        if name in known and not checks.get(name, _like(known[name]))(value):
            raise _error(present, name, value)


def _error(present: Any, name: str, value: Any) -> StatesError:
    shown = f"{type(value).__name__} {str(value)[:60]!r}"
    return StatesError(f"the states set {name} of {type(present).__name__} to {shown}")
