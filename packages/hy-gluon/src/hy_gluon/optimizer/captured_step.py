"""CapturedStep: an optimizer step captured by the kernel table, with rates in device memory."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from hy_gluon.optimizer.rule import Columns
from hy_gluon.optimizer.work import Settings, Work
from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture

__all__ = ["CapturedStep", "Rates"]

# Each value of rescale_grad and the like needs its own capture, with its own device memory.
_MAX_CAPTURES = 4
"""Number of optimizer settings, such as gradient scales, whose captures are cached."""
_CONSTANT = ("wd",)
"""Numbers that seldom change, which are constants of a capture."""


class Rates(NamedTuple):
    """Numbers of all weights: constants of a capture, and positions of numbers that it reads.

    Weights with equal numbers share a position, so that a table can update them together.
    """

    constant: Mapping[str, Sequence[float]]
    """Constant numbers by name; a capture is valid only for these values."""
    positions: Mapping[str, tuple[int, ...]]
    """Positions in the buffer by name, one per weight."""

    @property
    def key(self) -> Hashable:
        """Return a key for captures that differ in constants."""
        return tuple(self.constant.items()), tuple(self.positions.items())

    def of(self, table: Any) -> dict[str, Sequence[Any]]:
        """Return the numbers of all weights by name, read from ``table`` unless constant."""
        cells = [table[k] for k in range(table.shape[0])]
        read = {name: [cells[k] for k in positions] for name, positions in self.positions.items()}
        return {**self.constant, **read}


class CapturedStep:
    """Captured optimizer step, which is replayed after its numbers were copied to the device.

    Numbers such as rates and counts are in one buffer. Settings of the optimizer are constants of a
    capture; so are weight decays, until one changes.

    Args:
        work: The work to capture.
    """

    def __init__(self, work: Work) -> None:
        self._work = work
        self._constants: dict[str, tuple[float, ...]] | None = None
        self._captures: OrderedDict[Hashable, Recapture] = OrderedDict()
        self.why: str | None = None
        """Reason why the last step was not captured; None if it was."""

    def run(self, buffers: Sequence[Buffer], numbers: Columns, settings: Settings) -> bool:
        """Replay the step if it is captured, and return whether it is.

        Args:
            buffers: Buffers of the work.
            numbers: Numbers of each weight, by name.
            settings: Settings of the optimizer.
        """
        # An observer needs the single operators; a captured step is one launch.
        if instrumentation.watch.observer is not None:
            return False
        rates, table = self.loaded(numbers)
        key = settings.key, rates.key
        again = self._captures.get(key)
        if again is None:
            again = self._captures[key] = self._recapture(len(buffers), rates, settings)
            while len(self._captures) > _MAX_CAPTURES:
                self._captures.popitem(last=False)
        self._captures.move_to_end(key)
        self.why = again.why
        if again.refused:
            return False
        inputs = [*buffers, table]
        is_taken = again.takes(inputs)
        self.why = again.why
        if is_taken:
            again(inputs)
        return is_taken

    def _recapture(self, count: int, rates: Rates, settings: Settings) -> Recapture:
        # Gradients may be new arrays in each step; everything else stays where it was captured.
        varying = frozenset(self._work.gradients)
        fixed = [k for k in range(count) if k not in varying]
        return Recapture(self.run_of(rates, settings), self._work.device, fixed)

    def run_of(
        self, rates: Rates, settings: Settings
    ) -> Callable[[list[Buffer]], tuple[Buffer, ...]]:
        """Return the function to capture; its arguments are the work's buffers and a number buffer.

        Args:
            rates: The constant numbers, and the positions of others in the buffer of numbers.
            settings: Settings of the optimizer.
        """
        # Without `self`: the capture would keep this object alive.
        return partial(_run_on_buffers, self._work, rates, settings)

    def loaded(self, numbers: Columns) -> tuple[Rates, Buffer]:
        """Return constants and positions of the numbers, and a device buffer of the others."""
        if self._constants is None:
            self._constants = {name: tuple(numbers[name]) for name in _CONSTANT if name in numbers}
        # A number that has changed once may change at every step: from then on it is read.
        for name in [*self._constants]:
            if tuple(numbers[name]) != self._constants[name]:
                del self._constants[name]
        values: list[float] = []
        positions: dict[str, tuple[int, ...]] = {}
        for name, column in numbers.items():
            if name not in self._constants:
                own: dict[float, int] = {}
                positions[name] = tuple([own.setdefault(x, len(values) + len(own)) for x in column])
                values += own
        # A captured graph reads memory, not Python numbers; float64 holds counts of steps exactly
        # up to 2**53.
        device = self._work.device
        table = device.memory.from_numpy(np.array(values, "float64"), device.handle)
        return Rates({**self._constants}, positions), table


def _run_on_buffers(
    work: Work, rates: Rates, settings: Settings, buffers: list[Buffer]
) -> tuple[Buffer, ...]:
    """Update weights and states in ``buffers``, the last of which contains the numbers."""
    *own, table = buffers
    work(own, rates.of(table), settings, loaded=rates.positions)
    return ()
