"""Tiers: the ways in which a graph runs, and when it moves up from one to the next.

A first run is interpreted, since many graphs run for one signature once, and to plan, generate and
compile a program takes as long as two to five such runs. The second run is compiled. Where arrays
stay where they are and the kernel table captures, the third is captured: the first two let its
libraries get ready.
"""

from enum import IntEnum

__all__ = [
    "MAX_CAPTURES",
    "MAX_TAPE_BYTES",
    "RUNS_BEFORE_CAPTURE",
    "RUNS_BEFORE_CODE",
    "Promotion",
    "Tier",
]

RUNS_BEFORE_CODE = 1
"""Runs for one signature that are interpreted."""
RUNS_BEFORE_CAPTURE = 2
"""Runs of the program before the table captures it."""
MAX_CAPTURES = 4
"""Times that a program is captured, because inputs that stay where they are moved nevertheless."""
MAX_TAPE_BYTES = 1 << 25
"""Bytes that a graph may make for its first training pass to be interpreted: a tape keeps all."""


class Tier(IntEnum):
    """Way in which a graph runs."""

    INTERPRETED = 0
    """Kernel by kernel, or recorded operator by operator; nothing is planned."""
    COMPILED = 1
    """As the code of a plan."""
    CAPTURED = 2
    """As the kernel table captured that."""


class Promotion:
    """Chooses the signatures of one graph that skip the first tier.

    A plan may serve the signatures that follow, so the second one without a plan is chosen, then
    the second one after that, the fourth, the eighth: little is lost where plans fit no other one.

    Example:
        >>> promotion = Promotion()
        >>> "".join("-x"[promotion.is_due()] for _ in range(20))
        '-x-x---x-------x----'
    """

    def __init__(self) -> None:
        self._left = 2
        self._next = 2

    def is_due(self) -> bool:
        """Count one more signature without a plan; return whether it is chosen."""
        self._left -= 1
        if self._left:
            return False
        self._left, self._next = self._next, 2 * self._next
        return True
