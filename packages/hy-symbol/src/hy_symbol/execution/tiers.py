"""Tiers: interpreted, compiled and captured runs of a graph, and when each begins.

The first run is interpreted, as many graphs run only once per signature, and planning, generating
and compiling a program takes as long as ten interpreted runs. A small graph is compiled for its
second run, a larger one for its fourth, so that the about three calls of a test, a notebook or a
rare shape never wait for the compiler. If arrays keep their addresses and the kernel table can
capture, the third run of the program is captured; the first two let its libraries allocate and
tune.
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
"""Interpreted runs per signature, for a small graph."""
LONG_RUNS_BEFORE_CODE = 3
"""Interpreted runs per signature, for a larger graph: two LSTM cells over 36 steps, 940 nodes,
compile in 50 ms and then take 4.0 instead of 5.3 ms a run; 6,000 pointwise steps on one number
compile in 70 ms and take 0.4 instead of 6.4 ms (``benchmarks/first_calls.py``, Zen 4, one thread).
Ten would do as well."""
MAX_SMALL_NODES = 64
"""Largest number of nodes of a small graph, variables included; it compiles in 3 ms."""
WHY_INTERPRETED = "it is compiled when it runs again"
"""Reason to report when the next run will be compiled."""
RUNS_BEFORE_CAPTURE = 2
"""Runs of the program before the table captures it."""
MAX_CAPTURES = 4
"""How often a program is captured at most; it is captured again when fixed inputs have moved."""
MAX_TAPE_BYTES = 1 << 25
"""Largest total result size for interpreting the first training pass: a tape keeps all."""


class Tier(IntEnum):
    """Way to run a graph: interpreted, compiled or captured."""

    INTERPRETED = 0
    """Kernel by kernel, or recorded operator by operator; there is no plan."""
    COMPILED = 1
    """As the generated code of a plan."""
    CAPTURED = 2
    """As a graph that the kernel table captured."""


def runs_before_code(nodes: int) -> int:
    """Return the number of interpreted runs per signature of a graph with ``nodes`` nodes.

    Example:
        >>> runs_before_code(10), runs_before_code(1000)
        (1, 3)
    """
    return RUNS_BEFORE_CODE if nodes <= MAX_SMALL_NODES else LONG_RUNS_BEFORE_CODE


def runs_until_code(nodes: int) -> int:
    """Return the number of runs of a graph up to the first that executes generated code.

    The traced graph and then the graph optimized for prediction are each interpreted for
    `runs_before_code` runs; the next run is compiled.

    Example:
        >>> runs_until_code(10), runs_until_code(1000)
        (3, 7)
    """
    return 2 * runs_before_code(nodes) + 1


class Promotion:
    """Selects the signatures of a graph that skip interpretation.

    The plan of a signature may be reused for later ones, so the second signature without a plan is
    compiled at once; then the second after it, the fourth, the eighth, …: exponential backoff
    limits the cost where no plan can be reused.

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
