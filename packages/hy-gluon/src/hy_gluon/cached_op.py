"""CachedOp: a traced graph that is called like an operator, and differentiated like one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hy_ndarray import (
    AutogradError,
    Buffer,
    Device,
    NDArray,
    all_outputs,
    autograd,
    buffers_of,
)
from hy_symbol import (
    Differentiable,
    Node,
    Program,
    Symbol,
    has_open_shapes,
    infer_types,
    inlined,
    node_outputs,
    with_inferred_shapes,
)

__all__ = ["CachedOp"]

_Signature = tuple[Any, ...]
_KEPT = 64
"""Graphs kept for shapes seen lately, where each shape needs its own; others are made again."""


class CachedOp:
    """Runs a symbol on arrays.

    Programs are made when first needed: one for prediction, one for training, and a pair where
    gradients are recorded. Several threads may call it at once.

    Args:
        sym: The graph; it takes one array per input of ``sym.list_inputs()``.
        flags: Options of ``hybridize`` as pairs; ``data_indices`` names the positions of inputs
            whose shape may change between calls (all, if it is not given).

    Example:
        >>> from hy_ndarray import nd
        >>> from hy_symbol import sym
        >>> op = CachedOp(sym.broadcast_add(sym.var("a"), sym.var("b")))
        >>> op(nd.array([1, 2]), nd.array([3, 4])).asnumpy()
        array([4., 6.], dtype=float32)
    """

    def __init__(self, sym: Symbol, flags: Sequence[tuple[str, Any]] = ()) -> None:
        self.symbol = sym
        self.flags = dict(flags)
        self._graph = sym.graph
        self._variables: list[Node] = list(self._graph.variables)
        count = len(self._variables)
        self._varying = tuple(self.flags.get("data_indices", range(count)))
        self._first = self._varying[0] if self._varying else 0  # its class is that of the outputs
        self._programs: dict[tuple[Device, bool], Program] = {}
        self._training: dict[tuple[Device, bool, tuple[bool, ...]], Differentiable] = {}
        self._checked: set[_Signature] = set()
        self._monitor: tuple[Callable[[str, str, NDArray], None], bool] | None = None
        self._closed: dict[_Signature, CachedOp] = {}
        self._open = has_open_shapes(self._graph)
        self._single = len(self._graph.outputs) == 1

    def __call__(self, *args: NDArray) -> Any:
        """Outputs for one array per input; an array, or a list where there are several.

        Raises:
            ShapeError, DTypeError: The arrays do not fit the graph; names the node.
            ContextError: They are on different devices.
        """
        device, buffers = buffers_of(args)
        signature = tuple([(buffers[i].shape, buffers[i].dtype) for i in self._varying])
        if signature not in self._checked:
            self._check(args, signature)
        if self._open:
            return self._closed[signature](*args)
        if self._monitor is not None:
            return self._monitored(args, *self._monitor)
        if autograd.is_recording():
            mask = tuple([array.in_graph for array in args])
            if True in mask:
                return self._recorded(args, buffers, device, mask)
        values = self._program(device, autograd.is_training())(*buffers)
        kind = type(args[self._first])
        if self._single:
            return kind.from_buffer(values[0], device)
        return [kind.from_buffer(value, device) for value in values]

    def _check(self, args: Sequence[NDArray], signature: _Signature) -> None:
        """Infer the whole graph once per signature, so that kernels meet what they rely on."""
        if self.flags.get("static_alloc"):
            args[0].device.table.retain_memory()
        pairs = list(zip(self._variables, args, strict=True))
        types = infer_types(
            self._graph,
            {id(node): array.shape for node, array in pairs},
            {id(node): np.dtype(array.dtype).name for node, array in pairs},
        )
        if self._open:
            graph = with_inferred_shapes(self._graph, types)
            closed = CachedOp(Symbol(graph), list(self.flags.items()))
            closed._open = False  # what could not be inferred stays as it is
            closed._monitor = self._monitor
            while len(self._closed) >= _KEPT:
                self._checked.discard(oldest := next(iter(self._closed)))
                del self._closed[oldest]
            self._closed[signature] = closed
        self._checked.add(signature)

    def _program(self, device: Device, is_train: bool) -> Program:
        program = self._programs.get((device, is_train))
        if program is None:
            inputs = [(node, 0) for node in self._variables]
            program = Program(inputs, self._graph.outputs, device, is_train=is_train)
            self._programs[device, is_train] = program
        return program

    # --- watching ---------------------------------------------------------------------------

    def monitor(
        self, callback: Callable[[str, str, NDArray], None], monitor_all: bool = False
    ) -> None:
        """From now on run operator by operator, and show each output to ``callback``.

        Args:
            callback: Takes the tensor's name, the operator's name, and the array.
            monitor_all: Show the inputs of each operator too.
        """
        self._monitor = (callback, monitor_all)
        for closed in self._closed.values():
            closed.monitor(callback, monitor_all)

    def _monitored(
        self, args: Sequence[NDArray], callback: Callable[[str, str, NDArray], None], every: bool
    ) -> Any:
        values = {(id(node), 0): array for node, array in zip(self._variables, args, strict=True)}
        graph = inlined(self._graph) if autograd.is_recording() else self._graph
        for node in graph.nodes:
            if node.op is None:
                continue
            inputs = [values[id(source), i] for source, i in node.inputs]
            if every:
                for (source, i), array in zip(node.inputs, inputs, strict=True):
                    callback(source.output_name(i), node.op.name, array)
            results = node_outputs(node, inputs, is_train=autograd.is_training())
            for i, y in enumerate(results):
                values[id(node), i] = y
                if i < node.num_visible:
                    callback(node.output_name(i), node.op.name, y)
        outputs = [values[id(node), i] for node, i in graph.outputs]
        return outputs[0] if self._single else outputs

    # --- gradients --------------------------------------------------------------------------

    def _recorded(
        self,
        args: Sequence[NDArray],
        buffers: Sequence[Buffer],
        device: Device,
        mask: tuple[bool, ...],
    ) -> Any:
        is_train = autograd.is_training()
        training = self._training.get((device, is_train, mask))
        if training is None:
            wrt = [i for i, chosen in enumerate(mask) if chosen]
            training = Differentiable.of(self._graph, wrt, device, is_train=is_train)
            self._training[device, is_train, mask] = training
        values, saved = training.run(buffers)
        kind = type(args[self._first])
        outputs = [kind.from_buffer(value, device) for value in values]
        backward = self._backward(training, args, buffers, saved)
        autograd.record_function(args, outputs, backward)
        return outputs[0] if self._single else outputs

    def _backward(
        self,
        training: Differentiable,
        args: Sequence[NDArray],
        buffers: Sequence[Buffer],
        saved: Sequence[Buffer],
    ) -> Callable[[Sequence[NDArray]], Sequence[NDArray | None]]:
        kind, device, total = type(args[self._first]), args[0].device, len(args)

        def backward(dys: Sequence[NDArray]) -> Sequence[NDArray | None]:
            if autograd.is_recording():
                return self._linked_backward(training, args, dys)
            values = training.gradients([dy.buffer for dy in dys], buffers, saved)
            gradients: list[NDArray | None] = [None] * total
            for i, value in zip(training.targets, values, strict=True):
                gradients[i] = kind.from_buffer(value, device)
            return gradients

        return backward

    def _linked_backward(
        self, training: Differentiable, args: Sequence[NDArray], dys: Sequence[NDArray]
    ) -> Sequence[NDArray | None]:
        """Backward operator by operator on arrays, so that it can be differentiated in turn."""
        random = [
            n.name for n in training.forward.steps if n.op is not None and "rng" in n.op.needs
        ]
        if random:
            raise AutogradError(
                f"create_graph through the random operator '{random[0]}' of a hybridized block "
                "would draw new numbers; call hybridize(False) for this"
            )
        states = self._graph.auxiliary
        values: dict[tuple[int, int], NDArray] = {}
        for node, array in zip(self._variables, args, strict=True):
            values[id(node), 0] = array.copy() if id(node) in states else array
        taken = training.backward.inputs[: len(training.heads)]
        for (node, i), head in zip(taken, training.heads, strict=True):
            values[id(node), i] = dys[head]
        for node in (*training.forward.steps, *training.backward.steps):
            assert node.op is not None
            inputs = node.operands([values[id(source), i] for source, i in node.inputs])
            results = all_outputs(node.op, inputs, node.params, is_train=training.forward.is_train)
            for i, result in enumerate(results):
                values[id(node), i] = result
        gradients: list[NDArray | None] = [None] * len(args)
        for k, (node, i) in zip(training.targets, training.backward.outputs, strict=True):
            gradients[k] = values[id(node), i]
        return gradients
