"""CompiledGradients: losses and gradients of a traced net, computed by one program."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np

from hy_gluon.parameter.arrays import gradient_of
from hy_gluon.trace.cache import Trace
from hy_ndarray import Buffer, Device, NDArray, buffers_of, dtype_name
from hy_symbol import (
    ExecutableCache,
    Pool,
    ValueAndGradients,
    setup_lock,
    without_collections,
)
from hy_symbol.executor.loops import has_long_loops

__all__ = ["CompiledGradients", "run_added", "why_not_compiled"]

_Run: TypeAlias = Callable[[Sequence[Buffer], Sequence[Buffer]], tuple[Buffer, ...]]
_Ready: TypeAlias = Callable[[int], object]


def why_not_compiled(trace: Trace, arrays: Sequence[NDArray]) -> str | None:
    """Return the reason why a traced net cannot be compiled as one program, or None.

    Args:
        trace: Trace of the net with its loss.
        arrays: Input arrays of the graph, including parameters.
    """
    assert trace.op is not None
    if trace.op.is_watched:
        return "a monitor looks at each operator"
    if trace.inputs.is_computed:
        return "a parameter of a kind of its own computes its value"
    # Such loops decide on the host when they end.
    if has_long_loops(trace.op.symbol.graph):
        return "its loops run step by step"
    reasons = map(_why_not_of, trace.order, arrays)
    return next((why for why in reasons if why is not None), None)


def _why_not_of(entry: tuple[bool, Any], array: NDArray) -> str | None:
    """Return the reason why an input array prevents compilation as one program, or None.

    ``entry`` is the input's pair in the order of :class:`Inputs`.
    """
    is_argument, parameter = entry
    what = "an argument" if is_argument else f"parameter {parameter.name!r}"
    # A sparse gradient has as many rows as the batch touched, so no fixed buffer.
    grad = array.grad
    if array.stype != "default" or (grad is not None and grad.stype != "default"):
        return f"{what} or its gradient is sparse"
    # The program overwrites gradients; grad_req="add" keeps those of the calls before.
    if not is_argument and parameter.grad_req == "add":
        return f"gradients of {what} are added up by grad_req='add'"
    return None


class CompiledGradients:
    """Program that runs a net and its loss forward and backward.

    Args:
        trace: Trace of the net with its loss; losses are the first outputs.
        arrays: Input arrays of the graph on one device, including arguments.
        losses: Number of outputs that are losses.
        scaled: Whether losses are multiplied by the ``scale`` of a run (loss scaling).
        pool: Memory pool for intermediate values.

    Raises:
        AutogradError: An operator between parameters and losses is not differentiable; names the
            node.
    """

    def __init__(
        self, trace: Trace, arrays: Sequence[NDArray], losses: int, scaled: bool, pool: Pool
    ) -> None:
        op = trace.op
        assert op is not None
        self.device, _ = buffers_of(arrays)
        self.scaled = scaled
        self.arguments = [(i, k) for i, (is_argument, k) in enumerate(trace.order) if is_argument]
        """Pairs of an input's position and the position of its argument."""
        # Only parameters with a gradient buffer; arguments are constants.
        wrt = [i for i, x in enumerate(arrays) if not trace.order[i][0] and x.grad is not None]
        self.program = _program(op, arrays, wrt, self.device, losses, scaled, pool)
        plan = self.program.program.plan
        shapes = [plan.type_of(entry)[0] for entry in plan.outputs[:losses]]
        self.num_losses = sum(shape[0] if shape else 1 for shape in shapes)
        """Number of loss values: sum of the sizes of the losses' first axes."""
        self.weights = [arrays[i] for i in self.program.targets]
        """Arrays with respect to which gradients are computed."""
        self._grads = [gradient_of(weight) for weight in self.weights]
        self._arrays = [*arrays]
        for i, _ in self.arguments:
            # Placeholders: the first batch must not stay alive in this list.
            self._arrays[i] = self._grads[0] if self._grads else arrays[i]
        # The head gradients depend on the loss scale alone, so one tuple is kept for the last one.
        self._heads: tuple[float, list[Buffer]] = (0.0, [])

    def run(
        self,
        arguments: Sequence[NDArray],
        scale: float,
        *,
        added: bool,
        ready: _Ready | None = None,
    ) -> list[NDArray]:
        """Return losses and other outputs, and write the gradients into the gradient arrays.

        Args:
            arguments: Data and labels of the call, flat.
            scale: Factor of the losses; used only if ``scaled``.
            added: Add to the gradient arrays instead of overwriting them.
            ready: Called with the position of each gradient as soon as it is in its array, while
                the backward pass goes on.

        Raises:
            ContextError: The arrays are on different devices.
        """
        inputs, out = self.buffers(arguments)
        if self.scaled:
            inputs += self._begin(scale)
        if ready is not None:
            values = self._run_announcing(inputs, out, ready, added=added)
        else:
            run = self.program.run
            values = run_added(run, inputs, out, self.device) if added else run(inputs, out)
        return self.outputs(values, arguments)

    def _run_announcing(
        self, inputs: Sequence[Buffer], out: Sequence[Buffer], ready: _Ready, *, added: bool
    ) -> tuple[Buffer, ...]:
        run = self.program.run_announcing
        if not added:
            return run(inputs, out, ready)
        new = _like(out, self.device)

        def add(k: int) -> None:
            _add(out[k], new[k], self.device)
            ready(k)

        return run(inputs, new, add)

    def buffers(self, arguments: Sequence[NDArray]) -> tuple[list[Buffer], list[Buffer]]:
        """Return the buffers of all graph inputs, and those of the gradient arrays.

        Args:
            arguments: Data and labels of a call, flat.
        """
        arrays = self._arrays.copy()
        for i, k in self.arguments:
            arrays[i] = arguments[k]
        return buffers_of(arrays, self.device)[1], buffers_of(self._grads, self.device)[1]

    def positions(self, weights: Sequence[NDArray]) -> list[int]:
        """Return which of the gradients are those of ``weights``.

        Args:
            weights: Some of the arrays whose gradients it computes.
        """
        position = {id(weight): k for k, weight in enumerate(self.weights)}
        return [position[id(weight)] for weight in weights]

    def outputs(self, values: Sequence[Buffer], arguments: Sequence[NDArray]) -> list[NDArray]:
        """Wrap result buffers as arrays of the class of the first argument."""
        kind, device = type(arguments[0]), self.device
        return [kind.from_buffer(value, device) for value in values]

    def _begin(self, scale: float) -> list[Buffer]:
        """Return the head gradients: constant buffers filled with ``scale``, cached."""
        # Loss scales change seldom (dynamic scaling doubles or halves them), so heads are made
        # only then.
        if self._heads[0] != scale:
            memory, handle = self.device.memory, self.device.handle
            heads = [
                memory.from_numpy(np.full(shape, scale, "float32"), handle)
                for shape, _ in self.program.heads
            ]
            # Through float32: numpy has no bfloat16 of its own.
            cast = self.device.kernels["cast"]
            dtypes = [dtype for _, dtype in self.program.heads]
            cast_heads = [
                x if dtype == "float32" else cast(x, dtype=dtype)
                for x, dtype in zip(heads, dtypes, strict=True)
            ]
            self._heads = scale, cast_heads
        return self._heads[1]


def run_added(
    run: _Run, inputs: Sequence[Buffer], sums: Sequence[Buffer], device: Device
) -> tuple[Buffer, ...]:
    """Return the outputs, and add the gradients to sums.

    Args:
        run: Computes the gradients of ``inputs`` in given memory, and returns the outputs.
        inputs: The inputs.
        sums: Sums of the gradients of several batches.
        device: Where.
    """
    # A program overwrites gradients: they go to new memory, and are added after the run.
    out = _like(sums, device)
    values = run(inputs, out)
    for total, grad in zip(sums, out, strict=True):
        _add(total, grad, device)
    return values


def _like(buffers: Sequence[Buffer], device: Device) -> list[Buffer]:
    memory, handle = device.memory, device.handle
    return [memory.empty(x.shape, memory.dtype(x), handle) for x in buffers]


def _add(total: Buffer, grad: Buffer, device: Device) -> None:
    device.memory.write(total, device.kernels["elemwise_add"](total, grad))


@without_collections
def _program(
    op: Any,
    arrays: Sequence[NDArray],
    wrt: Sequence[int],
    device: Device,
    losses: int,
    scaled: bool,
    pool: Pool,
) -> ValueAndGradients:
    # A list inside of tuple(): faster than a generator for dozens of parameters.
    known = tuple([(array.shape, dtype_name(array.dtype)) for array in arrays])
    with setup_lock():
        cache = ExecutableCache.of(op.symbol.graph, op.varying)
        typed = cache.at(known, op.inference_cache).typed
        return ValueAndGradients.of(
            typed, wrt, device, differentiated=losses, scaled=scaled, pool=pool
        )
