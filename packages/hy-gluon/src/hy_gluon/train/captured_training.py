"""CapturedTraining: a training step captured by the kernel table."""

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

# One for each value of rescale_grad and the like: the last batch of an epoch has another size.
_MAX_SETTINGS = 4
"""Settings, such as the factor of the gradients, whose captured steps are kept."""


@dataclass(frozen=True, slots=True)
class _Work:
    """Forward pass, backward pass and update in one function that can be captured."""

    program: ValueAndGradients
    update: Callable[[list[Buffer]], tuple[Buffer, ...]]
    inputs: int
    gradients: int

    def __call__(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Return the outputs, given buffers of inputs, gradients, weights and states."""
        # Weights change inside of the work: outputs, gradients and updates are one CUDA graph.
        end = self.inputs + self.gradients
        values = self.program.run_free(buffers[: self.inputs], buffers[self.inputs : end])
        self.update(buffers[end:])
        return values


class CapturedTraining:
    """Replays the captured forward pass, backward pass and update.

    Arguments, rates and counts are copied in; weights, gradients and states are changed where they
    are.

    Args:
        gradients: Computes the gradients.
    """

    def __init__(self, gradients: CompiledGradients) -> None:
        self._gradients = gradients
        self._recaptures: OrderedDict[Hashable, Recapture] = OrderedDict()
        self.why = no_capture(gradients.device)
        """Why the last step was not captured; None: it was."""
        self.refused = self.why is not None
        """Whether no step ever will be."""

    def run(
        self, arguments: Sequence[NDArray], update: Update, numbers: Columns
    ) -> list[NDArray] | None:
        """Run a step, and return the outputs; None if it is not captured.

        Args:
            arguments: Those of the call.
            update: Changes the weights.
            numbers: What it began with.
        """
        plan = update.plan
        # A profiler wants to see the parts, and a captured step is one.
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
            # Arguments, rates and counts move; all other buffers are captured where they are.
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
