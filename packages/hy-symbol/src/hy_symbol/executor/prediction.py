"""Predictions of an executor: the first ones operator by operator, later ones by a program."""

from collections import Counter
from collections.abc import Sequence

from hy_ndarray import Buffer, Device, NDArray, buffers_of
from hy_symbol.compile.arena import Pool
from hy_symbol.executor.preparation import Preparation
from hy_symbol.executor.shared import FIRST_RUNS, Shared
from hy_symbol.runtime.prepared import PreparedValues
from hy_symbol.runtime.program import Program

__all__ = ["Predictions"]


class Predictions:
    """Predicts on each device as pays best.

    The first calls may be the only ones, for which a plan is too dear.

    Args:
        shared: The graph and its programs.
        pool: Memory for these.
    """

    def __init__(self, shared: Shared, pool: Pool) -> None:
        self._shared = shared
        self._pool = pool
        self._runs: Counter[Device] = Counter()
        self._prepared: dict[Device, _Prepared | None] = {}

    def run(self, device: Device, arrays: Sequence[NDArray]) -> tuple[Buffer, ...]:
        """The outputs for one array per variable."""
        values = None
        if self._runs[device] == FIRST_RUNS:
            prepared = self._preparation(device)
            values = None if prepared is None else prepared.run(device, arrays)
        else:
            self._runs[device] += 1
        if values is not None:
            return values
        _, buffers = buffers_of(arrays, device)
        deferred = self._shared.prediction(device)
        if deferred.is_waiting:
            return deferred.run(buffers)
        return self._shared.program(device, False, self._pool).run(buffers)

    def _preparation(self, device: Device) -> "_Prepared | None":
        if device not in self._prepared:
            for old in [old for old in self._prepared if old.stale]:
                del self._prepared[old], self._runs[old]
            found = self._shared.preparation(device)
            self._prepared[device] = None if found is None else _Prepared(found, self._pool)
        return self._prepared[device]


class _Prepared:
    """Predicts with prepared values as long as that pays.

    Values are computed again where an array was overwritten since; where that happened between all
    calls of late, only once two calls in a row have met the same.

    Args:
        preparation: The graph.
        pool: Memory for its program.
    """

    def __init__(self, preparation: Preparation, pool: Pool) -> None:
        self._preparation = preparation
        self._pool = pool
        self._values = PreparedValues(preparation.parts)
        self._taken = [preparation.position[name] for name in self._values.variables]
        self._program: Program | None = None

    def run(self, device: Device, arrays: Sequence[NDArray]) -> tuple[Buffer, ...] | None:
        """The outputs for the arrays of all variables; None where that does not pay."""
        taken = [arrays[i] for i in self._taken]
        _, buffers = buffers_of(taken, device)
        values = self._values.known(device, buffers)
        if values is None:
            if not self._values.pay(device, buffers):
                return None
            values = self._values.prepare(device, taken, buffers)
        given = *arrays, *values
        inputs = [given[i] for i in self._preparation.order]
        if self._program is None:
            self._program = self._preparation.program(inputs, self._pool)
        return self._program.run(buffers_of(inputs, device)[1])
