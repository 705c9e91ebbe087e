"""CapturedStep: an optimizer's step that the kernel table captures, with rates on the device."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from hy_gluon.optimizer.rule import Columns
from hy_gluon.optimizer.work import Settings, Work
from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture

__all__ = ["CapturedStep"]

# Each value of rescale_grad and the like is a capture of its own, with device memory of its own.
_MAX_CAPTURES = 4
"""Settings, such as the factor of the gradients, whose captured steps are kept."""


class CapturedStep:
    """Does a step again as the table captured it; what differs from step to step is copied in.

    Those are the gradients, and the numbers of all weights, such as rates, decays and counts.
    Settings of the optimizer are captured with the rest: other ones are captured for themselves.

    Args:
        work: What is captured.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._captures: OrderedDict[str, Recapture] = OrderedDict()
        self.why: str | None = None
        """Why the last step was not captured; None: it was."""

    def run(self, buffers: Sequence[Buffer], numbers: Columns, settings: Settings) -> bool:
        """Do the step, if it is captured.

        Args:
            buffers: Those that the work takes.
            numbers: Of each weight, by name.
            settings: The optimizer's.
        """
        # An observer needs the single operators; a captured step is one launch.
        if instrumentation.watch.observer is not None:
            return False
        again = self._captures.get(settings.key)
        if again is None:
            again = self._recapture(len(buffers), tuple(numbers), settings)
        self._captures.move_to_end(settings.key)
        self.why = again.why
        if again.refused:
            return False
        inputs = [*buffers, self.loaded(numbers)]
        is_taken = again.takes(inputs)
        self.why = again.why
        if is_taken:
            again(inputs)
        return is_taken

    def _recapture(self, count: int, names: Sequence[str], settings: Settings) -> Recapture:
        # Gradients may be new arrays in each step; everything else stays where it was captured.
        varying = frozenset(self._work.gradients)
        fixed = [k for k in range(count) if k not in varying]
        run = self.run_of(names, settings)
        recapture = self._captures[settings.key] = Recapture(run, self._work.device, fixed)
        while len(self._captures) > _MAX_CAPTURES:
            self._captures.popitem(last=False)
        return recapture

    def run_of(
        self, names: Sequence[str], settings: Settings
    ) -> Callable[[list[Buffer]], tuple[Buffer, ...]]:
        """Return the function that is captured: it takes buffers, then :meth:`loaded`.

        Args:
            names: Those of the numbers.
            settings: The optimizer's.
        """
        # Without `self`: the capture would keep this object alive.
        return partial(_run, self._work, names, settings)

    def loaded(self, numbers: Columns) -> Buffer:
        """Return the numbers of all weights in a buffer, a row for each name."""
        # A captured graph reads memory, not Python numbers; float64 holds counts of steps exactly
        # up to 2**53.
        device = self._work.device
        return device.memory.from_numpy(np.array([*numbers.values()], "float64"), device.handle)


def _run(
    work: Work, names: Sequence[str], settings: Settings, buffers: list[Buffer]
) -> tuple[Buffer, ...]:
    """Do the step on buffers, the last of which has the numbers by these names."""
    *own, table = buffers
    cells = {name: tuple([table[k][i] for i in range(work.count)]) for k, name in enumerate(names)}
    work(own, cells, settings, loaded=cells)
    return ()
