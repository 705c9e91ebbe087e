"""Partition: a graph and its gradients in two parts, and the values passed between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hy_ndarray import Buffer, Device, NDArray, invoke
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types

__all__ = ["Partition", "crossing", "shallow_first", "sparse_at_last"]


@dataclass(frozen=True, slots=True)
class Partition:
    """Forward and backward part of a graph with gradients."""

    device: Device
    is_train: bool
    types: Types | None
    variables: tuple[Node, ...]
    """Inputs of the forward part."""
    head_grads: tuple[Node, ...]
    outputs: tuple[Entry, ...]
    heads: tuple[int, ...]
    """Positions of the outputs whose head gradients the backward part takes."""
    saved_inputs: tuple[int, ...]
    """Positions of the variables that it takes."""
    saved: tuple[Entry, ...]
    """What it takes that the forward part computes."""
    gradients: tuple[Entry, ...]
    """What it gives."""
    targets: tuple[int, ...]
    """Positions of the variables that these are the gradients of."""
    last: Mapping[int, Node]
    """Operators that make sparse gradients of some of these, by position."""

    @property
    def inputs(self) -> list[Entry]:
        """Return the entries that the forward part takes."""
        return [(node, 0) for node in self.variables]

    @property
    def backward_inputs(self) -> list[Entry]:
        """Return the entries that the backward part takes: heads, inputs, saved values."""
        heads: list[Entry] = [(self.head_grads[i], 0) for i in self.heads]
        return [*heads, *((self.variables[i], 0) for i in self.saved_inputs), *self.saved]

    def operands(
        self,
        head_grads: Sequence[Buffer | None],
        inputs: Sequence[Buffer],
        saved: Sequence[Buffer],
    ) -> list[Buffer]:
        """Return the buffers of the backward part from head gradients, inputs and saved values."""
        heads = map(head_grads.__getitem__, self.heads)
        return [*heads, *map(inputs.__getitem__, self.saved_inputs), *saved]

    def finished(self, values: tuple[Buffer, ...], inputs: Sequence[Buffer]) -> tuple[Any, ...]:
        """Return the gradients, sparse ones built from the backward part's results."""
        if not self.last:
            return values
        device, result = self.device, list(values)
        at = {node: i for i, node in enumerate(self.variables)}
        for k, node in self.last.items():
            buffers = [values[k], *(inputs[at[variable]] for variable, _ in node.inputs[1:])]
            operands = [NDArray.from_buffer(buffer, device) for buffer in buffers]
            assert node.op is not None
            # As a call of the operator, whose result may have sparse storage.
            result[k] = invoke(node.op, node.operands(operands), node.params)
        return tuple(result)


def sparse_at_last(
    gradients: Sequence[Entry], forward: set[Node], variables: set[Node], device: Device
) -> dict[int, Node]:
    """Return the gradients that are sparse results of an operator on variables."""
    result: dict[int, Node] = {}
    if not device.context.device_type.startswith("cpu"):  # where sparse arrays are
        return result
    for k, (node, _) in enumerate(gradients):
        if node.op is None or node.op.stores is None or node.op.stores(node.params) == "default":
            continue
        # Sparse arrays are none of a program's buffers: the operator is called on what it gives.
        (first, _), *others = node.inputs
        if first not in forward and all(variable in variables for variable, _ in others):
            result[k] = node
    return result


def crossing(outputs: Sequence[Entry], outer: set[Node]) -> list[Entry]:
    """Return entries of ``outer`` nodes that nodes of ``outputs`` use, or that are outputs."""
    result: dict[Entry, None] = {}  # in the order they are met
    seen: set[Node] = set()
    stack = list(outputs)
    while stack:
        node, i = stack.pop()
        if node in outer:
            result[node, i] = None
        elif node not in seen:
            seen.add(node)
            stack.extend(node.inputs)
    return list(result)


def shallow_first(gradients: Sequence[Entry], outer: set[Node]) -> list[int]:
    """Return the positions of the gradients, those with short paths from the heads first.

    Computed in that order, a layer's gradients come before those of the layers before it, so
    that what was saved for it is soon free.
    """
    depth = dict.fromkeys(outer, 0)
    for node in Graph(tuple(gradients)).nodes:
        if node not in depth:
            depth[node] = 1 + max((depth[source] for source, _ in node.inputs), default=0)
    return sorted(range(len(gradients)), key=lambda i: depth[gradients[i][0]])
