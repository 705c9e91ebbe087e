"""Zipf-distributed candidates for ``contrib.rand_zipfian`` of arrays and symbols."""

from math import log
from typing import Any

__all__ = ["candidates"]


def candidates(
    drawn: Any, true_classes: Any, num_sampled: int, range_max: int
) -> tuple[Any, Any, Any]:
    """Return the sampled classes, and the expected counts of true and of sampled classes.

    Class ``c`` has the probability ``log((c + 2) / (c + 1)) / log(range_max + 1)``.

    Args:
        drawn: ``[num_sampled]``, uniform random numbers from 0 to ``log(range_max + 1)``.
        true_classes: ``[*T]`` classes.
        num_sampled: Number of samples.
        range_max: Number of classes.

    Returns:
        ``[num_sampled]`` int64, ``[*T]`` and ``[num_sampled]`` float64.
    """
    sampled = (drawn.exp() - 1).astype("int64") % range_max

    def expected(classes: Any) -> Any:
        ranks = classes.astype("float64")
        return ((ranks + 2.0) / (ranks + 1.0)).log() / log(range_max + 1) * num_sampled

    return sampled, expected(true_classes), expected(sampled)
