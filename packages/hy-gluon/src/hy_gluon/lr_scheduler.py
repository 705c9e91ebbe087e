"""Learning-rate schedules: the rate as a function of the number of updates."""

import logging
import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from hy_ndarray import HyError
from hy_ndarray.suggestion import Suggesting, suggest_members as _suggest_members

__all__ = [
    "CosineScheduler",
    "FactorScheduler",
    "LRScheduler",
    "MultiFactorScheduler",
    "PolyScheduler",
    "ScheduleError",
]

_log = logging.getLogger(__name__)
_CHANGED = "Update[%d]: Change learning rate to %0.5e"
_ARRIVED = "Update[%d]: now learning rate arrived at %0.5e, will not change in the future"
"""MXNet's lines, which programs that draw logs look for."""


class ScheduleError(HyError, ValueError, AssertionError):
    """A schedule got invalid steps, factors or rates."""


class LRScheduler(Suggesting):
    """Base class of schedules: a warm-up, followed by the rates of the subclass.

    Args:
        base_lr: The rate after the warm-up.
        warmup_steps: Number of updates of the warm-up.
        warmup_begin_lr: Rate at the beginning of the warm-up; at most ``base_lr``.
        warmup_mode: ``"linear"`` raises the rate evenly, ``"constant"`` keeps it.

    Raises:
        ScheduleError: The numbers contradict each other.

    Source:
        Goyal et al. 2017, arXiv:1706.02677, section 2.2.
    """

    def __init__(
        self,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        name = type(self).__name__
        if not _is_whole(warmup_steps, 0):
            raise ScheduleError(
                f"{name}: warmup_steps is a whole number from 0, not {warmup_steps!r}"
            )
        if warmup_begin_lr > base_lr:
            raise ScheduleError(
                f"{name}: warmup_begin_lr {warmup_begin_lr} is above base_lr {base_lr}"
            )
        if warmup_mode not in ("linear", "constant"):
            raise ScheduleError(
                f"{name}: warmup_mode is 'linear' or 'constant', not {warmup_mode!r}"
            )
        self.base_lr = base_lr
        self.warmup_steps = warmup_steps
        self.warmup_final_lr = base_lr
        self.warmup_begin_lr = warmup_begin_lr
        self.warmup_mode = warmup_mode

    def get_warmup_lr(self, num_update: int) -> float:
        """Return the learning rate at update ``num_update`` of the warm-up."""
        assert num_update < self.warmup_steps
        if self.warmup_mode == "constant":
            return self.warmup_begin_lr
        rise = self.warmup_final_lr - self.warmup_begin_lr
        return self.warmup_begin_lr + rise * num_update / self.warmup_steps

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after ``num_update`` updates."""
        raise NotImplementedError(f"{type(self).__name__} must define __call__")


def _is_whole(number: object, low: int) -> bool:
    return isinstance(number, int | np.integer) and bool(number >= low)


def _checked_factor(name: str, factor: float) -> float:
    if factor > 1:
        raise ScheduleError(f"{name}: factor {factor} is above 1: the rate would grow")
    return factor


class FactorScheduler(LRScheduler):
    """Learning-rate schedule: the rate times ``factor`` after every ``step`` updates.

    Args:
        step: Number of updates between two reductions; at least 1.
        factor: At most 1.
        stop_factor_lr: Lowest rate after a reduction; a smaller ``base_lr`` becomes it at the first
            one.
        base_lr: See :class:`LRScheduler`.
        warmup_steps: See :class:`LRScheduler`.
        warmup_begin_lr: See :class:`LRScheduler`.
        warmup_mode: See :class:`LRScheduler`.

    Example:
        >>> schedule = FactorScheduler(step=2, factor=0.5, base_lr=1.0)
        >>> [schedule(n) for n in range(1, 6)]
        [1.0, 1.0, 0.5, 0.5, 0.25]
    """

    def __init__(
        self,
        step: int,
        factor: float = 1,
        stop_factor_lr: float = 1e-8,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if step < 1:
            raise ScheduleError(f"FactorScheduler: step is at least 1, not {step}")
        self.step = step
        self.factor = _checked_factor("FactorScheduler", factor)
        self.stop_factor_lr = stop_factor_lr
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after ``num_update`` updates; past reductions are kept."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        passed = -((self.count - num_update) // self.step) - 1  # the quotient, rounded up, less 1
        # Several steps at once, where training goes on from a checkpoint.
        if passed > 0:
            self.count += passed * self.step
            if self.base_lr != self.stop_factor_lr:
                self.base_lr = max(self.base_lr * self.factor**passed, self.stop_factor_lr)
                arrived = self.base_lr == self.stop_factor_lr
                _log.info(_ARRIVED if arrived else _CHANGED, num_update, self.base_lr)
        return self.base_lr


class MultiFactorScheduler(LRScheduler):
    """Learning-rate schedule: the rate times ``factor`` at each number of updates in ``step``.

    Args:
        step: Increasing numbers of updates.
        factor: At most 1.
        base_lr: See :class:`LRScheduler`.
        warmup_steps: See :class:`LRScheduler`.
        warmup_begin_lr: See :class:`LRScheduler`.
        warmup_mode: See :class:`LRScheduler`.

    Example:
        >>> schedule = MultiFactorScheduler([2, 3], factor=0.5, base_lr=1.0)
        >>> [schedule(n) for n in range(1, 6)]
        [1.0, 1.0, 0.5, 0.25, 0.25]
    """

    def __init__(
        self,
        step: Sequence[int],
        factor: float = 1,
        base_lr: float = 0.01,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not isinstance(step, list | tuple) or not step:
            raise ScheduleError(f"MultiFactorScheduler: step is a list of numbers, not {step!r}")
        if step[0] < 1 or any(a >= b for a, b in pairwise(step)):
            raise ScheduleError(
                f"MultiFactorScheduler: step {list(step)} does not increase from 1 or more"
            )
        self.step = list(step)
        self.factor = _checked_factor("MultiFactorScheduler", factor)
        self.cur_step_ind = 0
        self.count = 0

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after ``num_update`` updates; past reductions are kept."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        while self.cur_step_ind < len(self.step) and num_update > self.step[self.cur_step_ind]:
            self.count = self.step[self.cur_step_ind]
            self.cur_step_ind += 1
            self.base_lr *= self.factor
            _log.info(_CHANGED, num_update, self.base_lr)
        return self.base_lr


class _Falling(LRScheduler, ABC):
    """Base class of schedules that fall from ``base_lr`` to ``final_lr`` at ``max_update``."""

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(base_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        if not _is_whole(max_update, 1):
            raise ScheduleError(
                f"{type(self).__name__}: max_update is a whole number from 1, not {max_update!r}"
            )
        self.base_lr_orig = base_lr
        self.max_update = max_update
        self.final_lr = final_lr
        self.max_steps = max_update - warmup_steps

    @abstractmethod
    def _curve(self, progress: float) -> float:
        """Return the height of the curve at ``progress``: 1 at 0, and 0 at 1."""

    def __call__(self, num_update: int) -> float:
        """Return the learning rate after ``num_update`` updates; constant after ``max_update``."""
        if num_update < self.warmup_steps:
            return self.get_warmup_lr(num_update)
        if self.max_steps > 0:
            # The curve begins after the warm-up, and ends at max_update all the same.
            progress = (min(num_update, self.max_update) - self.warmup_steps) / self.max_steps
            fall = self.base_lr_orig - self.final_lr
            self.base_lr = self.final_lr + fall * self._curve(progress)
        return self.base_lr


class PolyScheduler(_Falling):
    """Polynomial decay of the learning rate, ``(1 - progress) ** pwr``, until ``max_update``.

    Args:
        max_update: Number of updates (including the warm-up) until the rate is ``final_lr``.
        base_lr: See :class:`LRScheduler`.
        pwr: Exponent; 1 is a linear decay.
        final_lr: The rate at the end.
        warmup_steps: See :class:`LRScheduler`.
        warmup_begin_lr: See :class:`LRScheduler`.
        warmup_mode: See :class:`LRScheduler`.

    Example:
        >>> schedule = PolyScheduler(4, base_lr=1.0, pwr=1)
        >>> [schedule(n) for n in range(6)]
        [1.0, 0.75, 0.5, 0.25, 0.0, 0.0]
    """

    def __init__(
        self,
        max_update: int,
        base_lr: float = 0.01,
        pwr: float = 2,
        final_lr: float = 0,
        warmup_steps: int = 0,
        warmup_begin_lr: float = 0,
        warmup_mode: str = "linear",
    ) -> None:
        super().__init__(max_update, base_lr, final_lr, warmup_steps, warmup_begin_lr, warmup_mode)
        self.power = pwr

    def _curve(self, progress: float) -> float:
        return float((1 - progress) ** self.power)


class CosineScheduler(_Falling):
    """Cosine decay of the learning rate, over half a period, until ``max_update``.

    Args:
        max_update: See :class:`PolyScheduler`.
        base_lr: See :class:`LRScheduler`.
        final_lr: The rate at the end.
        warmup_steps: See :class:`LRScheduler`.
        warmup_begin_lr: See :class:`LRScheduler`.
        warmup_mode: See :class:`LRScheduler`.

    Source:
        Loshchilov, Hutter 2017, arXiv:1608.03983, eq. 5, without restarts.

    Example:
        >>> schedule = CosineScheduler(4, base_lr=1.0)
        >>> [round(schedule(n), 3) for n in range(5)]
        [1.0, 0.854, 0.5, 0.146, 0.0]
        >>> schedule = CosineScheduler(6, base_lr=1.0, warmup_steps=2)
        >>> [round(schedule(n), 3) for n in range(7)]
        [0.0, 0.5, 1.0, 0.854, 0.5, 0.146, 0.0]
    """

    def _curve(self, progress: float) -> float:
        return (1 + math.cos(math.pi * progress)) / 2


_suggest_members(globals())
