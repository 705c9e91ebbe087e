"""CapturedStep: an optimizer's step that the kernel table captures, with rates on the device."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from hy_gluon.optimizer.joined import Columns, Given, Joined, Settings
from hy_ndarray import Buffer, Device
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture, no_capture

__all__ = ["CapturedStep"]

_KEPT = 4
"""Settings, such as the factor of the gradients, whose captured steps are kept."""

Step: TypeAlias = Callable[[Sequence[Buffer], Callable[[Given], None]], None]


class CapturedStep:
    """Does a step again as the table captured it; what differs from step to step is copied in.

    Those are the gradients, and rates and decays of all weights. Settings of the optimizer are
    captured with the rest: other ones are captured for themselves.

    Args:
        step: Does it on buffers, of which it gives each weight's to a function that changes them.
        groups: Weights that one call changes; all weights are in one.
        dtypes: Those of the groups' rates.
        device: Where.
        varying: Positions of the buffers that may be others each time: gradients.
        why: What is in the way of capturing it, if that is known.
    """

    def __init__(
        self,
        step: Step,
        groups: Sequence[Joined],
        dtypes: Sequence[str],
        device: Device,
        varying: Sequence[int],
        *,
        why: str | None,
    ) -> None:
        self._step = step
        self._groups = groups
        self._dtypes = dtypes
        self._device = device
        self._varying = frozenset(varying)
        self._kept: OrderedDict[str, Recapture] = OrderedDict()
        lacking = [group.name for group in groups if group.loaded is None]
        if why is None and lacking:
            why = f"{lacking[0]} takes its rates from the host"
        if why is None:
            why = no_capture(device)
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
        fixed = [k for k in range(count) if k not in self._varying]
        run = partial(self._run, count, settings)
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

    def _run(self, count: int, settings: Settings, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        rates, kernels = iter(buffers[count:]), self._device.kernels

        def change(given: Given) -> None:
            for group in self._groups:
                assert group.loaded is not None
                kernel = kernels[group.loaded.kernel]
                group.run_loaded(kernel, given, (next(rates), next(rates)), settings)

        self._step(buffers[:count], change)
        return ()
