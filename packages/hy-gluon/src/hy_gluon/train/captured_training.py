"""CapturedTraining: a training step captured by the kernel table, such as a CUDA graph."""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

from hy_gluon.optimizer.rule import Columns
from hy_gluon.train.compiled_gradients import CompiledGradients
from hy_gluon.train.update import Update
from hy_ndarray import Buffer, NDArray
from hy_ndarray.devices import instrumentation
from hy_symbol import Recapture, ValueAndGradients, no_capture

__all__ = ["CapturedTraining"]

# One capture per value of rescale_grad and the like: the last batch of an epoch may be smaller.
_MAX_SETTINGS = 4
"""Number of optimizer settings, such as gradient scales, whose captured steps are cached."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Forward pass, backward pass and update as one function of buffers, to be captured."""

    program: ValueAndGradients
    update: Callable[[list[Buffer]], tuple[Buffer, ...]]
    inputs: int
    gradients: int

    def __call__(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Run the step on buffers of inputs, gradients, weights and states; return the outputs."""
        # Weights change inside of the work: outputs, gradients and updates are one CUDA graph.
        end = self.inputs + self.gradients
        values = self.program.run_free(buffers[: self.inputs], buffers[self.inputs : end])
        self.update(buffers[end:])
        return values


class CapturedTraining:
    """Captures forward pass, backward pass and update once, and replays them.

    Arguments, learning rates and step counts are copied into captured buffers; weights, gradients
    and states are updated in place.

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
        self, arguments: Sequence[NDArray], update: Update, numbers: Columns
    ) -> list[NDArray] | None:
        """Run a captured step, and return the outputs; None if the step cannot be captured.

        Args:
            arguments: Data and labels of the call, flat.
            update: Optimizer step on the weights.
            numbers: Numbers that ``update.begin()`` returned.
        """
        plan = update.plan
        # A profiler has to see the parts, but a captured step is opaque.
        if instrumentation.watch.observer is not None or plan is None:
            return None
        captured = plan.captured
        if captured is None:
            self.why = plan.why
            return None
        gradients = self._gradients
        inputs, out = gradients.buffers(arguments)
        own = plan.buffers(update.grads)
        rates, table = captured.loaded(numbers)
        buffers = [*inputs, *out, *own, table]
        key = plan.settings.key, rates.key
        again = self._recaptures.get(key)
        if again is None:
            work = _Work(
                gradients.program,
                update=captured.run_of(rates, plan.settings),
                inputs=len(inputs),
                gradients=len(out),
            )
            # Only arguments, rates and counts get new buffers in each call; all others stay in
            # place.
            varying = {i for i, _ in gradients.arguments}
            fixed = [k for k in range(len(buffers) - 1) if k not in varying]
            program = gradients.program.program
            again = self._recaptures[key] = Recapture.of(program, fixed, run=work)
            # Oldest first: a captured graph holds device memory.
            while len(self._recaptures) > _MAX_SETTINGS:
                self._recaptures.popitem(last=False)
        is_captured = again.takes(buffers)
        self.why = again.why
        if not is_captured:
            return None
        values = again(buffers)
        # Values that were prepared from the weights are stale now: kernels wrote to their memory.
        plan.wrote(own)
        return gradients.outputs(values, arguments)
