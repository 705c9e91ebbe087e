"""Calls: a graph computed node by node on buffers, by the kernels that its program would call."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from hy_ndarray import Buffer, Device, HyError, kernel_arguments
from hy_ndarray.ops import Operator, TensorType
from hy_symbol.compile.linking import LinkedStep, is_threaded, linked_step
from hy_symbol.execution.failures import explained_failure, note_node
from hy_symbol.graph.collector import without_collections
from hy_symbol.graph.interpreter import interpret
from hy_symbol.graph.node import Entry, Node
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["compute"]


@without_collections
def compute(typed: TypedGraph, device: Device, buffers: list[Buffer]) -> tuple[Buffer, ...]:
    """Return the outputs of a graph for prediction; values are freed after their last use.

    Args:
        typed: The graph as it runs, with the types of the buffers.
        device: Where to run.
        buffers: One for each variable; the list is emptied.
    """
    nodes = [node for node in typed.graph.nodes if node.op is not None]
    steps = _linked(nodes, device, typed.types)
    values = dict(zip(typed.inputs, buffers, strict=True))
    buffers.clear()
    outputs = typed.graph.outputs

    def call(node: Node, inputs: list[Buffer]) -> Sequence[Buffer]:
        try:
            return _results(node, steps[node], device, inputs)
        except HyError as error:
            note_node(error, node)
            raise
        except Exception as error:
            raise explained_failure(error, node, _input_types(node, typed.types)) from error

    run = partial(interpret, nodes, values, call, set(outputs))
    if any(is_threaded(node, step.record, typed.types) for node, step in steps.items()):
        device.together([run])
    else:
        run()
    return tuple([values[entry] for entry in outputs])


def _linked(nodes: Sequence[Node], device: Device, types: Types) -> dict[Node, LinkedStep]:
    """The nodes with their kernels, those that are for all nodes of an operator looked up once."""
    known: dict[Operator, LinkedStep] = {}
    steps = {}
    for node in nodes:
        op = node.op
        assert op is not None
        step = known.get(op)
        if step is None:
            step = linked_step(node, device, types, is_train=False)
            if step.record is not None and step.record.specialize is None:
                known[op] = step
        steps[node] = step
    return steps


def _results(
    node: Node, step: LinkedStep, device: Device, inputs: Sequence[Buffer]
) -> Sequence[Buffer]:
    """Run a node; what it writes to its inputs is written."""
    op = node.op
    assert op is not None
    operands = node.operands(inputs)
    keywords: dict[str, Any] = {} if step.bound or node.is_region else dict(node.params)
    keywords |= kernel_arguments(op, device, False)
    result: Any = step.function(*operands, **keywords)
    updated = op.updated(node.params, False)
    count = node.num_outputs
    if count + len(updated) == 1:
        return (result,)
    for position, value in zip(updated, result[count:], strict=True):
        device.write(operands[position], value)
    return tuple(result[:count])


def _input_types(node: Node, types: Types) -> list[TensorType]:
    pairs: Sequence[tuple[str, Entry]] = list(zip(node.input_names, node.inputs, strict=True))
    return [TensorType(*types.get(entry), name) for name, entry in pairs]
