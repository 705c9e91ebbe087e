"""CapturedTraining: a training step captured by the kernel table, such as a CUDA graph."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hy_gluon.gradients import clip, norm_limit
from hy_gluon.optimizer.rule import Columns
from hy_gluon.optimizer.step import StepPlan
from hy_gluon.parameter.arrays import gradient_of
from hy_gluon.train.compiled_gradients import CompiledGradients, run_added
from hy_gluon.train.update import Update
from hy_ndarray import Buffer, NDArray
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture, ValueAndGradients, no_capture

__all__ = ["CapturedTraining", "Ending"]

# One capture per value of rescale_grad and the like: the last batch of an epoch may be smaller. Two
# more where gradients accumulate: for the first batch, and for those between it and the last.
_MAX_CAPTURES = 6
"""Number of captured steps that are cached."""


@dataclass(frozen=True, slots=True)
class Ending:
    """Clips the gradients of a backward pass, and updates the weights."""

    update: Update
    numbers: Columns
    """Numbers that ``update.begin()`` returned."""
    weights: Sequence[NDArray]
    """Weights whose gradients are clipped together."""
    max_norm: float | None

    @property
    def limit(self) -> float | None:
        """Return the limit of the gradients' norm; None if there is none."""
        return norm_limit(self.max_norm, self.update.optimizer.rescale_grad)

    def __call__(self) -> None:
        """Clip the gradients, and update the weights."""
        limit = self.limit
        if limit is not None:
            clip([[gradient_of(weight) for weight in self.weights]], limit)
        self.update.finish(self.numbers)


@dataclass(frozen=True, slots=True)
class _Work:
    """Forward pass, backward pass and ending as one function of buffers, to be captured."""

    program: ValueAndGradients
    inputs: int
    """Number of inputs; gradients come next, then weights, states and numbers."""
    gradients: int
    added: bool
    """Whether gradients are added to those of earlier calls."""
    update: Callable[[list[Buffer]], tuple[Buffer, ...]] | None = None
    clipped: Sequence[int] = ()
    """Positions of the gradients that are clipped."""
    limit: float | None = None

    def __call__(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run the step on buffers of inputs, gradients, weights and states; return the outputs."""
        # Weights change inside of the work: outputs, gradients and updates are one CUDA graph.
        end = self.inputs + self.gradients
        inputs, out = buffers[: self.inputs], buffers[self.inputs : end]
        run, device = self.program.run_free, self.program.program.device
        values = run_added(run, inputs, out, device) if self.added else run(inputs, out)
        if self.limit is not None:
            clip([[NDArray.from_buffer(out[k], device) for k in self.clipped]], self.limit)
        if self.update is not None:
            self.update(buffers[end:])
        return values


class CapturedTraining:
    """Captures forward pass, backward pass and update once, and replays them.

    Arguments, learning rates and step counts are copied into captured buffers; weights, gradients
    and states are updated in place. Where gradients accumulate, a step without an update is a
    capture of its own.

    Args:
        gradients: Compiled forward and backward pass.
    """

    def __init__(self, gradients: CompiledGradients) -> None:
        self._gradients = gradients
        self._recaptures: OrderedDict[Hashable, Recapture] = OrderedDict()
        self.why = no_capture(gradients.device)
        """Reason why the last step was not captured; None if it was."""
        self.refused = self.why is not None
        """Whether the kernel table cannot capture any step."""

    def run(
        self, arguments: Sequence[NDArray], ending: Ending | None, *, added: bool
    ) -> list[NDArray] | None:
        """Run a captured step, and return the outputs; None if the step cannot be captured.

        Args:
            arguments: Data and labels of the call, flat.
            ending: Clipping and update after the backward pass; None if gradients accumulate.
            added: Whether to add the gradients to those of earlier calls.
        """
        # A profiler has to see the parts, but a captured step is opaque.
        if instrumentation.watch.observer is not None:
            return None
        update: _Captured | None = None
        if ending is not None:
            update = self._update(ending)
            if update is None:
                return None
        gradients = self._gradients
        inputs, out = gradients.buffers(arguments)
        buffers = [*inputs, *out] if update is None else [*inputs, *out, *update.own, update.table]
        key = added, None if update is None else update.key
        again = self._recaptures.get(key)
        if again is None:
            work = _Work(
                gradients.program, inputs=len(inputs), gradients=len(out), added=added,
                update=None if update is None else update.run,
                clipped=() if ending is None else gradients.positions(ending.weights),
                limit=None if ending is None else ending.limit,
            )  # fmt: skip
            # Only arguments, rates and counts get new buffers in each call; all others stay in
            # place.
            varying = {i for i, _ in gradients.arguments}
            fixed = [k for k in range(len(inputs) + len(out)) if k not in varying]
            if update is not None:
                fixed += range(len(inputs) + len(out), len(buffers) - 1)
            program = gradients.program.program
            again = self._recaptures[key] = Recapture.of(program, fixed, run=work)
            # Oldest first: a captured graph holds device memory.
            while len(self._recaptures) > _MAX_CAPTURES:
                self._recaptures.popitem(last=False)
        self._recaptures.move_to_end(key)
        is_captured = again.takes(buffers)
        self.why = again.why
        if not is_captured:
            return None
        values = again(buffers)
        # Values that were prepared from the weights are stale now: kernels wrote to their memory.
        if update is not None:
            update.plan.wrote(update.own)
        return gradients.outputs(values, arguments)

    def _update(self, ending: Ending) -> "_Captured | None":
        """Return what updates the weights in a captured step; None if nothing can."""
        plan = ending.update.plan
        if plan is None:
            self.why = "no step was done yet"
            return None
        # The plan of another table's step updates nothing here.
        if plan.captured is None or plan.device is not self._gradients.device:
            self.why = plan.why
            return None
        rates, table = plan.captured.loaded(ending.numbers)
        return _Captured(
            plan,
            key=(plan.settings.key, rates.key, ending.limit),
            run=plan.captured.run_of(rates, plan.settings),
            own=plan.buffers(ending.update.grads),
            table=table,
        )


class _Captured(NamedTuple):
    """An update that can be captured."""

    plan: StepPlan
    key: Hashable
    """What is constant in a capture."""
    run: Callable[[list[Buffer]], tuple[Buffer, ...]]
    """Takes ``own`` and ``table``."""
    own: list[Buffer]
    """Buffers of weights, gradients and states."""
    table: Buffer
    """The numbers that it reads."""
