"""Numbers of rows repeated along them at the speed of numbers alone.

Where rows are shorter than numpy's buffer, it writes such numbers out until the buffer is full, so
that a longer loop runs over it, and a pass takes up to three times as long.
"""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

__all__ = ["spreading"]

_LEAST = 256
"""Elements of a row from which a loop for each is faster than the buffer, and of that meanwhile."""


@contextmanager
def spreading(length: int) -> Iterator[None]:
    """Have numpy run a loop for each row, in this thread and in tasks that it shares.

    Args:
        length: Elements of a row.
    """
    if length < _LEAST:
        yield
        return
    before = np.setbufsize(_LEAST)
    try:
        yield
    finally:
        np.setbufsize(before)
