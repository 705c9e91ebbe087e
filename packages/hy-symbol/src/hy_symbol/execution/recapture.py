"""Recapture: a captured graph (as a CUDA graph), captured again when fixed inputs move."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Any

from hy_ndarray import Buffer, Device, random
from hy_symbol.execution.program import Program
from hy_symbol.execution.tiers import MAX_CAPTURES, RUNS_BEFORE_CAPTURE
from hy_symbol.graph.node import Node
from hy_symbol.graph.purity import is_user_code

__all__ = ["Recapture", "no_capture"]


class Recapture:
    """Function that is captured as a graph in its third run; one thread at a time may call it.

    Args:
        run: The function to capture, of a list of inputs, which it may empty.
        device: The device on which it is captured.
        fixed: Positions of the inputs that are the same buffers in most calls: parameters.
        lent: Positions of the results that lie in the captured graph's own memory, and are the same
            buffers each time.
        draws: Whether ``run`` draws random numbers.
        why: Reason why it cannot be captured, if known in advance.
    """

    def __init__(
        self,
        run: Callable[[list[Buffer]], tuple[Buffer, ...]],
        device: Device,
        fixed: Collection[int],
        lent: Collection[int] = (),
        *,
        draws: bool = False,
        why: str | None = None,
    ) -> None:
        why = why or no_capture(device)
        self.why: str | None = why or "it is captured when it runs for the third time"
        """Reason why it is not captured; None if it is."""
        self.refused = why is not None
        """Whether it will never be captured."""
        self._run = run
        self._device = device
        self._fixed = tuple(fixed)
        self._lent = tuple(lent)
        self._draws = draws
        self._runs = 0
        self._captured = 0
        self._fixed_buffers: list[Buffer] = []
        self._again: Callable[[Sequence[Buffer]], tuple[Buffer, ...]] | None = None

    @classmethod
    def of(
        cls,
        program: Program,
        fixed: Collection[int],
        lent: Collection[int] = (),
        run: Callable[[list[Buffer]], tuple[Buffer, ...]] | None = None,
    ) -> "Recapture":
        """Return a recapture of a program, or of ``run``, a function that runs the program."""
        draws, why = _drawing(program) is not None, _obstacle(program)
        work = program.run_free if run is None else run
        return cls(work, program.device, fixed, lent, draws=draws, why=why)

    def takes(self, buffers: Sequence[Buffer]) -> bool:
        """Return whether a captured graph exists for these inputs, after capturing one if due."""
        return self._holds(buffers) or self._capture(buffers)

    def __call__(self, buffers: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Replay the captured graph; requires that :meth:`takes` returned True for these inputs."""
        assert self._again is not None
        return self._again(buffers)

    def _holds(self, buffers: Sequence[Buffer]) -> bool:
        if self._again is None:
            return False
        # By identity, not address: the memory of a freed buffer may belong to another buffer now.
        return all(
            buffers[k] is known for k, known in zip(self._fixed, self._fixed_buffers, strict=True)
        )

    def _capture(self, buffers: Sequence[Buffer]) -> bool:
        # Freed before it is captured again, which takes as much memory.
        self._again = None
        if self.refused:
            return False
        self._runs += 1
        # Libraries allocate and tune in the first runs, which a capture forbids.
        if self._runs <= RUNS_BEFORE_CAPTURE:
            return False
        # A capture takes as long as many runs, so it only pays off for buffers that stay.
        if self._captured == MAX_CAPTURES:
            return self._refuse("its parameters are others again and again")
        self._captured += 1
        device, run = self._device, self._run
        assert device.captures is not None
        draws: tuple[Any, Callable[[], Any]] | None = None
        if self._draws:  # from a generator that nobody else draws from meanwhile
            own = device.table.generator(0, device.handle)
            run, draws = random.drawing_from(own, run), (own, partial(random.generator, device))
        try:
            result = device.captures.capture(
                run, buffers, self._fixed, self._lent, device.handle, draws
            )
        except Exception as error:  # whatever the table says of what its device cannot do
            return self._refuse(f"{type(error).__name__}: {error}")
        if result is None:
            return self._refuse(_refusal(device))
        self._fixed_buffers = [buffers[k] for k in self._fixed]
        self._again, self.why = result, None
        return True

    def _refuse(self, why: str) -> bool:
        self.why, self.refused = why, True
        return False


def no_capture(device: Device) -> str | None:
    """Return why a device supports no capture; None if it does."""
    return _refusal(device) if device.captures is None else None


def _refusal(device: Device) -> str:
    return f"the table {device.table.name!r} captures nothing on {device.context}"


def _drawing(program: Program) -> Node | None:
    """Return the first step that draws random numbers, or None."""
    for node in program.steps:
        assert node.op is not None
        if node.op.draws(node.params, program.is_train):
            return node
    return None


def _obstacle(program: Program) -> str | None:
    """Return why a program cannot be captured, None if no reason is known."""
    table, drawing = program.device.captures, _drawing(program)
    if drawing is not None and table is not None and not table.captures_draws:
        return f"'{drawing.name}' draws random numbers, and the table {table.name!r} captures none"
    for node in program.steps:
        if is_user_code(node) or node.is_region:
            return f"'{node.name}' is not run by the table"
    return None
