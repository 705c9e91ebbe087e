"""TrainStep: forward pass, loss, backward pass and update as one executable."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from hy_gluon.block import Block, hooks
from hy_gluon.parameter.arrays import gradient_of
from hy_gluon.parameter.storage import version
from hy_gluon.trace.fallback import Untraceable
from hy_gluon.trace.guards import key_of
from hy_gluon.trace.structure import flatten, regroup
from hy_gluon.trace.tracer import prepared
from hy_gluon.train.block_states import BlockState, states_of
from hy_gluon.train.captured_training import CapturedTraining, Ending
from hy_gluon.train.compiled_gradients import CompiledGradients, why_not_compiled
from hy_gluon.train.net_with_loss import NetWithLoss, traceable
from hy_gluon.train.ordinary_loop import OrdinaryLoop
from hy_gluon.train.reasons import (
    ending_in_words,
    why_not_captured,
    why_not_overlapped,
    why_not_updated,
)
from hy_gluon.train.update import update_of
from hy_gluon.trainer import Trainer
from hy_gluon.utils import split_and_load
from hy_ndarray import (
    ArgumentError,
    AutogradError,
    Context,
    NDArray,
    autograd,
    buffers_of,
    in_graph,
)
from hy_ndarray.core.casting import casting_policy
from hy_symbol import Pool, explained

__all__ = ["TrainStep"]

_Signature: TypeAlias = tuple[Any, ...]
# Each shape of batches (buckets of sentences) has its programs; beyond this limit all are dropped.
_MAX_SIGNATURES = 64
"""Maximum of input signatures with cached programs."""


@dataclass(slots=True)
class _Compiled:
    """Compiled programs of a training step for one signature of arguments."""

    gradients: list[CompiledGradients] = field(default_factory=list)
    """Programs by context; empty if the ordinary loop runs."""
    formats: tuple[Any, Any] = (None, None)
    why: str | None = None
    """Reason why the ordinary loop runs; None if it does not."""
    why_not_updated: str | None = None
    """Reason why ``trainer.step`` updates the weights; None if the program does."""
    why_not_overlapped: str | None = "the ordinary loop runs"
    """Reason why sums over workers begin after the backward pass; None if they do in it."""
    captured: CapturedTraining | None = None
    """Captured step, on kernel tables that can capture."""
    why_not_captured: str | None = None
    """Reason why no kernel table could capture the step; None if one could."""


class TrainStep:
    """Trains a net on one batch per call, with forward, loss, backward and update compiled.

    A call is equivalent to::

        with autograd.record():
            loss = loss_fn(net(data), label)
        loss.backward()
        trainer.step(batch_size)

    with the same weights, states, counts and gradients. Net and loss are traced into one graph,
    gradients are written directly into the parameters' gradient arrays, and small weights are
    updated by one kernel call. Calls can be mixed with ordinary steps, predictions, and loading or
    saving of parameters and states.

    A net that cannot be traced falls back to the ordinary loop. With an optimizer that overrides
    ``update``, a store, or several contexts, ``trainer.step`` does the update. :meth:`explain`
    states the reason. A store ``"sharded"`` sums gradients while the backward pass computes others.

    Small parameters, gradients and states are moved into one buffer. The array objects stay the
    same, but slices and reshaped views of a weight that were taken earlier refer to its old memory.

    Args:
        net: Called with ``data``, or with its items if ``data`` is a list or tuple.
        loss: Called with the prediction and the labels; a block or a function.
        trainer: Updates the parameters.
        accumulate: Number of calls whose gradients are summed before an update.
        outputs: Return the predictions, too.
        batch_axis: Axis of the examples in each argument.

    Raises:
        ArgumentError: ``trainer`` is no Trainer, or ``accumulate`` is below 1.

    Example:
        >>> from hy_gluon import Trainer, nn
        >>> from hy_gluon.loss import L2Loss
        >>> from hy_ndarray import nd
        >>> net = nn.Dense(1, in_units=2)
        >>> net.initialize("zeros")
        >>> trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
        >>> step = TrainStep(net, L2Loss(), trainer)
        >>> data, label = nd.array([[1, 0], [0, 1]]), nd.array([[1], [2]])
        >>> [round(float(step(data, label).mean().asscalar()), 3) for _ in range(3)]
        [1.25, 0.141, 0.044]
    """

    def __init__(
        self,
        net: Block,
        loss: Callable[..., Any],
        trainer: Trainer,
        *,
        accumulate: int = 1,
        outputs: bool = False,
        batch_axis: int = 0,
    ) -> None:
        if not isinstance(trainer, Trainer):
            raise ArgumentError(f"TrainStep takes a Trainer, not a {type(trainer).__name__}")
        if accumulate < 1:
            raise ArgumentError(f"TrainStep: accumulate={accumulate} must be 1 or more")
        self.net = net
        self.loss = loss
        self.trainer = trainer
        self._accumulate = accumulate
        self._outputs = outputs
        self._axis = batch_axis
        self._block, self._why = traceable(net, loss, outputs)
        self._programs: dict[_Signature, _Compiled] = {}
        # No version is -1: the first call checks everything.
        self._version = self._hooks = -1
        self._blocks: list[BlockState] = []
        self._pool = Pool()
        self._done = 0
        self._examples = 0.0
        self._loop = OrdinaryLoop(net, loss, trainer, adds=accumulate > 1)

    def __call__(self, data: Any, *labels: Any, batch_size: float | None = None) -> Any:
        """Train on one batch; return its loss.

        Args:
            data: Input of the net: an array, or a list or tuple of arrays.
            labels: Arguments of the loss after the prediction.
            batch_size: Divisor of the gradients; the number of examples if None.

        Returns:
            The loss, or with ``outputs`` the loss and the prediction; lists by context if there are
            several.

        Raises:
            StaleGradientError: A parameter of the trainer has no gradient, as the loss does not
                depend on it.
        """
        args = (data, *labels)
        flat, form = flatten(args, "input")
        # As ``data.shape[batch_axis]``; several arguments share it.
        if batch_size is None:
            batch_size = flat[0].shape[self._axis]
        compiled = self._compiled(args, flat, form)
        added, self._done = self._done > 0, self._done + 1
        # Weighted by examples, so that unequal batches of one accumulation count right.
        self._examples += batch_size
        try:
            last = self._done == self._accumulate
            if compiled.why is not None:
                return self._looped(args, added, last)
            if compiled.captured is not None and not compiled.captured.refused:
                return self._captured(compiled, compiled.captured, flat, added, last)
            if last and compiled.why_not_overlapped is None:
                return self._overlapped(compiled, args, flat, added)
            results = self._compute_gradients(compiled, args, flat, added)
            if last:
                self._update(compiled)
            return results
        # Also after an error: a failed batch must not leave a half-finished accumulation.
        finally:
            if self._done == self._accumulate:
                self._done, self._examples = 0, 0.0

    def num_losses(self, data: Any, *labels: Any) -> int | None:
        """Return the number of loss values for such arguments; None if the ordinary loop runs.

        Args:
            data: Data of a call.
            labels: Labels of a call.
        """
        args = (data, *labels)
        compiled = self._compiled(args, *flatten(args, "input"))
        if compiled.why is not None:
            return None
        return sum(each.num_losses for each in compiled.gradients)

    def explain(self, data: Any, *labels: Any) -> str:
        """Return a text that explains how a call with such arguments runs, without training.

        Args:
            data: Data of a call.
            labels: Labels of a call.

        Example:
            >>> from hy_gluon import Trainer, nn
            >>> from hy_gluon.loss import L2Loss
            >>> from hy_ndarray import nd
            >>> net = nn.Dense(1, in_units=2)
            >>> net.initialize()
            >>> step = TrainStep(net, L2Loss(), Trainer(net.collect_params(), "adam"))
            >>> print(step.explain(nd.ones((4, 2)), nd.ones((4, 1))).splitlines()[0])
            forward, loss and backward pass on cpu(0): one program; the update follows at once
        """
        args = (data, *labels)
        compiled = self._compiled(args, *flatten(args, "input"))
        if compiled.why is not None:
            return f"the ordinary loop runs: {compiled.why}"
        why = compiled.why_not_updated
        then = ending_in_words(self.trainer, why, self._accumulate)
        lines = [
            f"forward, loss and backward pass on {each.device.context}: one program; {then}"
            for each in compiled.gradients
        ]
        if self.trainer._kvstore is not None:
            why_later = compiled.why_not_overlapped
            when = "in the backward pass" if why_later is None else f"after it: {why_later}"
            lines.append(f"sums of gradients begin {when}")
        lines.append(str(explained(compiled.gradients[0].program.program)))
        if why is None:
            ((numbers, weights),) = self.trainer._learned_arrays()
            update = update_of(self.trainer._updaters[0], numbers, weights)
            names = [parameter.name for parameter in self.trainer._params]
            lines += update.described(names)
        captured = compiled.captured
        why = compiled.why_not_captured if captured is None else captured.why
        lines.append(f"the whole step: {'captured' if why is None else f'not captured: {why}'}")
        return "\n".join(lines)

    # --- what is compiled -------------------------------------------------------------------

    def _compiled(self, args: Sequence[Any], flat: Sequence[Any], form: Any) -> _Compiled:
        """Return the compiled programs for the types of these arguments, cached."""
        trainer = self.trainer
        trainer._init_kvstore()
        # Two integers in place of a walk over all blocks, in the usual call.
        if self._version != version() or self._is_changed():
            self._forget()
        policy = casting_policy()
        arrays = [x for x in flat if x is not None]
        # From the context of this thread: `use_kernels` may have changed the table since the last
        # call.
        device, buffers = buffers_of(arrays)
        kinds = zip(arrays, buffers, strict=True)
        signature = (
            form if type(form) is int else str(form),
            # Types of buffers, not of arrays: dtype and shape are attributes there, and properties
            # here.
            tuple([(type(x), buffer.shape, buffer.dtype) for x, buffer in kinds]),
            device,
            None if policy is None else key_of(policy),
            in_graph(arrays),
            trainer._amp_loss_scaler is None,
            trainer._optimizer,
        )
        compiled = self._programs.get(signature)
        if compiled is None:
            compiled = self._new(args, flat)
            # Compiling may give parameters their shapes, which changes the version.
            if self._version != version() or len(self._programs) == _MAX_SIGNATURES:
                self._programs = {}
                self._version = version()  # parameters may have got their shapes
            self._blocks = states_of(self._block)
            self._programs[signature] = compiled
        return compiled

    def _is_changed(self) -> bool:
        """Return whether a block's traces or hooks were replaced since the last compilation."""
        if hooks.version() != self._hooks:
            return True
        # A loop: each call of a step runs it, and a generator would take twice as long.
        for block, traces, hook in self._blocks:
            if block._hy_traces is not traces or block._hy_op_hook is not hook:
                return True
        return False

    def _forget(self) -> None:
        """Drop all programs, so that the next call traces and compiles again."""
        if self._block is not None and self._is_changed():
            # Only then: traces of an unchanged block are still right.
            self._block._clear_cached_op()
        self._programs = {}
        self._version, self._hooks = version(), hooks.version()
        self._blocks = states_of(self._block)

    def _new(self, args: Sequence[Any], flat: Sequence[Any]) -> _Compiled:
        block = self._block
        if block is None:
            return _Compiled(why=self._why)
        # A gradient with respect to an argument would need another program; the loop computes it.
        if True in in_graph([x for x in flat if x is not None]):
            return _Compiled(why="an argument keeps a gradient")
        if block._hy_hooked_below() or any(hook is not None for _, _, hook in states_of(block)):
            return _Compiled(why="a block inside has hooks, which a call of it fires")
        compiled = _Compiled()
        try:
            compiled.why = self._add_gradients(compiled, block, args)
        except Untraceable as error:
            why = error.error or error.traces.why_eager
            compiled.why = f"the net or the loss cannot be traced: {why}"
        except AutogradError as error:
            compiled.why = str(error)
        if compiled.why is None:
            compiled.why_not_updated = why_not_updated(self.trainer, compiled.gradients)
            compiled.why_not_overlapped = why_not_overlapped(self.trainer, compiled.gradients)
            compiled.why_not_captured = why_not_captured(self.trainer, compiled.why_not_updated)
            if compiled.why_not_captured is None:
                compiled.captured = CapturedTraining(compiled.gradients[0])
        return compiled

    def _add_gradients(
        self, compiled: _Compiled, block: NetWithLoss, args: Sequence[Any]
    ) -> str | None:
        """Compile the gradients for each context; return the reason if that is impossible."""
        scaled = self.trainer._amp_loss_scaler is not None
        for own in self._by_context(args):
            # Recording, since train mode and gradients belong to the trace's guards.
            with autograd.record():
                trace, arrays = prepared(block, own)
            why = why_not_compiled(trace, arrays)
            if why is not None:
                return why
            compiled.formats = trace.out_format
            count = len(compiled.formats[0])
            compiled.gradients.append(
                CompiledGradients(trace, arrays, losses=count, scaled=scaled, pool=self._pool)
            )
        return None

    def _by_context(self, args: Sequence[Any]) -> list[tuple[Any, ...]]:
        """Return the arguments split into one part per context of the trainer."""
        contexts = self.trainer._contexts
        if len(contexts) < 2:  # noqa: PLR2004
            return [tuple(args)]
        flat, form = flatten(args, "input")
        parts = [_split(x, contexts, self._axis) for x in flat]
        return [tuple(regroup([part[k] for part in parts], form)) for k in range(len(contexts))]

    # --- what a call does -------------------------------------------------------------------

    def _overlapped(
        self, compiled: _Compiled, args: Sequence[Any], flat: Sequence[Any], added: bool
    ) -> Any:
        """Compute the gradients, and sum those over workers that are there; then update."""
        store = self.trainer._kvstore
        assert store is not None
        ((numbers, weights),) = self.trainer._learned_arrays()
        self._scale_losses()
        # The workers agree on the scale before they sum.
        self.trainer._check_and_rescale_grad(self.trainer._scale / self._examples)
        positions = compiled.gradients[0].positions(weights)
        number_of = {position: i for i, position in enumerate(positions)}
        with store.summing(numbers, [gradient_of(weight) for weight in weights]) as begin:

            def ready(position: int) -> None:
                if position in number_of:  # else the trainer does not update it
                    begin(number_of[position])

            results = self._compute_gradients(compiled, args, flat, added, ready)
            self._update(compiled)
        return results

    def _compute_gradients(
        self,
        compiled: _Compiled,
        args: Sequence[Any],
        flat: Sequence[Any],
        added: bool,
        ready: Callable[[int], object] | None = None,
    ) -> Any:
        """Compute the gradients on all contexts; return the result of the call."""
        scale = self._scale_losses()
        if len(compiled.gradients) == 1:
            arguments = [x for x in flat if x is not None]
            values = compiled.gradients[0].run(arguments, scale, added=added, ready=ready)
            return self._in_structure(values, compiled.formats)
        results = []
        for each, own in zip(compiled.gradients, self._by_context(args), strict=True):
            arguments = [x for x in flatten(own, "input")[0] if x is not None]
            values = each.run(arguments, scale, added=added)
            results.append(self._in_structure(values, compiled.formats))
        return [*map(list, zip(*results, strict=True))] if self._outputs else results

    def _scale_losses(self) -> float:
        """Return the factor of the losses, by which the trainer will divide the gradients."""
        scaler = self.trainer._amp_loss_scaler
        if scaler is None:
            return 1.0
        self.trainer._scale = self.trainer._amp_original_scale / scaler.loss_scale
        return scaler.loss_scale

    def _in_structure(self, values: Sequence[NDArray], formats: tuple[Any, Any]) -> Any:
        """Return a program's flat outputs nested as a call returns them."""
        losses, predictions = formats
        count = len(losses)
        loss = values[0] if count == 1 else [*values[:count]]
        if not self._outputs:
            return loss
        rest = values[count:]
        return loss, rest[0] if len(predictions) == 1 else [*rest]

    def _captured(
        self,
        compiled: _Compiled,
        captured: CapturedTraining,
        flat: Sequence[Any],
        added: bool,
        last: bool,
    ) -> Any:
        """Run the step captured if possible; return the outputs. The first steps run uncaptured."""
        arguments = [x for x in flat if x is not None]
        ending = self._ending() if last else None
        values = captured.run(arguments, ending, added=added)
        # Capturing needs warm-up runs; until then the parts run one after the other.
        if values is None:
            values = compiled.gradients[0].run(arguments, 1.0, added=added)
            if ending is not None:
                ending()
        if ending is not None:
            self._mark(compiled, ending.weights)
        return self._in_structure(values, compiled.formats)

    def _ending(self) -> Ending:
        """Count a step, and return what ends it."""
        trainer = self.trainer
        trainer._check_and_rescale_grad(trainer._scale / self._examples)
        ((numbers, weights),) = trainer._learned_arrays()
        update = update_of(trainer._updaters[0], numbers, weights)
        # begin() counts the step also if capturing is refused afterwards: it is the same step.
        return Ending(update, update.begin(), weights, trainer._max_norm)

    def _looped(self, args: Sequence[Any], added: bool, last: bool) -> Any:
        """Run the call by the ordinary loop, with an update if it is the last to accumulate."""
        parts = self._by_context(args)
        losses, predictions = self._loop.run(parts, added=added)
        if last:
            self._loop.update(self._examples)
        results = losses if len(parts) > 1 else losses[0]
        if not self._outputs:
            return results
        return results, predictions if len(parts) > 1 else predictions[0]

    def _update(self, compiled: _Compiled) -> None:
        trainer = self.trainer
        if compiled.why_not_updated is not None:
            for each in compiled.gradients:
                autograd.set_fresh(*each.weights)
            trainer.step(self._examples)
            return
        ((numbers, weights),) = trainer._learned_arrays()
        updater = trainer._updaters[0]
        update = update_of(updater, numbers, weights)
        trainer._check_and_rescale_grad(trainer._scale / self._examples)
        rows = []
        if trainer._inspects_gradients:
            rows = [(numbers, [gradient_of(weight) for weight in weights], weights)]
        # A step that mixed precision leaves out is not counted either.
        if trainer._prepare_gradients(rows):
            update()
        self._mark(compiled, weights)

    def _mark(self, compiled: _Compiled, weights: Sequence[NDArray]) -> None:
        """Mark the gradients of updated weights as stale."""
        # Parameters that the trainer does not learn keep their gradients fresh, as backward leaves
        # them.
        if len(weights) < len(compiled.gradients[0].weights):
            autograd.set_fresh(*compiled.gradients[0].weights)
        autograd.set_stale(*weights)


def _split(x: Any, contexts: Sequence[Context], axis: int) -> list[Any]:
    if x is None:
        return [None] * len(contexts)
    return split_and_load(x, contexts, axis, even_split=False)
