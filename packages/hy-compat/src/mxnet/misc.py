"""MXNet's first learning-rate schedules; :mod:`mxnet.lr_scheduler` replaced them."""

import logging
import math

from hy_ndarray import HyError

__all__ = ["FactorScheduler", "LearningRateScheduler"]

_log = logging.getLogger(__name__)


class ScheduleError(HyError, ValueError, AssertionError):
    """A schedule got invalid arguments."""


class LearningRateScheduler:
    """Base class of schedules, from the number of updates to a learning rate.

    Attributes:
        base_lr: The rate to start from, 0.01; optimizers set it.
    """

    def __init__(self) -> None:
        self.base_lr = 0.01

    def __call__(self, iteration: int) -> float:
        """Return the learning rate after so many updates."""
        raise NotImplementedError(
            f"{type(self).__name__} must override this: define __call__(iteration)"
        )


class FactorScheduler(LearningRateScheduler):
    """Multiplies the rate by a factor after every ``step`` updates.

    Args:
        step: At least 1.
        factor: Below 1.

    Raises:
        ScheduleError: They are not.

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
        """Return the learning rate after so many updates; a change is logged."""
        if not self.init:
            self.init = True
            self.old_lr = self.base_lr
        # From the iteration, not step by step, so that a resumed run has the same rate.
        lr = self.base_lr * math.pow(self.factor, int(iteration / self.step))
        if lr != self.old_lr:
            self.old_lr = lr
            _log.info("At Iteration [%d]: Swith to new learning rate %.5f", iteration, lr)
        return lr
