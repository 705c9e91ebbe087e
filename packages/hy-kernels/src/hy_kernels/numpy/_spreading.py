"""Broadcasting of a number for each row without numpy's buffer.

Where rows are shorter than its buffer of 8,192 elements, numpy first repeats such numbers into it,
to run one long loop, and a pass takes up to three times as long.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

import numpy as np

from hy_kernels.numpy.costs import COSTS

__all__ = ["spreading"]


_NOTHING = nullcontext()


def spreading(length: int) -> AbstractContextManager[None]:
    """Make numpy run a loop for each row, in this thread and in tasks that it shares.

    Args:
        length: Elements of a row.
    """
    return _NOTHING if length < COSTS.rows.loop else _small_buffer()


@contextmanager
def _small_buffer() -> Iterator[None]:
    before = np.setbufsize(COSTS.rows.loop)
    try:
        yield
    finally:
        np.setbufsize(before)
