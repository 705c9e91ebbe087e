"""Pace: measures whether helper threads currently save time on this machine."""

import time
from collections.abc import Callable

from hy_kernels.numpy.costs import COSTS


class Pace:
    """Decides whether to share work among threads, from the measured times of earlier runs.

    The time of one thread is estimated from the CPU time of the chunks that the calling thread
    computed, which excludes the time of other processes. If a thread is preempted in the middle of
    a chunk, or sharing saves too little, work is not shared for some milliseconds, then for longer,
    up to half a second; successful trials shorten the pause.

    Args:
        clock: Returns the time in seconds.

    Example:
        >>> pace = Pace(clock=lambda: 0.0)
        >>> pace.note(alone=0.001, shared=0.004)
        >>> pace.is_profitable()
        False
    """

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self._clock = clock
        self._alone = self._lost = 0.0
        self._until = self._rest = 0.0

    def is_profitable(self) -> bool:
        """Return whether the next work should be shared among threads."""
        return not self._until or self._clock() >= self._until

    def note(self, alone: float, shared: float) -> None:
        """Record the times of one run that was shared among threads.

        Args:
            alone: Estimated seconds of CPU time for all chunks on one thread.
            shared: Elapsed seconds with helper threads.
        """
        self._alone += alone
        self._lost += shared - alone
        if self._lost < COSTS.pace.loss:
            if self._alone < COSTS.pace.window:
                return
            if self._lost < -COSTS.pace.gain * self._alone:
                # Not reset at once: on a busy machine a single trial may be fast by chance.
                self._rest /= 2
                self._alone = self._lost = self._until = 0.0
                return
        # Exponential backoff: each trial that saves too little doubles the pause.
        self._rest = min(COSTS.pace.longest, max(COSTS.pace.shortest, 2 * self._rest))
        self._until = self._clock() + self._rest
        self._alone = self._lost = 0.0
