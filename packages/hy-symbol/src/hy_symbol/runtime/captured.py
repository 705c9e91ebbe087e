"""Captured: a program that its kernel table captures, so that running it again costs less."""

import threading
from collections.abc import Callable, Collection, Sequence

from hy_ndarray import Buffer, Device
from hy_ndarray.devices import instrumentation
from hy_symbol.graph.purity import is_user_code
from hy_symbol.runtime.batch_split import Sliced
from hy_symbol.runtime.deferred import Deferred
from hy_symbol.runtime.program import Program

__all__ = ["Captured"]

_RUNS = 2  # before it is captured: the first is made step by step, and libraries get ready
_MOST = 4  # times that it is captured, because inputs that stay elsewhere moved


class Captured:
    """Runs a program, and what its table captured of it from the third time on.

    Any number of threads may run it. While steps are observed, the program itself runs.

    Args:
        program: What runs where it is not captured.
        fixed: Positions of the inputs that are the same buffers in most calls: parameters.
    """

    def __init__(self, program: Deferred | Program | Sliced, fixed: Collection[int]) -> None:
        self.program = program
        self.why: str | None = "it is captured when it runs for the third time"
        """Why it is not captured; None: it is."""
        self.run: Callable[[list[Buffer]], tuple[Buffer, ...]] = self._run
        """As :meth:`Program.run`."""
        self._fixed = tuple(fixed)
        self._lock = threading.Lock()
        self._runs = 0
        self._captured = 0
        self._places: list[Buffer] = []
        self._again: Callable[[Sequence[Buffer]], tuple[Buffer, ...]] | None = None
        why = _obstacle(program)
        if why is not None:
            self._refuse(why)

    def _run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        if instrumentation.watch.observer is None:
            with self._lock:
                if self._holds(buffers) or self._capture(buffers):
                    assert self._again is not None
                    return self._again(buffers)
        return self.program.run(buffers)

    def _holds(self, buffers: Sequence[Buffer]) -> bool:
        """Whether it is captured for these inputs."""
        if self._again is None:
            return False
        return all(buffers[k] is place for k, place in zip(self._fixed, self._places, strict=True))

    def _capture(self, buffers: Sequence[Buffer]) -> bool:
        """Capture it for these inputs, if it is time."""
        self._again = None
        self._runs += 1
        if self._runs <= _RUNS:
            return False
        program = self.program.program if isinstance(self.program, Deferred) else self.program
        assert isinstance(program, Program)
        device = program.device
        assert device.captures is not None
        if self._captured == _MOST:
            return self._refuse("its parameters are others again and again")
        self._captured += 1
        run = program.run_free
        try:
            made = device.captures.capture(run, buffers, self._fixed, device.handle)
        except Exception as error:  # whatever the table says of what its device cannot do
            return self._refuse(f"{type(error).__name__}: {error}")
        if made is None:
            return self._refuse(_no_capture(device))
        self._places = [buffers[k] for k in self._fixed]
        self._again, self.why = made, None
        return True

    def _refuse(self, why: str) -> bool:
        self.why = why
        self.run = self.program.run
        return False


def _no_capture(device: Device) -> str:
    return f"the table {device.table.name!r} captures nothing on {device.context}"


def _obstacle(program: Deferred | Program | Sliced) -> str | None:
    """What is in the way of capturing a program, if it is known beforehand."""
    if isinstance(program, Sliced):
        return "the batch is computed in slices"
    if program.device.captures is None:
        return _no_capture(program.device)
    for node in program.steps:
        assert node.op is not None
        if node.op.draws(node.params, program.is_train):
            return f"'{node.name}' draws random numbers"
        if is_user_code(node) or node.is_region:
            return f"'{node.name}' is not run by the table"
    return None
