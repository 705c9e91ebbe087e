"""Interpreter of a graph on buffers: one kernel call per node, with prepared arguments."""

from collections.abc import Collection, Sequence
from functools import partial
from typing import Any, NamedTuple

from hy_ndarray import Buffer, Device, HyError, KernelFunction, Params, kernel_arguments
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.compile.linking import LinkedStep, is_threaded, linked_step
from hy_symbol.execution.failures import explained_failure, note_node
from hy_symbol.graph.node import Entry, Node
from hy_symbol.graph.rewriting import outputs_of
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["Interpreted"]


class _Step(NamedTuple):
    """Prepared kernel call of a node; operands and results are slots in the list of values."""

    node: Node
    function: KernelFunction
    params: Params
    """Keyword arguments of the kernel; empty if the parameters are bound into the function."""
    asks: Operator | None
    """The operator, if the kernel needs further arguments such as a random generator."""
    operands: tuple[int, ...]
    results: tuple[int, ...]
    updated: tuple[int, ...]
    """Slots of operands that the kernel's additional results are written into."""
    frees: tuple[int, ...]
    """Slots of values that no later step reads."""


class Interpreted:
    """Graph that predicts by one kernel call per node; values are freed after their last use.

    Kernels, parameters and slots are looked up once, in the constructor; there is no plan and no
    generated code. Several threads may run it at once.

    Args:
        typed: The graph after lowering, with the types of the input buffers.
        device: The device to run on.

    Raises:
        KernelError: The device's tables lack a kernel.
    """

    def __init__(self, typed: TypedGraph, device: Device) -> None:
        self._types = typed.types
        self._device = device
        nodes = [node for node in typed.graph.nodes if node.op is not None]
        linked = _linked(nodes, device, typed.types)
        # The first slot holds None, the operand of every input that is left out.
        slots: dict[Entry, int] = {entry: i for i, entry in enumerate(typed.inputs, 1)}
        for node in nodes:
            for entry in outputs_of(node):
                slots[entry] = len(slots) + 1
        frees = _last_uses(nodes, slots, typed.graph.outputs)
        self._steps = [
            _bound_step(node, kernel, slots, dead)
            for node, kernel, dead in zip(nodes, linked, frees, strict=True)
        ]
        self._value_count = len(slots) - len(typed.inputs)
        self._outputs = [slots[entry] for entry in typed.graph.outputs]
        self._threaded = any(
            is_threaded(node, kernel.record, typed.types)
            for node, kernel in zip(nodes, linked, strict=True)
        )

    def run(self, buffers: list[Buffer]) -> tuple[Buffer, ...]:
        """Return the outputs; ``buffers``, one per variable, is emptied to free inputs early.

        Raises:
            ShapeError, DTypeError: Buffers do not satisfy a node's rule; names the node.
            KernelError: A kernel failed; names the node.
        """
        values: list[Any] = [None, *buffers, *[None] * self._value_count]
        buffers.clear()
        # One task, in which kernels share their work among the pool's threads.
        if self._threaded:
            self._device.together([partial(self._run_steps, values)])
        else:
            self._run_steps(values)
        return tuple([values[slot] for slot in self._outputs])

    def _run_steps(self, values: list[Any]) -> None:
        device = self._device
        # One handler around the loop: in each round its setup would cost as much as a small kernel.
        node = None
        try:
            for node, function, params, asks, operands, results, updated, frees in self._steps:  # noqa: B007  # the handler reads it
                inputs = [values[slot] for slot in operands]
                more = {} if asks is None else kernel_arguments(asks, device, False)
                returned: Any = function(*inputs, **params, **more)
                del inputs  # or the last use of an operand would not free it
                if len(results) + len(updated) == 1:
                    values[results[0]] = returned
                else:
                    for slot, value in zip(results, returned, strict=False):
                        values[slot] = value
                    for slot, value in zip(updated, returned[len(results) :], strict=True):
                        device.write(values[slot], value)
                del returned
                for slot in frees:
                    values[slot] = None
        except HyError as error:
            if node is not None:
                note_node(error, node)
            raise
        except Exception as error:
            assert node is not None
            raise explained_failure(error, node, _input_types(node, self._types)) from error


def _bound_step(
    node: Node, kernel: LinkedStep, slots: dict[Entry, int], dead: Sequence[int]
) -> _Step:
    op = node.op
    assert op is not None
    operands = node.operands([slots[entry] for entry in node.inputs])
    # A bound kernel has its parameters inside, a region its options.
    params = {} if kernel.bound or node.is_region else node.params
    return _Step(
        node,
        kernel.function,
        params,
        asks=op if op.needs else None,
        operands=tuple([slot or 0 for slot in operands]),
        results=tuple([slots[entry] for entry in outputs_of(node)]),
        updated=tuple([operands[position] for position in op.updated(node.params, False)]),
        frees=tuple(dead),
    )


def _last_uses(
    nodes: Sequence[Node], slots: dict[Entry, int], outputs: Collection[Entry]
) -> list[list[int]]:
    """Return per node the slots of the values that no later node uses, unused results included."""
    needed = {slots[entry] for entry in outputs}
    frees = []
    for node in reversed(nodes):
        dead = []
        # Results that nobody takes die at once.
        for entry in (*node.inputs, *outputs_of(node)):
            slot = slots[entry]
            if slot not in needed:
                needed.add(slot)
                dead.append(slot)
        frees.append(dead)
    frees.reverse()
    return frees


def _linked(nodes: Sequence[Node], device: Device, types: Types) -> list[LinkedStep]:
    """Return the kernel of each node; kernels without specialisation are looked up once."""
    known: dict[Operator, LinkedStep] = {}
    steps = []
    for node in nodes:
        op = node.op
        assert op is not None
        step = known.get(op)
        if step is None:
            step = linked_step(node, device, types, is_train=False)
            # A specialised kernel is for the node's types only.
            if step.record is not None and step.record.specialize is None:
                known[op] = step
        steps.append(step)
    return steps


def _input_types(node: Node, types: Types) -> list[TensorType]:
    pairs: Sequence[tuple[str, Entry]] = list(zip(node.input_names, node.inputs, strict=True))
    return [TensorType(*types.get(entry), name) for name, entry in pairs]
