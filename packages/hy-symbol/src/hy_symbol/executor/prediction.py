"""Predictions of an executor: the first by what all share, later ones with prepared values."""

from collections.abc import Sequence

from hy_ndarray import Buffer, Device, NDArray, buffers_of
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.cache import Executables
from hy_symbol.execution.constants import PreparedInputs
from hy_symbol.execution.program import Program
from hy_symbol.execution.setup_lock import release_stale, setup_lock
from hy_symbol.executor.preparation import Preparation

__all__ = ["Predictions"]


class Predictions:
    """Predicts on each device; from the second time on with values that are computed once.

    Args:
        executables: The graph and its programs.
        pool: Memory for these.
    """

    def __init__(self, executables: Executables, pool: Pool) -> None:
        self._executables = executables
        self._pool = pool
        self._begun: set[Device] = set()
        self._prepared: dict[Device, _Prepared | None] = {}

    def run(self, device: Device, arrays: Sequence[NDArray]) -> tuple[Buffer, ...]:
        """The outputs for one array per variable."""
        if device in self._begun:
            prepared = self._preparation(device)
            values = None if prepared is None else prepared.run(device, arrays)
            if values is not None:
                return values
        self._begun.add(device)
        with setup_lock():
            program = self._executables.program(device, False).in_memory_of(self._pool)
        return program.run(buffers_of(arrays, device)[1])

    def _preparation(self, device: Device) -> "_Prepared | None":
        if device not in self._prepared:
            with setup_lock():
                release_stale(self._prepared)
                known = self._executables.prepared
                if device not in known:
                    release_stale(known)
                    known[device] = Preparation.of(self._executables.typed, device)
                found = known[device]
                self._prepared[device] = None if found is None else _Prepared(found, self._pool)
        return self._prepared[device]


class _Prepared:
    """Predicts with prepared values as long as that is profitable.

    Args:
        preparation: The graph.
        pool: Memory for its program.
    """

    def __init__(self, preparation: Preparation, pool: Pool) -> None:
        self._preparation = preparation
        self._pool = pool
        self._inputs = PreparedInputs(preparation.names, preparation.plan)
        self._program: Program | None = None

    def run(self, device: Device, arrays: Sequence[NDArray]) -> tuple[Buffer, ...] | None:
        """The outputs for the arrays of all variables; None where that is not profitable."""
        inputs = self._inputs.of(arrays, device, always=False)
        if inputs is None:
            return None
        if self._program is None:
            self._program = self._preparation.program(inputs, self._pool)
        return self._program.run(buffers_of(inputs, device)[1])
