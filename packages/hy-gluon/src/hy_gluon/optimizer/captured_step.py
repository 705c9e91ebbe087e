"""CapturedStep: an optimizer's step that the kernel table captures, with rates on the device."""

from collections import OrderedDict
from collections.abc import Sequence
from functools import partial

from hy_gluon.optimizer.joined import Columns, Given, Joined, Settings
from hy_gluon.optimizer.layout import Layout
from hy_ndarray import Buffer
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture, no_capture

__all__ = ["CapturedStep"]

_KEPT = 4
"""Settings, such as the factor of the gradients, whose captured steps are kept."""


class CapturedStep:
    """Does a step again as the table captured it; what differs from step to step is copied in.

    Those are the gradients, and rates and decays of all weights. Settings of the optimizer are
    captured with the rest: other ones are captured for themselves.

    Args:
        layout: Where everything is; gradients may be others each time.
        groups: Weights that one call changes; all weights are in one.
        dtypes: Those of the groups' rates.
        why: What is in the way of capturing it, if that is known.
    """

    def __init__(
        self,
        layout: Layout,
        groups: Sequence[Joined],
        dtypes: Sequence[str],
        *,
        why: str | None,
    ) -> None:
        self._layout = layout
        self._device = layout.device
        self._groups = groups
        self._dtypes = dtypes
        self._kept: OrderedDict[str, Recapture] = OrderedDict()
        lacking = [group.name for group in groups if group.loaded is None]
        if why is None and lacking:
            why = f"{lacking[0]} takes its rates from the host"
        if why is None:
            why = no_capture(self._device)
        self.why = why
        """Why the last step was not captured; None: it was."""
        self._refused = why is not None

    def run(self, buffers: Sequence[Buffer], numbers: Columns, settings: Settings) -> bool:
        """Do the step, if it is captured.

        Args:
            buffers: Weights, gradients and states.
            numbers: Of each weight, by name.
            settings: The optimizer's.
        """
        if self._refused or instrumentation.watch.observer is not None:
            return False
        again = self._kept.get(settings.key)
        if again is None:
            again = self._recapture(len(buffers), settings)
        self._kept.move_to_end(settings.key)
        self.why = again.why
        if again.refused:
            return False
        given = [*buffers, *self._rates(numbers)]
        found = again.takes(given)
        self.why = again.why
        if found:
            again(given)
        return found

    def _recapture(self, count: int, settings: Settings) -> Recapture:
        varying = frozenset(self._layout.slopes)
        fixed = [k for k in range(count) if k not in varying]
        run = partial(_run, self._layout, self._groups, count, settings)  # without this object
        made = self._kept[settings.key] = Recapture(run, self._device, fixed)
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        return made

    def _rates(self, numbers: Columns) -> list[Buffer]:
        memory, handle = self._device.memory, self._device.handle
        return [
            memory.from_numpy(array, handle)
            for group, dtype in zip(self._groups, self._dtypes, strict=True)
            for array in group.rates(numbers, dtype)
        ]


def _run(
    layout: Layout,
    groups: Sequence[Joined],
    count: int,
    settings: Settings,
    buffers: list[Buffer],
) -> tuple[Buffer, ...]:
    """Do the step on so many buffers, behind which the rates are."""
    rates, kernels = iter(buffers[count:]), layout.device.kernels

    def change(given: Given) -> None:
        for group in groups:
            assert group.loaded is not None
            kernel = kernels[group.loaded.kernel]
            group.run_loaded(kernel, given, (next(rates), next(rates)), settings)

    layout.with_copies(buffers[:count], change)
    return ()
