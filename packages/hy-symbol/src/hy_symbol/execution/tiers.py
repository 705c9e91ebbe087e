"""Tiers: the ways a graph is run, and when it moves to the next.

A first run is interpreted, since many graphs run for one signature once, and to plan, generate and
compile a program takes as long as ten such runs. The second run of a small graph is compiled, the
fourth of a larger one: of the three calls that a test, a notebook or a rare shape makes, none waits
for a compiler. Where arrays stay where they are and the kernel table captures, the third run of the
program is captured: the first two let its libraries get ready.
"""

from enum import IntEnum

__all__ = [
    "LONG_RUNS_BEFORE_CODE",
    "MAX_CAPTURES",
    "MAX_SMALL_NODES",
    "MAX_TAPE_BYTES",
    "RUNS_BEFORE_CAPTURE",
    "RUNS_BEFORE_CODE",
    "WHY_INTERPRETED",
    "Promotion",
    "Tier",
    "runs_before_code",
    "runs_until_code",
]

RUNS_BEFORE_CODE = 1
"""Runs for one signature that are interpreted, of a small graph."""
LONG_RUNS_BEFORE_CODE = 3
"""Runs that are, of a larger one: two LSTM cells over 36 steps, 940 nodes, compile in 50 ms and
then take 4.0 instead of 5.3 ms a run; 6,000 pointwise steps on one number compile in 70 ms and take
0.4 instead of 6.4 ms (``benchmarks/first_calls.py``, Zen 4, one thread). Ten would do as well."""
MAX_SMALL_NODES = 64
"""Nodes, variables counted, of a small graph, which compiles in 3 ms: 50 µs a node."""
WHY_INTERPRETED = "it is compiled when it runs again"
"""Reason for the lowest tier before the last run in it."""
RUNS_BEFORE_CAPTURE = 2
"""Runs of the program before the table captures it."""
MAX_CAPTURES = 4
"""Times that a program is captured, because inputs that stay where they are moved nevertheless."""
MAX_TAPE_BYTES = 1 << 25
"""Bytes that a graph may make for its first training pass to be interpreted: a tape keeps all."""


class Tier(IntEnum):
    """Way to run a graph: interpreted, compiled or captured."""

    INTERPRETED = 0
    """Kernel by kernel, or recorded operator by operator; nothing is planned."""
    COMPILED = 1
    """As the code of a plan."""
    CAPTURED = 2
    """As the kernel table captured that."""


def runs_before_code(nodes: int) -> int:
    """Return how many runs of one signature are interpreted for a graph of this many nodes.

    Example:
        >>> runs_before_code(10), runs_before_code(1000)
        (1, 3)
    """
    return RUNS_BEFORE_CODE if nodes <= MAX_SMALL_NODES else LONG_RUNS_BEFORE_CODE


def runs_until_code(nodes: int) -> int:
    """Return after how many runs a net of this many nodes has passed all tiers.

    First the traced graph is interpreted, then the one that was prepared for prediction, if there
    is another one, and the last run is that of its code.

    Example:
        >>> runs_until_code(10), runs_until_code(1000)
        (3, 7)
    """
    return 2 * runs_before_code(nodes) + 1


class Promotion:
    """Selects the signatures of a graph that skip interpretation.

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
        """Count one more signature without a plan; return whether it skips interpretation."""
        self._left -= 1
        if self._left:
            return False
        # Twice as rarely each time: plans that fit no other signature cost little then.
        self._left, self._next = self._next, 2 * self._next
        return True
