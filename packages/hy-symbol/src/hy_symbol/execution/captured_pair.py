"""CapturedPair: forward and backward programs, captured as for example CUDA graphs."""

import threading
from collections.abc import Collection, Sequence
from typing import Any
from weakref import ref

from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol.execution.differentiable import Differentiable, Saved
from hy_symbol.execution.partition import Partition
from hy_symbol.execution.recapture import Recapture
from hy_symbol.execution.tiers import Tier

__all__ = ["CapturedPair"]


class CapturedPair:
    """Runs a forward and a backward program, as captured graphs where possible.

    The captured forward program saves values to fixed memory that its next run overwrites. While a
    backward pass still has to read them, forward runs use the program that is not captured.
    Thread-safe.

    Args:
        programs: The programs to capture; they run themselves where no capture can be used.
        fixed: Positions of the inputs that are the same buffers in most calls: parameters.
    """

    def __init__(self, programs: Differentiable, fixed: Collection[int]) -> None:
        self.programs = programs
        saved = range(programs.num_outputs, len(programs.forward.outputs))
        self._forward = Recapture.of(programs.forward, fixed, saved)
        begin = len(programs.heads)
        end = begin + len(programs.saved_inputs)
        taken = enumerate(programs.saved_inputs, begin)
        retained = [k for k, i in taken if i in fixed]
        self._backward = Recapture.of(programs.backward, [*retained, *range(end, end + len(saved))])
        self._lock = threading.Lock()
        self._lent: ref[Saved] | None = None

    @property
    def parts(self) -> Partition:
        """Return the forward and backward parts of the graph, see :attr:`Differentiable.parts`."""
        return self.programs.parts

    @property
    def tier(self) -> Tier:
        """Tier of the last run."""
        return Tier.CAPTURED if self.why is None else Tier.COMPILED

    @property
    def why(self) -> str | None:
        """Reason why one program is not captured; None if both are."""
        return self._forward.why or self._backward.why

    def run(self, inputs: Sequence[Buffer]) -> tuple[tuple[Buffer, ...], Saved]:
        """Run like :meth:`Differentiable.run`, through the captured graph if it can be used."""
        if instrumentation.watch.observer is None and not self._forward.refused:
            with self._lock:
                # The reference is weak: a pass that nobody goes back through lends nothing any
                # more.
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
        """Return gradients like :meth:`Differentiable.gradients`, from a capture if usable."""
        programs = self.programs
        if self._lent is None or self._lent() is not saved:
            return programs.gradients(head_grads, inputs, saved, last=last, out=out)
        with self._lock:  # until the memory has been read
            if instrumentation.watch.observer is None:
                buffers = programs.parts.operands(head_grads, inputs, saved)
                if self._backward.takes(buffers):
                    if last:
                        saved.let_go()
                    return programs.parts.finished(self._backward(buffers), inputs)
            return programs.gradients(head_grads, inputs, saved, last=last, out=out)

    def _is_lent(self) -> bool:
        """Return whether a backward pass may still read the saved values."""
        saved = None if self._lent is None else self._lent()
        return bool(saved)
