"""CachedOp: a traced graph that is called like an operator, and differentiated like one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
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
from hy_symbol import Entry, Graph, Node, Program, Symbol, gradient, infer_types

__all__ = ["CachedOp"]

_Signature = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Training:
    """Programs of a graph that will be differentiated with respect to some of its inputs."""

    forward: Program
    """Gives the outputs, then the values that ``backward`` needs."""
    backward: Program
    """Takes head gradients, then those values and inputs."""
    saved_inputs: tuple[int, ...]
    """Positions of the inputs that ``backward`` takes."""
    targets: tuple[int, ...]
    """Positions of the inputs whose gradients it gives."""


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
        self._programs: dict[tuple[Device, bool], Program] = {}
        self._training: dict[tuple[Device, bool, tuple[bool, ...]], _Training] = {}
        self._checked: set[_Signature] = set()
        self._monitor: tuple[Callable[[str, str, NDArray], None], bool] | None = None
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
        if self._monitor is not None:
            return self._monitored(args, *self._monitor)
        if autograd.is_recording():
            mask = tuple([array.in_graph for array in args])
            if True in mask:
                return self._recorded(args, buffers, device, mask)
        values = self._program(device, autograd.is_training())(*buffers)
        kind = type(args[0])
        if self._single:
            return kind.from_buffer(values[0], device)
        return [kind.from_buffer(value, device) for value in values]

    def _check(self, args: Sequence[NDArray], signature: _Signature) -> None:
        """Infer the whole graph once per signature, so that kernels meet what they rely on."""
        pairs = list(zip(self._variables, args, strict=True))
        infer_types(
            self._graph,
            {id(node): array.shape for node, array in pairs},
            {id(node): np.dtype(array.dtype).name for node, array in pairs},
        )
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

    def _monitored(
        self, args: Sequence[NDArray], callback: Callable[[str, str, NDArray], None], every: bool
    ) -> Any:
        values = {(id(node), 0): array for node, array in zip(self._variables, args, strict=True)}
        for node in self._graph.nodes:
            if node.op is None:
                continue
            inputs = [values[id(source), i] for source, i in node.inputs]
            if every:
                for (source, i), array in zip(node.inputs, inputs, strict=True):
                    callback(source.output_name(i), node.op.name, array)
            for i, y in enumerate(all_outputs(node.op, node.operands(inputs), node.params)):
                values[id(node), i] = y
                if i < node.num_visible:
                    callback(node.output_name(i), node.op.name, y)
        outputs = [values[id(node), i] for node, i in self._graph.outputs]
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
            training = _differentiated(self._graph, self._variables, device, is_train, mask)
            self._training[device, is_train, mask] = training
        values = training.forward(*buffers)
        count = len(self._graph.outputs)
        kind = type(args[0])
        outputs = [kind.from_buffer(value, device) for value in values[:count]]
        saved = values[count:]
        backward = self._backward(training, args, buffers, saved, is_train)
        autograd.record_function(args, outputs, backward)
        return outputs[0] if self._single else outputs

    def _backward(
        self,
        training: _Training,
        args: Sequence[NDArray],
        buffers: Sequence[Buffer],
        saved: Sequence[Buffer],
        is_train: bool,
    ) -> Callable[[Sequence[NDArray]], Sequence[NDArray | None]]:
        kind, device, total = type(args[0]), args[0].device, len(args)

        def backward(dys: Sequence[NDArray]) -> Sequence[NDArray | None]:
            if autograd.is_recording():
                return self._linked_backward(training, args, dys, is_train)
            given = [dy.buffer for dy in dys]
            given += [buffers[i] for i in training.saved_inputs]
            gradients: list[NDArray | None] = [None] * total
            for i, value in zip(training.targets, training.backward(*given, *saved), strict=True):
                gradients[i] = kind.from_buffer(value, device)
            return gradients

        return backward

    def _linked_backward(
        self, training: _Training, args: Sequence[NDArray], dys: Sequence[NDArray], is_train: bool
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
        heads = training.backward.inputs[: len(dys)]
        for (node, i), dy in zip(heads, dys, strict=True):
            values[id(node), i] = dy
        for node in (*training.forward.steps, *training.backward.steps):
            assert node.op is not None
            inputs = node.operands([values[id(source), i] for source, i in node.inputs])
            results = all_outputs(node.op, inputs, node.params, is_train=is_train)
            for i, result in enumerate(results):
                values[id(node), i] = result
        gradients: list[NDArray | None] = [None] * len(args)
        for k, (node, i) in zip(training.targets, training.backward.outputs, strict=True):
            gradients[k] = values[id(node), i]
        return gradients


def _differentiated(
    graph: Graph,
    variables: Sequence[Node],
    device: Device,
    is_train: bool,
    mask: Sequence[bool],
) -> _Training:
    """Programs for a graph and its gradients with respect to the inputs in ``mask``."""
    heads: list[Entry] = [(Node(None, f"head_grad{i}"), 0) for i in range(len(graph.outputs))]
    wanted = [i for i, chosen in enumerate(mask) if chosen]
    found = gradient(graph, heads, [(variables[i], 0) for i in wanted], is_train=is_train)
    results = [(i, entry) for i, entry in zip(wanted, found, strict=True) if entry is not None]
    outer = {id(node) for node in graph.nodes} | {id(node) for node, _ in heads}
    needed = _crossing([entry for _, entry in results], outer)
    own_heads = {id(node) for node, _ in heads}
    position = {id(node): i for i, node in enumerate(variables)}
    taken = [position[id(node)] for node, _ in needed if id(node) in position]
    saved = [e for e in needed if id(e[0]) not in position and id(e[0]) not in own_heads]
    inputs = [(node, 0) for node in variables]
    return _Training(
        forward=Program(inputs, [*graph.outputs, *saved], device, is_train=is_train),
        backward=Program(
            [*heads, *((variables[i], 0) for i in taken), *saved],
            [entry for _, entry in results],
            device,
            is_train=is_train,
        ),
        saved_inputs=tuple(taken),
        targets=tuple(i for i, _ in results),
    )


def _crossing(outputs: Sequence[Entry], outer: set[int]) -> list[Entry]:
    """Entries of ``outer`` nodes that the nodes behind ``outputs`` use, or that are outputs."""
    found: dict[tuple[int, int], Entry] = {}
    seen: set[int] = set()
    stack = list(outputs)
    while stack:
        node, i = stack.pop()
        if id(node) in outer:
            found.setdefault((id(node), i), (node, i))
        elif id(node) not in seen:
            seen.add(id(node))
            stack.extend(node.inputs)
    return list(found.values())
