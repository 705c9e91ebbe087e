"""Spreading: numbers of rows repeated along them at the speed of numbers alone.

Where rows are shorter than numpy's buffer, it writes such numbers out until the buffer is full, so
that a longer loop runs over it, and a pass takes up to three times as long.
"""

from types import TracebackType

import numpy as np

__all__ = ["Spreading"]

_LEAST = 256
"""Elements of a row from which a loop for each is faster than the buffer, and of that meanwhile."""


class Spreading:
    """Has numpy run a loop for each row, in this thread and in tasks that it shares.

    Args:
        length: Elements of a row.
    """

    def __init__(self, length: int) -> None:
        self._length = length
        self._before = 0

    def __enter__(self) -> None:
        if self._length >= _LEAST:
            self._before = np.setbufsize(_LEAST)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before:
            np.setbufsize(self._before)
