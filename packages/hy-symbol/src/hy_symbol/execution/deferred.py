"""Deferred: a graph computed node by node at first; what runs again is planned and compiled.

Many graphs run for one signature once, and to plan a program costs more than that run.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from copy import copy
from functools import partial
from typing import Any

from hy_ndarray import Buffer, Device, HyError, kernel_arguments
from hy_ndarray.devices import instrumentation
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.compile.arena import Pool
from hy_symbol.compile.linking import LinkedStep, is_threaded, linked_step
from hy_symbol.execution.failures import explained_failure, note_node
from hy_symbol.execution.program import Program
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Deferred", "computed_once"]


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
        self, typed: TypedGraph, device: Device, make: Callable[[], Program], runs: int = 1
    ) -> None:
        self._typed: TypedGraph | None = typed
        self._runs = _Runs(runs)
        self.device = device
        self.steps = [node for node in typed.graph.nodes if node.op is not None]
        """The nodes that it computes, in order."""
        self._make = make
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
                self._typed = None
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
        typed = self._typed
        if typed is None or not self._runs.take() or instrumentation.watch.observer is not None:
            return self._compiled().run(buffers)
        given, found = typed.inputs, typed.graph.outputs
        return computed_once(
            self.steps, given, found, typed.types, self.device, buffers, is_train=False
        )

    @without_collections
    def _compiled(self) -> Program:
        program = self.program
        program.compile()
        return program


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


@without_collections
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
    steps = _linked(nodes, device, types, is_train)
    values = dict(zip(inputs, buffers, strict=True))
    buffers.clear()
    run = partial(_computed, steps, values, outputs, types, device, is_train)
    if any(is_threaded(node, step.record, types) for node, step in steps):
        results: tuple[Buffer, ...]
        (results,) = device.together([run])
        return results
    return run()


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


def _computed(
    steps: Sequence[tuple[Node, LinkedStep]],
    values: dict[Entry, Buffer],
    outputs: Sequence[Entry],
    types: Types,
    device: Device,
    is_train: bool,
) -> tuple[Buffer, ...]:
    uses = Counter(entry for node, _ in steps for entry in node.inputs)
    uses.update(outputs)
    for node, step in steps:
        operands = node.operands([values[entry] for entry in node.inputs])
        try:
            results = _results(node, step, device, operands, is_train)
        except HyError as error:
            note_node(error, node)
            raise
        except Exception as error:
            raise explained_failure(error, node, _input_types(node, types)) from error
        values.update({(node, i): x for i, x in enumerate(results) if (node, i) in uses})
        for entry in node.inputs:
            uses[entry] -= 1
            if not uses[entry]:
                del values[entry]  # nobody needs it any more
    return tuple([values[entry] for entry in outputs])


def _results(
    node: Node,
    step: LinkedStep,
    device: Device,
    operands: Sequence[Buffer | None],
    is_train: bool,
) -> Sequence[Buffer]:
    """What a node gives; what it writes to its inputs is written."""
    op = node.op
    assert op is not None
    keywords: dict[str, Any] = {} if step.bound or node.is_region else dict(node.params)
    keywords |= kernel_arguments(op, device, is_train)
    found: Any = step.function(*operands, **keywords)
    updated = op.updated(node.params, is_train)
    count = node.num_outputs
    if count + len(updated) == 1:
        return (found,)
    for position, value in zip(updated, found[count:], strict=True):
        device.write(operands[position], value)
    return tuple(found[:count])


def _input_types(node: Node, types: Types) -> list[TensorType]:
    pairs = zip(node.input_names, node.inputs, strict=True)
    return [TensorType(*types.get(entry), name) for name, entry in pairs]
