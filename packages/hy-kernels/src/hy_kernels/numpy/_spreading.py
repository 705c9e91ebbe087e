"""Numbers of rows repeated along them at the speed of numbers alone.

Where rows are shorter than numpy's buffer, it writes such numbers out until the buffer is full, so
that a longer loop runs over it, and a pass takes up to three times as long.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from hy_kernels.numpy.costs import COSTS

__all__ = ["spreading"]


@contextmanager
def spreading(length: int) -> Iterator[None]:
    """Have numpy run a loop for each row, in this thread and in tasks that it shares.

    Args:
        length: Elements of a row.
    """
    if length < COSTS.rows.loop:
        yield
        return
    before = np.setbufsize(COSTS.rows.loop)
    try:
        yield
    finally:
        np.setbufsize(before)
