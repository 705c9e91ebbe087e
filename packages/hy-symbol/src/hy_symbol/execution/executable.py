"""Executable: a graph for one signature, device and mode, first interpreted, later compiled."""

import threading
from collections.abc import Callable, Collection
from copy import copy

from hy_ndarray import Buffer, Device
from hy_ndarray.devices import instrumentation
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.batch_split import Sliced
from hy_symbol.execution.calls import Interpreted
from hy_symbol.execution.program import Program
from hy_symbol.execution.recapture import Recapture
from hy_symbol.execution.tiers import WHY_INTERPRETED, Tier, runs_before_code
from hy_symbol.graph.collector import without_collections
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Executable"]


class Executable:
    """Runs a graph in its current tier: interpreted, compiled or captured; see :mod:`.tiers`.

    All tiers use the same kernels and give the same results. Thread-safe.

    Args:
        device: The device on which it runs.
        build: Function that plans the program.
        typed: The graph after lowering, with the types of its input buffers, for interpreted runs;
            None: compile at once.
    """

    def __init__(
        self,
        device: Device,
        build: Callable[[], Program | Sliced],
        typed: TypedGraph | None = None,
    ) -> None:
        self.device = device
        self._build = build
        self._early = None if typed is None else _EarlyRuns(typed, device)
        self._lock = threading.Lock()
        self._program: Program | Sliced | None = None
        self._capture: Recapture | None = None
        self._sliced: str | None = None

    @classmethod
    def of(cls, program: Program | Sliced) -> "Executable":
        """Return the executable of a program, which skips the interpreted tier."""
        executable = cls(program.device, lambda: program)
        executable._program = program
        return executable

    def in_memory_of(self, pool: Pool, fixed: Collection[int] | None = None) -> "Executable":
        """Return a copy with its arena in another pool; both share the count of interpreted runs.

        Args:
            pool: Memory of the program's arena.
            fixed: Positions of the inputs that are the same buffers in most calls: parameters. If
                given, the program is captured where the kernel table supports that, and compiled
                until then.
        """
        # `_early` is shared, so that runs in all memories count together.
        own = copy(self)
        own._build = lambda: self.program.in_memory_of(pool)
        own._lock = threading.Lock()
        if self._program is not None:
            own._program = self._program.in_memory_of(pool)
        if fixed is not None:
            # A capture replays kernels, so the program is compiled now.
            program = own.program
            if isinstance(program, Program):
                own._capture = Recapture.of(program, fixed)
            else:
                own._sliced = "the batch is computed in slices"
        return own

    @property
    def tier(self) -> Tier:
        """Tier of the last run."""
        if self._capture is not None and self._capture.why is None:
            return Tier.CAPTURED
        return Tier.INTERPRETED if self._program is None else Tier.COMPILED

    @property
    def why(self) -> str | None:
        """Reason why the last run was not in the highest requested tier; None if it was."""
        if self._program is None:
            left = 0 if self._early is None else self._early.left
            more = f"{left} more run{'s' * (left > 1)}"
            return f"it is compiled after {more}" if left > 0 else WHY_INTERPRETED
        return self._sliced if self._capture is None else self._capture.why

    @property
    def program(self) -> Program | Sliced:
        """Program, planned on first use."""
        with self._lock:
            if self._program is None:
                self._program = self._build()
                self._early = None  # its kernels and constants are the program's now
            return self._program

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Return the outputs; ``buffers``, one per variable, is emptied to free inputs early.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        program = self._program
        if program is None:
            return self._run_early(buffers)
        # Without the lock: runs that are not captured may overlap.
        if self._capture is None or self._capture.refused:
            return program.run(buffers)
        if instrumentation.watch.observer is None:
            # A captured graph reads and writes fixed memory: one run at a time.
            with self._lock:
                if self._capture.takes(buffers):
                    return self._capture(buffers)
        return program.run(buffers)

    def _run_early(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run like :meth:`run` before the program exists: interpret, or compile and run it."""
        early = self._early
        # Observers see the program's kernels, fused ones included.
        if early is None or instrumentation.watch.observer is not None or not early.is_due():
            return self._compiled().run(buffers)
        return early.interpreted().run(buffers)

    @without_collections
    def _compiled(self) -> Program | Sliced:
        program = self.program
        if isinstance(program, Program):
            program.compile()
        return program


class _EarlyRuns:
    """Interpreter of a graph, and the count of its runs, shared by all users of the graph."""

    def __init__(self, typed: TypedGraph, device: Device) -> None:
        self.left = runs_before_code(len(typed.graph.nodes))
        """Number of runs that will still be interpreted; negative if none will be."""
        self._typed = typed
        self._device = device
        self._lock = threading.Lock()
        self._interpreted: Interpreted | None = None

    def is_due(self) -> bool:
        """Count one run; return whether it is to be interpreted."""
        with self._lock:
            self.left -= 1
            return self.left >= 0

    def interpreted(self) -> Interpreted:
        """Return the interpreted graph, prepared by the first thread that needs it."""
        with self._lock:
            if self._interpreted is None:
                self._interpreted = _prepared(self._typed, self._device)
            return self._interpreted


@without_collections
def _prepared(typed: TypedGraph, device: Device) -> Interpreted:
    return Interpreted(typed, device)
