"""Deferred: a graph computed node by node at first; what runs again is planned and compiled.

Many graphs run for one signature a few times, and to plan a program costs more than such runs.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from functools import partial
from typing import Any, NamedTuple

from hy_ndarray import Buffer, Device, HyError, KernelFunction, random
from hy_ndarray.devices import instrumentation
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.compile.arena import Pool
from hy_symbol.compile.linking import LinkedStep, is_threaded, linked_step
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph
from hy_symbol.runtime.failures import explained_failure
from hy_symbol.runtime.program import Program

__all__ = ["FIRST_RUNS", "Deferred", "computed_once"]

FIRST_RUNS = 3
"""Runs of a graph that are not planned: together they take about as long as to plan one."""


class Deferred:
    """Computes a graph from its variables, for prediction.

    The kernels are those of the program, so that the results are the same. Several threads may
    run it at once.

    Args:
        typed: The graph as it runs; its types are those of the buffers it takes.
        device: Where to run.
        make: Makes the program.
        runs: How many runs there are before that is made.
    """

    is_train = False

    def __init__(
        self, typed: TypedGraph, device: Device, make: Callable[[], Program], runs: int = FIRST_RUNS
    ) -> None:
        self._typed: TypedGraph | None = typed
        self._runs = _Runs(runs)
        self.device = device
        self.steps = [node for node in typed.graph.nodes if node.op is not None]
        """The nodes that it computes, in order."""
        self._make = make
        self._linked: _Steps | None = None
        self._lock = threading.Lock()
        self._program: Program | None = None

    def in_memory_of(self, pool: Pool) -> "Deferred | Program":
        """The same with the program's arena in another pool; the runs of both count together."""
        if self._program is not None:
            return self._program.in_memory_of(pool)
        deferred = copy(self)
        deferred._make = lambda: self.program.in_memory_of(pool)
        deferred._lock = threading.Lock()
        return deferred

    @property
    def program(self) -> Program:
        """The program, made now if it was not."""
        with self._lock:
            if self._program is None:
                self._typed = self._linked = None
                self._program = self._make()
            return self._program

    @property
    def is_waiting(self) -> bool:
        """Whether the next run is one before the program is made."""
        return self._program is None and self._runs.are_left

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """As :meth:`Program.run`."""
        program = self._program
        if program is not None:
            return program.run(buffers)
        typed, linked = self._typed, self._linked
        if typed is None or not self._runs.take() or instrumentation.watch.observer is not None:
            self.program.compile()
            return self.program.run(buffers)
        if linked is None:
            given, found = typed.inputs, typed.graph.outputs
            linked = _Steps(self.steps, given, found, typed.types, self.device, is_train=False)
            if self._runs.are_left:
                self._linked = linked
        return linked.run(buffers)


class _Runs:
    """How many there are to be."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._lock = threading.Lock()

    @property
    def are_left(self) -> bool:
        """Whether there is to be one more."""
        return self._left > 0

    def take(self) -> bool:
        """Whether this one is among them."""
        with self._lock:
            self._left -= 1
            return self._left >= 0


def computed_once(
    nodes: Sequence[Node],
    inputs: Sequence[Entry],
    outputs: Sequence[Entry],
    types: Types,
    device: Device,
    buffers: list[Buffer],
    *,
    is_train: bool,
) -> tuple[Buffer, ...]:
    """Compute nodes one after the other; values are freed after their last use.

    Args:
        nodes: What computes the outputs from the inputs, in order.
        inputs: Entries that are given.
        outputs: Entries that are returned.
        types: Types of all entries.
        device: Where to run.
        buffers: The inputs; the list is emptied.
        is_train: The mode.
    """
    return _Steps(nodes, inputs, outputs, types, device, is_train=is_train).run(buffers)


class _Call(NamedTuple):
    """A node's kernel, and where its operands are, and where its results go, among all values."""

    node: Node
    function: KernelFunction
    operands: tuple[int, ...]
    params: Mapping[str, Any]
    only: int | None
    """Where the only result goes of a kernel that needs nothing else; None: it is another one."""
    results: tuple[int, ...]
    """Where results go that somebody reads; 0 for others."""
    ended: tuple[int, ...]
    """What nobody reads any more."""


class _Steps:
    """Nodes with their kernels, computed one after the other."""

    @without_collections
    def __init__(
        self,
        nodes: Sequence[Node],
        inputs: Sequence[Entry],
        outputs: Sequence[Entry],
        types: Types,
        device: Device,
        *,
        is_train: bool,
    ) -> None:
        steps = _linked(nodes, device, types, is_train)
        self._types = types
        self._device = device
        self._is_train = is_train
        self._threaded = any(is_threaded(node, step.record, types) for node, step in steps)
        last = {entry: k for k, node in enumerate(nodes) for entry in node.inputs}
        last.update(dict.fromkeys(outputs, len(nodes)))
        places = {entry: i for i, entry in enumerate(inputs, 1)}  # None is at 0
        self._calls = []
        for k, (node, step) in enumerate(steps):
            operands = tuple([0 if e is None else places[e] for e in node.operands(node.inputs)])
            made = []
            for i in range(node.num_outputs):
                if (node, i) in last:
                    places[node, i] = len(places) + 1
                made.append(places.get((node, i), 0))
            ended = tuple({places[entry] for entry in node.inputs if last[entry] == k})
            self._calls.append(_call(node, step, operands, tuple(made), ended, is_train))
        self._size = len(places) + 1
        self._outputs = [places[entry] for entry in outputs]

    @without_collections
    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """The outputs for the inputs, whose list is emptied."""
        values = [None, *buffers, *[None] * (self._size - 1 - len(buffers))]
        buffers.clear()
        if not self._threaded:
            return self._computed(values)
        results: tuple[Buffer, ...]
        (results,) = self._device.together([partial(self._computed, values)])
        return results

    def _computed(self, values: list[Buffer]) -> tuple[Buffer, ...]:
        for call in self._calls:
            node, function, places, params, only, _, ended = call
            operands = [values[i] for i in places]
            try:
                if only is None:
                    self._put(call, operands, values)
                else:
                    values[only] = function(*operands, **params)
            except HyError:
                raise
            except Exception as error:
                raise explained_failure(error, node, _input_types(node, self._types)) from error
            for i in ended:
                values[i] = None
        return tuple([values[i] for i in self._outputs])

    def _put(self, call: _Call, operands: Sequence[Buffer | None], values: list[Buffer]) -> None:
        """Keep what somebody reads of what a node gives; write what it writes to its inputs."""
        op = call.node.op
        assert op is not None
        needs = {need: _needed(need, self._device, self._is_train) for need in op.needs}
        found: Any = call.function(*operands, **call.params, **needs)
        updated = op.updated(call.node.params, self._is_train)
        count = len(call.results)
        results = (found,) if count + len(updated) == 1 else found
        for position, value in zip(updated, results[count:], strict=True):
            self._device.write(operands[position], value)
        for place, value in zip(call.results, results, strict=False):
            if place:
                values[place] = value


def _call(
    node: Node,
    step: LinkedStep,
    operands: tuple[int, ...],
    results: tuple[int, ...],
    ended: tuple[int, ...],
    is_train: bool,
) -> _Call:
    op = node.op
    assert op is not None
    params = {} if step.bound or node.is_region else node.params
    plain = not op.needs and len(results) == 1 and not op.updated(node.params, is_train)
    only = results[0] if plain and results[0] else None
    return _Call(node, step.function, operands, params, only, results, ended)


def _linked(
    nodes: Sequence[Node], device: Device, types: Types, is_train: bool
) -> list[tuple[Node, LinkedStep]]:
    """The nodes with their kernels, those that are for all nodes of an operator looked up once."""
    known: dict[Operator, LinkedStep] = {}
    steps = []
    for node in nodes:
        op = node.op
        assert op is not None
        step = known.get(op)
        if step is None:
            step = linked_step(node, device, types, is_train=is_train)
            if step.record is not None and step.record.specialize is None:
                known[op] = step
        steps.append((node, step))
    return steps


def _needed(need: str, device: Device, is_train: bool) -> Any:
    if need == "is_train":
        return is_train
    return random.generator(device) if need == "rng" else device.handle


def _input_types(node: Node, types: Types) -> list[TensorType]:
    pairs = zip(node.input_names, node.inputs, strict=True)
    return [TensorType(*types.get(entry), name) for name, entry in pairs]
