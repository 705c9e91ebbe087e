"""Captured: programs that their kernel table captures, so that running them again costs less."""

import threading
from collections.abc import Callable, Collection, Sequence
from typing import Any
from weakref import ref

from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol.execution.batch_split import Sliced
from hy_symbol.execution.deferred import Deferred
from hy_symbol.execution.differentiable import Differentiable, Saved
from hy_symbol.execution.partition import Partition
from hy_symbol.execution.program import Program
from hy_symbol.execution.recapture import Recapture

__all__ = ["Captured", "CapturedPair"]


class Captured:
    """Runs a program, and what its table captured of it from the third time on.

    Any number of threads may run it. While steps are observed, the program itself runs.

    Args:
        program: What runs where it is not captured.
        fixed: Positions of the inputs that are the same buffers in most calls: parameters.
    """

    def __init__(self, program: Deferred | Program | Sliced, fixed: Collection[int]) -> None:
        self.program = program
        self.run: Callable[[list[Buffer]], tuple[Buffer, ...]] = program.run
        """As :meth:`Program.run`."""
        self._lock = threading.Lock()
        self._capture: Recapture | None = None
        if isinstance(program, Sliced):
            return
        whole = program.program if isinstance(program, Deferred) else program
        self._capture = Recapture.of(whole, fixed)
        if not self._capture.refused:
            self.run = self._run

    @property
    def why(self) -> str | None:
        """Why it is not captured; None: it is."""
        return "the batch is computed in slices" if self._capture is None else self._capture.why

    def _run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        capture = self._capture
        assert capture is not None
        if instrumentation.watch.observer is None:
            with self._lock:
                if capture.takes(buffers):
                    return capture(buffers)
            if capture.refused:
                self.run = self.program.run
        return self.program.run(buffers)


class CapturedPair:
    """Runs a forward and a backward program, and what their table captured of them.

    What the captured forward program saves lies in memory of its own, which the next run writes
    over: while a backward pass is still to read it, the forward program itself runs. Any number of
    threads may call it.

    Args:
        programs: What runs where it is not captured.
        fixed: Positions of the inputs that are the same buffers in most calls: parameters.
    """

    def __init__(self, programs: Differentiable, fixed: Collection[int]) -> None:
        self.programs = programs
        saved = range(programs.num_outputs, len(programs.forward.outputs))
        self._forward = Recapture.of(programs.forward, fixed, saved)
        begin = len(programs.heads)
        end = begin + len(programs.saved_inputs)
        taken = enumerate(programs.saved_inputs, begin)
        kept = [k for k, i in taken if i in fixed]
        self._backward = Recapture.of(programs.backward, [*kept, *range(end, end + len(saved))])
        self._lock = threading.Lock()
        self._lent: ref[Saved] | None = None

    @property
    def parts(self) -> Partition:
        """As :attr:`Differentiable.parts`."""
        return self.programs.parts

    @property
    def why(self) -> str | None:
        """Why one of them is not captured; None: both are."""
        return self._forward.why or self._backward.why

    def run(self, inputs: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], Saved]:
        """As :meth:`Differentiable.run`."""
        if instrumentation.watch.observer is None and not self._forward.refused:
            with self._lock:
                if not self._is_lent() and self._forward.takes(inputs):
                    values, count = self._forward(inputs), self.programs.num_outputs
                    saved = Saved(values[count:])
                    self._lent = ref(saved)
                    return values[:count], saved
        return self.programs.run(inputs)

    def gradients(
        self,
        head_grads: Sequence[Buffer | None],
        inputs: Sequence[Buffer],
        saved: Saved,
        *,
        last: bool = False,
        out: Sequence[Buffer | None] = (),
    ) -> tuple[Any, ...]:
        """As :meth:`Differentiable.gradients`."""
        programs = self.programs
        if self._lent is None or self._lent() is not saved:
            return programs.gradients(head_grads, inputs, saved, last=last, out=out)
        with self._lock:  # until the memory has been read
            if instrumentation.watch.observer is None:
                given = programs.parts.operands(head_grads, inputs, saved)
                if self._backward.takes(given):
                    if last:
                        saved.let_go()
                    return programs.parts.finished(self._backward(given), inputs)
            return programs.gradients(head_grads, inputs, saved, last=last, out=out)

    def _is_lent(self) -> bool:
        """Whether a backward pass may still read what was saved."""
        saved = None if self._lent is None else self._lent()
        return bool(saved)
