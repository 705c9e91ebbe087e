"""MXNet's first learning-rate schedules, replaced by :mod:`mxnet.lr_scheduler`."""

import logging
import math

from hy_ndarray import HyError

__all__ = ["FactorScheduler", "LearningRateScheduler"]

_log = logging.getLogger(__name__)


class ScheduleError(HyError, ValueError, AssertionError):
    """A schedule got invalid arguments."""


class LearningRateScheduler:
    """Base class of schedules: the learning rate as a function of the number of updates.

    Attributes:
        base_lr: Initial rate, set by optimizers; 0.01 by default.
    """

    def __init__(self) -> None:
        self.base_lr = 0.01

    def __call__(self, iteration: int) -> float:
        """Return the learning rate after ``iteration`` updates."""
        raise NotImplementedError(
            f"{type(self).__name__} must override this: define __call__(iteration)"
        )


class FactorScheduler(LearningRateScheduler):
    """Schedule that multiplies the rate by a factor after every ``step`` updates.

    Args:
        step: Number of updates; at least 1.
        factor: Factor of the rate; below 1.

    Raises:
        ScheduleError: An argument is out of range.

    Example:
        >>> schedule = FactorScheduler(2, 0.5)
        >>> [schedule(i) for i in range(5)]
        [0.01, 0.01, 0.005, 0.005, 0.0025]
    """

    def __init__(self, step: int, factor: float = 0.1) -> None:
        super().__init__()
        if step < 1:
            raise ScheduleError(f"step={step}: Schedule step must be greater or equal than 1 round")
        if factor >= 1.0:
            raise ScheduleError(f"factor={factor}: Factor must be less than 1 to make lr reduce")
        self.step = step
        self.factor = factor
        self.old_lr = self.base_lr
        self.init = False

    def __call__(self, iteration: int) -> float:
        """Return the learning rate after ``iteration`` updates; changes are logged."""
        if not self.init:
            self.init = True
            self.old_lr = self.base_lr
        # From the iteration, not step by step, so that a resumed run has the same rate.
        lr = self.base_lr * math.pow(self.factor, int(iteration / self.step))
        if lr != self.old_lr:
            self.old_lr = lr
            _log.info("At Iteration [%d]: Swith to new learning rate %.5f", iteration, lr)
        return lr
