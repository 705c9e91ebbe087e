"""GradientUpdateHandler: calls the trainer's step after each batch."""

from typing import Any

from hy_gluon.contrib.estimator.events import BatchEnd

__all__ = ["GradientUpdateHandler"]


class GradientUpdateHandler(BatchEnd):
    """Updates the parameters after each batch, with gradients divided by the number of losses.

    ``fit`` adds one by default. A subclass can clip gradients before the step, or step only after
    several batches.

    Args:
        priority: Order among handlers; first by default.

    Example:
        >>> class Clipped(GradientUpdateHandler):
        ...     def batch_end(self, estimator, *args, **kwargs):
        ...         learned = estimator.net.collect_params().values()
        ...         clip_global_norm([p.grad() for p in learned], max_norm=1.0)
        ...         return super().batch_end(estimator, *args, **kwargs)
    """

    def __init__(self, priority: float = -2000) -> None:
        self.priority = priority

    def batch_end(self, estimator: Any, *args: Any, **kwargs: Any) -> bool | None:
        """Update the parameters."""
        estimator.trainer.step(sum(part.shape[0] for part in kwargs["loss"]))
        return False
