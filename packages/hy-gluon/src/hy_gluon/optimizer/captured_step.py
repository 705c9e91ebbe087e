"""CapturedStep: an optimizer's step that the kernel table captures, with rates on the device."""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from hy_gluon.optimizer.layout import Layout, Single
from hy_gluon.optimizer.multi_tensor import Buffers, Columns, MultiTensorCall, Settings
from hy_ndarray import Buffer, KernelFunction
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture

__all__ = ["CapturedStep"]

# Each value of rescale_grad and the like is a capture of its own, with device memory of its own.
_MAX_CAPTURES = 4
"""Settings, such as the factor of the gradients, whose captured steps are kept."""


class CapturedStep:
    """Does a step again as the table captured it; what differs from step to step is copied in.

    Those are the gradients, and the numbers of all weights, such as rates, decays and counts:
    in arrays where an operator takes them so, else each in a buffer of its own. Settings of the
    optimizer are captured with the rest: other ones are captured for themselves.

    Args:
        layout: Where everything is; gradients may be others each time.
        groups: Weights that one call changes.
        dtypes: Those of the groups' rates.
        singles: All other weights.
    """

    def __init__(
        self,
        layout: Layout,
        groups: Sequence[MultiTensorCall],
        dtypes: Sequence[str],
        singles: Sequence[Single],
    ) -> None:
        self._layout = layout
        self._device = layout.device
        self._groups = groups
        self._dtypes = dtypes
        self._singles = singles
        self._captures: OrderedDict[str, Recapture] = OrderedDict()
        self.why: str | None = None
        """Why the last step was not captured; None: it was."""

    def run(self, buffers: Sequence[Buffer], numbers: Columns, settings: Settings) -> bool:
        """Do the step, if it is captured.

        Args:
            buffers: Weights, gradients and states.
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
        # Rates and counts are copied to the device before a replay: a captured graph reads memory,
        # not Python numbers.
        inputs = [*buffers, *self.rates(numbers)]
        is_taken = again.takes(inputs)
        self.why = again.why
        if is_taken:
            again(inputs)
        return is_taken

    def _recapture(self, count: int, names: Sequence[str], settings: Settings) -> Recapture:
        # Gradients may be new arrays in each step; everything else stays where it was captured.
        varying = frozenset(self._layout.gradients)
        fixed = [k for k in range(count) if k not in varying]
        run = self.work(count, names, settings)
        recapture = self._captures[settings.key] = Recapture(run, self._device, fixed)
        while len(self._captures) > _MAX_CAPTURES:
            self._captures.popitem(last=False)
        return recapture

    def work(
        self, count: int, names: Sequence[str], settings: Settings
    ) -> Callable[[list[Buffer]], tuple[Buffer, ...]]:
        """Return the function that is captured: it takes some buffers, then :meth:`rates`.

        Args:
            count: How many weights, gradients and states there are.
            names: Those of the numbers.
            settings: The optimizer's.
        """
        # Without `self`: the capture would keep this object, and by it the weights, alive.
        parts = self._layout, self._groups, self._singles
        return partial(_run, *parts, count, names, settings)

    def rates(self, numbers: Columns) -> list[Buffer]:
        """Return the numbers of all weights, in buffers."""
        arrays = [
            array
            for group, dtype in zip(self._groups, self._dtypes, strict=True)
            if group.loaded is not None
            for array in group.rates(numbers, dtype)
        ]
        if _takes_cells(self._groups, self._singles):
            # float64 holds counts of steps exactly up to 2**53.
            arrays.append(np.array([*numbers.values()], "float64"))
        memory, handle = self._device.memory, self._device.handle
        return [memory.from_numpy(array, handle) for array in arrays]


def _takes_cells(groups: Sequence[MultiTensorCall], singles: Sequence[Single]) -> bool:
    """Whether some numbers are in buffers of their own, all of which are of one array."""
    return bool(singles) or any(group.loaded is None for group in groups)


def _run(
    layout: Layout,
    groups: Sequence[MultiTensorCall],
    singles: Sequence[Single],
    count: int,
    names: Sequence[str],
    settings: Settings,
    buffers: list[Buffer],
) -> tuple[Buffer, ...]:
    """Do the step on so many buffers, behind which the rates are, and numbers by these names."""
    device, rates = layout.device, iter(buffers[count:])
    cells: dict[str, list[Buffer]] = {}
    if _takes_cells(groups, singles):
        table = buffers[-1]
        rows = range(table.shape[1])
        cells = {name: [table[k][i] for i in rows] for k, name in enumerate(names)}

    own = buffers[:count]
    wide = layout.with_float32_gradients(own)
    for group in groups:
        _change(group, device.kernels, wide, rates, cells, settings)
    for row, program, over in singles:
        loaded = {name: x[row] for name, x in cells.items()}
        values, write = wide[layout.slices[row]], device.memory.write
        program.run(device.kernels, values, settings.numbers, write, over, loaded)
    layout.narrow(own)
    return ()


def _change(
    group: MultiTensorCall,
    kernels: Mapping[str, KernelFunction],
    buffers: Buffers,
    rates: Iterator[Buffer],
    cells: Mapping[str, Sequence[Buffer]],
    settings: Settings,
) -> None:
    if group.loaded is None:
        group.run_listed(kernels, buffers, cells, settings)
    else:
        both = next(rates), next(rates)
        group.run_loaded(kernels[group.loaded.kernel], buffers, both, settings)
