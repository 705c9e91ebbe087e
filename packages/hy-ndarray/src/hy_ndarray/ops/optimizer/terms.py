"""Helper functions shared by the optimizers' update rules."""

from typing import Any

from hy_ndarray.ops.elementwise.unary import clip

__all__ = ["decayed", "running_mean", "within"]


def within(x: Any, bound: Any) -> Any:
    """Return ``x`` clipped to ± ``bound``; unchanged if ``bound`` is negative."""
    return clip(x, a_min=-bound, a_max=bound) if bound >= 0 else x


def decayed(slope: Any, weight: Any, wd: Any) -> Any:
    """Return the gradient plus L2 weight decay, ``slope + wd * weight``."""
    return slope + weight * wd if wd else slope


def running_mean(mean: Any, new: Any, momentum: Any) -> Any:
    """Return the exponential moving average ``momentum * mean + (1 - momentum) * new``."""
    return mean * momentum + new * (1 - momentum)
