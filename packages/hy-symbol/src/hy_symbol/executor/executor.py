"""Executor: a graph bound to arrays for its arguments, gradients and auxiliary states."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

from hy_ndarray import (
    ArgumentError,
    Context,
    Device,
    NDArray,
    autograd,
    buffers_of,
    device_of,
    refill,
)
from hy_ndarray.ops import find
from hy_symbol._errors import GraphError
from hy_symbol.compile.arena import Pool
from hy_symbol.execution.batch_split import Sliced
from hy_symbol.execution.differentiable import Differentiable, Saved
from hy_symbol.execution.memory import memory_of
from hy_symbol.execution.own_programs import OwnPrograms, RunOptions, Training
from hy_symbol.execution.recapture import no_capture
from hy_symbol.execution.report import Explanation, explained
from hy_symbol.execution.setup_lock import release_stale
from hy_symbol.execution.tiers import Tier
from hy_symbol.executor.bound import BoundArrays, copy_value
from hy_symbol.executor.heads import buffers_of_heads, check_heads, listed_heads
from hy_symbol.executor.on_tape import TapeRun
from hy_symbol.executor.prediction import Prediction
from hy_symbol.executor.resizing import check_reshape, into, resized
from hy_symbol.executor.watching import shown_gradients, shown_inputs
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.node import Node
from hy_symbol.infer.api import complete_shape, inferred
from hy_symbol.infer.outputs import Outputs
from hy_symbol.passes import with_common_subexpressions
from hy_symbol.regions.region import inlined
from hy_symbol.serialize.json import listing

__all__ = ["Executor", "Monitor"]

Monitor: TypeAlias = Callable[[str, NDArray], None]


class Executor(BoundArrays):
    """Runs a symbol forward and backward on arrays it is bound to.

    Created by :meth:`Symbol.bind` and :meth:`Symbol.simple_bind`. The bound arrays may be written
    between calls; all calls return the same output arrays.

    Args:
        symbol: The graph.
        ctx: The context on which it runs.
        arg_arrays: One array per argument.
        grad_arrays: One gradient array per argument, None for arguments without a gradient.
        grad_reqs: ``"write"``, ``"add"`` or ``"null"`` per argument.
        aux_arrays: One array per auxiliary state.
        output_contexts: The context on which each output is placed; ``ctx`` for all if None.

    Example:
        >>> from hy_ndarray import cpu, nd
        >>> from hy_symbol import sym
        >>> x = sym.var("x")
        >>> executor = (x * x).simple_bind(cpu(), x=(2,))
        >>> executor.forward(is_train=True, x=nd.array([1, 2]))[0].asnumpy()
        array([1., 4.], dtype=float32)
        >>> executor.backward(nd.array([1, 1]))
        >>> executor.grad_dict["x"].asnumpy()
        array([2., 4.], dtype=float32)
    """

    @without_collections
    def __init__(
        self,
        symbol: Outputs,
        ctx: Context,
        arg_arrays: Sequence[NDArray],
        grad_arrays: Sequence[NDArray | None],
        grad_reqs: Sequence[str],
        aux_arrays: Sequence[NDArray],
        output_contexts: Sequence[Context] | None = None,
    ) -> None:
        super().__init__(
            symbol, ctx, arg_arrays, grad_arrays, grad_reqs, aux_arrays, output_contexts
        )
        position = {node: i for i, node in enumerate(self._graph.variables)}
        self._wanted = {
            position[node]: k
            for k, node in enumerate(self._graph.arguments)
            if self._reqs[k] != "null" and self.grad_arrays[k] is not None
        }
        self._mask = tuple([i in self._wanted for i in range(len(self._arrays))])
        options = RunOptions(Pool(), fixed=range(len(self._arrays)), retained=True)
        self._own = OwnPrograms(self._executables, options)
        self._saved: Saved | None = None
        self._both: Training | None = None
        self._device: Device | None = None
        self._is_train: bool | None = None
        self._predictions: dict[Device, Prediction] = {}
        self._monitor: Monitor | None = None
        self._monitor_all = False
        # Random numbers drawn in a prediction must be saved for a backward pass through it.
        self._draws = any(n.op.draws(n.params, False) for n in self._graph.nodes if n.op)
        self._tape: TapeRun | None = None

    def reshape(
        self,
        partial_shaping: bool = False,
        allow_up_sizing: bool = False,
        **kwargs: Sequence[int],
    ) -> "Executor":
        """Return an executor for other shapes, whose arrays share memory where large enough.

        The new executor has the same monitor callback.

        Args:
            partial_shaping: Whether arguments that are not in ``kwargs`` may change their shapes.
            allow_up_sizing: Whether arrays may become larger.
            kwargs: New shapes by argument name.

        Raises:
            GraphError: An array changes in a way that is not allowed.
        """
        dtypes = {node.name: a.dtype for node, a in self._named_arrays()}
        types = inferred(self._graph, kwargs, dtypes)
        arguments, gradients = [], []
        for node, array, grad in zip(
            self._graph.arguments, self.arg_arrays, self.grad_arrays, strict=True
        ):
            shape = complete_shape(types, node)
            # An array of the same shape is shared, so both executors see the same parameters.
            if shape != array.shape:
                may_change = node.name in kwargs or partial_shaping
                check_reshape(node.name, array, shape, may_change, allow_up_sizing)
            arguments.append(resized(array, shape))
            gradients.append(None if grad is None else resized(grad, shape))
        states = [
            resized(array, complete_shape(types, node))
            for node, array in zip(self._graph.states, self.aux_arrays, strict=True)
        ]
        executor = Executor(
            self._symbol,
            self._ctx,
            arguments,
            gradients,
            self._reqs,
            states,
            self._output_contexts,
        )
        # MXNet's executors share the memory of their outputs, too: programs that keep the larger
        # one's outputs see in them what the smaller one computed.
        executor._share_outputs(self.outputs)
        executor.watch_as(self)
        return executor

    # --- running ----------------------------------------------------------------------------

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Compute the outputs.

        Args:
            is_train: Whether to run in training mode, in preparation for :meth:`backward`.
            kwargs: New values of arguments by name; they are copied into the arrays.

        Raises:
            ArgumentError: There is no argument of a given name.
            ShapeError: A value has another shape than the argument.
        """
        if kwargs:
            own = self.arg_dict
            for name, value in kwargs.items():
                if name not in own:
                    raise ArgumentError(f"Unknown argument {name}: there are {', '.join(own)}")
                copy_value(name, value, own[name])
        self._is_train = bool(is_train)
        # A monitor sees the values of every node, which a fused program does not have.
        if self._by_operator or self._monitor is not None:
            return self._returned(self._forward_on_tape(self._is_train))
        self._tape = None
        device, arrays = self._device_and_inputs()
        self._saved, self._device = None, device
        # Values are saved for backward if gradients are wanted; it must see the same random draws.
        if self._wanted and (is_train or self._draws):
            self._both = self._differentiable(device, self._is_train)
            values, self._saved = self._both.pair.run(buffers_of(arrays, device)[1])
        elif is_train:
            values = self._own.program(device, True).run(buffers_of(arrays, device)[1])
        else:
            values = self._prediction(device).run(arrays)
        self._return_states(arrays)
        return self._returned([NDArray.from_buffer(value, device) for value in values])

    def _prediction(self, device: Device) -> Prediction:
        prediction = self._predictions.get(device)
        if prediction is None:
            release_stale(self._predictions)
            prediction = Prediction(self._own, device)
            self._predictions[device] = prediction
        return prediction

    def _returned(self, values: list[NDArray]) -> list[NDArray]:
        """Return the outputs on their contexts, stored in the output arrays of earlier passes."""
        pairs = zip(values, self._output_contexts, strict=True)
        sent = [value.as_in_context(context) for value, context in pairs]
        for position in self._parts:
            sent[position] = into(self.outputs[position], sent[position])
        # The arrays of the last pass take over the new memory, which costs nothing.
        self._outputs = [
            output if refill(output, value) else value
            for output, value in zip(self._outputs or sent, sent, strict=True)
        ]
        return self._outputs

    def backward(
        self,
        out_grads: NDArray | Sequence[NDArray] | Mapping[str, NDArray] | None = None,
        is_train: bool = True,  # noqa: ARG002  # gradients are those of the last forward
    ) -> None:
        """Compute the gradients of the last :meth:`forward` and store them in the gradient arrays.

        If :meth:`forward` was never called, it is called first, in training mode.

        Args:
            out_grads: One head gradient per output, in order or by name. Not needed for outputs of
                loss operators such as ``SoftmaxOutput``, and of ``BlockGrad``.
            is_train: Accepted; the mode is that of the forward pass.

        Raises:
            GraphError: A head gradient is missing.
            ShapeError: The head gradient of a floating output has another shape.
            AutogradError: An operator is not differentiable.
        """
        if not self._wanted:
            return
        # MXNet allows backward without forward: it runs one for training.
        if self._is_train is None:
            self.forward(is_train=True)
        assert self._is_train is not None
        if self._tape is not None:
            self._backward_on_tape(self._tape, listed_heads(self._symbol.graph, out_grads))
            return
        device, arrays = self._device_and_inputs()
        both = self._both or self._differentiable(device, self._is_train)
        buffers = buffers_of(arrays, device)[1]
        if self._saved is None or self._device is not device:
            both = self._differentiable(device, self._is_train)
            # A forward pass for prediction saves nothing, and values saved on another device are
            # unusable.
            self._saved, self._device, self._both = both.pair.run(buffers)[1], device, both
        head_grads = listed_heads(self._symbol.graph, out_grads)
        pair, memory = both.pair, both.gradients
        heads = buffers_of_heads(self._symbol.graph, head_grads, self.outputs, pair)
        known = [head for head in heads if head is not None]
        # Gradients with "write" are computed in their arrays, without a copy.
        outs = memory.of(self._written(pair), buffers, known)
        gradients = pair.gradients(heads, buffers, self._saved, out=outs.out)
        grads = dict(zip(pair.targets, enumerate(gradients), strict=True))
        for position, k in self._wanted.items():
            target = self.grad_arrays[k]
            assert target is not None
            index, value = grads.get(position, (-1, None))
            if memory.is_there(value, outs, index):
                device.wrote(target.buffer)
                continue
            array = None if value is None else NDArray.from_buffer(value, device)
            self._deliver(target, self._reqs[k], array)

    def _written(self, both: Differentiable) -> list[NDArray | None]:
        """Return the array that each gradient overwrites; None if it is added, or unwanted."""
        wanted = [self._wanted.get(position) for position in both.targets]
        return [
            None if k is None or self._reqs[k] != "write" else self.grad_arrays[k] for k in wanted
        ]

    def _forward_on_tape(self, is_train: bool) -> list[NDArray]:
        targets = {}
        for position, k in self._wanted.items():
            grad = self.grad_arrays[k]
            assert grad is not None
            targets[position] = grad, self._reqs[k]
        watches = (None, None) if self._monitor is None else (self._watch, self._watch_gradients)
        # Regions are for prediction: for gradients their nodes are recorded one by one.
        graph = inlined(self._graph) if targets else self._graph
        self._tape = TapeRun(graph, *watches)
        arrays = [array.as_in_context(self._ctx) for array in self._arrays]
        outputs = self._tape.forward(arrays, targets, is_train)
        self._return_states(arrays)
        return outputs

    def _backward_on_tape(self, tape: TapeRun, heads: Sequence[Any]) -> None:
        check_heads(self._symbol.graph, heads)
        for position in tape.backward(heads):
            target = self.grad_arrays[self._wanted[position]]
            assert target is not None
            self._deliver(target, self._reqs[self._wanted[position]], None)

    def _watch(self, node: Node, inputs: Sequence[NDArray], results: Sequence[NDArray]) -> None:
        assert self._monitor is not None
        if self._monitor_all:
            self._watch_inputs(node, inputs, self._monitor)
        for i, result in enumerate(results):
            self._monitor(node.output_name(i), result)

    def _watch_gradients(self, node: Node, gradients: Sequence[NDArray | None]) -> None:
        assert self._monitor is not None
        for name, gradient in zip(shown_gradients(node), gradients, strict=False):
            if gradient is not None:
                self._monitor(name, gradient)

    def _deliver(self, target: NDArray, req: str, value: NDArray | None) -> None:
        with autograd.pause():
            # No path leads there: zeros, or nothing to add.
            if value is None:
                if req == "add":
                    return
                op = find("zeros_like")
                value = NDArray.apply_operator(op, [target], op.defaults)
            elif req == "add":
                value = target.as_in_context(self._ctx) + value
            assert value is not None
            value.copyto(target)

    def _device_and_inputs(self) -> tuple[Device, list[NDArray]]:
        """Return the device, and all bound arrays on it, copied from other devices if needed."""
        arrays = [array.as_in_context(self._ctx) for array in self._arrays]
        return buffers_of(arrays, None if arrays else device_of(self._ctx))[0], arrays

    def _return_states(self, arrays: Sequence[NDArray]) -> None:
        """Copy auxiliary states that were computed on another device back into their arrays."""
        for node, own, stored in zip(self._graph.variables, self._arrays, arrays, strict=True):
            # Auxiliary states of another context were copied: what training changed is written
            # back.
            if stored is not own and node in self._graph.auxiliary:
                stored.copyto(own)

    def _differentiable(self, device: Device, is_train: bool) -> Training:
        return self._own.differentiable((device, is_train, self._mask))

    # --- watching ---------------------------------------------------------------------------

    def set_monitor_callback(self, callback: Monitor | None, monitor_all: bool = False) -> None:
        """Call ``callback(name, array)`` for each value of later passes, gradients included.

        While a callback is set, the graph runs operator by operator.

        Args:
            callback: The function, or None to remove it.
            monitor_all: Whether it is also called for the inputs of each operator, before its
                outputs.
        """
        self._monitor = callback
        self._monitor_all = monitor_all

    def watch_as(self, other: "Executor") -> None:
        """Install another executor's monitor callback, if any, on this one."""
        self.set_monitor_callback(other._monitor, other._monitor_all)

    def _watch_inputs(self, node: Node, inputs: Sequence[NDArray], monitor: Monitor) -> None:
        for (source, _), name, value in zip(node.inputs, shown_inputs(node), inputs, strict=True):
            if source.op is None:
                monitor(source.name, value)
            monitor(name, value)

    def explain(self, is_train: bool = False, *, profile: bool = False) -> Explanation:
        """Return an explanation of how :meth:`forward` and :meth:`backward` run; prints as a table.

        Args:
            is_train: Whether to explain a forward pass in training mode.
            profile: Whether to run it a few times, on copies, to measure the time of each step.

        Raises:
            GraphError: The graph runs operator by operator, so there is no program to explain.

        Example:
            >>> from hy_ndarray import cpu
            >>> from hy_symbol import sym
            >>> executor = sym.relu(sym.var("x")).simple_bind(cpu(), x=(2,))
            >>> [row.kernel for row in executor.explain().rows]
            ['relu']
        """
        if self._by_operator or self._monitor is not None:
            reason = "a monitor sees each value"
            if self._by_operator:
                reason = "its arrays are sparse, or its loops run step by step"
            raise GraphError(f"explain: {reason}, so it runs operator by operator")
        device, arrays = self._device_and_inputs()
        buffers = buffers_of(arrays, device)[1] if profile else None
        if self._wanted and (is_train or self._draws):
            pair = self._differentiable(device, is_train).pair
            explanation = replace(explained(pair, buffers), tier=Tier.COMPILED)
        elif is_train:
            explanation = explained(self._own.program(device, True), buffers)
        else:
            explanation = self._prediction(device).explain(arrays, profile=profile)
        if explanation.why is None and no_capture(device) is None:
            return replace(explanation, why="executors are not captured")
        return explanation

    def debug_str(self) -> str:
        """Return a listing of the graph's nodes, followed by the memory of intermediate values."""
        planned = 0
        # MXNet's last lines: programs read the megabytes from them.
        if self._monitor is None and not self._by_operator:
            device, _ = self._device_and_inputs()
            parts = self._differentiable(device, True).pair if self._wanted else None
            program = parts or self._own.program(device, False).program
            assert not isinstance(program, Sliced), "slices are for blocks alone"
            planned = memory_of(program).planned
        # No kernel asks for room of its own; programs read these lines from the end.
        return (
            f"{listing(self._symbol.graph)}Total {planned >> 20} MB allocated\n"
            "Total 0 TempSpace resource requested\n"
        )

    def get_optimized_symbol(self) -> Outputs:
        """Return the bound symbol with common subexpressions merged."""
        return type(self._symbol)(with_common_subexpressions(self._symbol.graph))
