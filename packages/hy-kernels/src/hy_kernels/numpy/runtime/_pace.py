"""Pace: measures whether helping threads save time on this machine at present."""

import time
from collections.abc import Callable

from hy_kernels.numpy.costs import COSTS

__all__ = ["Pace"]


class Pace:
    """Compares the time of shared work with its time on one thread.

    The latter shows in the CPU time of the chunks that the calling thread computed, as that does
    not count what other processes had. Where a thread is stopped in the middle of a chunk, as
    another process has its core, or where sharing saves too little, there is none for some
    milliseconds, then for longer, up to half a second; trials that go well shorten that.

    Args:
        clock: Seconds that pass.

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
        """Return whether to share the next work among threads."""
        return not self._until or self._clock() >= self._until

    def note(self, alone: float, shared: float) -> None:
        """Record the times of one run, on one thread and shared.

        Args:
            alone: Seconds of CPU time that all of its chunks take one thread.
            shared: Seconds it took with help.
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
        # Exponential backoff: each trial that saves too little doubles the time without help.
        self._rest = min(COSTS.pace.longest, max(COSTS.pace.shortest, 2 * self._rest))
        self._until = self._clock() + self._rest
        self._alone = self._lost = 0.0
