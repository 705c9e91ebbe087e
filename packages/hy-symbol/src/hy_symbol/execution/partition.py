"""Partition: a forward and a backward part of a graph, and the values passed between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hy_ndarray import Buffer, Device, NDArray
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.infer.engine import Types

__all__ = ["Partition", "crossing", "shallow_first", "sparse_at_last"]


@dataclass(frozen=True, slots=True)
class Partition:
    """Forward and backward part of a graph that computes outputs and gradients."""

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
    """Positions of the variables that the backward part takes again."""
    saved: tuple[Entry, ...]
    """Values of the forward part that the backward part takes."""
    gradients: tuple[Entry, ...]
    """Outputs of the backward part."""
    targets: tuple[int, ...]
    """Positions of the variables that ``gradients`` belong to."""
    last: Mapping[int, Node]
    """Operators to apply to some of ``gradients`` afterwards to make them sparse, by position."""

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
        """Return the backward part's operands, selected from the arguments."""
        heads = map(head_grads.__getitem__, self.heads)
        return [*heads, *map(inputs.__getitem__, self.saved_inputs), *saved]

    def finished(self, values: tuple[Buffer, ...], inputs: Sequence[Buffer]) -> tuple[Any, ...]:
        """Return the gradients: results of the backward part, after the operators in ``last``."""
        if not self.last:
            return values
        device, result = self.device, list(values)
        at = {node: i for i, node in enumerate(self.variables)}
        for k, node in self.last.items():
            buffers = [values[k], *(inputs[at[variable]] for variable, _ in node.inputs[1:])]
            operands = [NDArray.from_buffer(buffer, device) for buffer in buffers]
            assert node.op is not None
            # As a call of the operator, whose result may have sparse storage.
            result[k] = NDArray.apply_operator(node.op, node.operands(operands), node.params)
        return tuple(result)


def sparse_at_last(
    gradients: Sequence[Entry], forward: set[Node], variables: set[Node], device: Device
) -> dict[int, Node]:
    """Return by position the gradients whose last operator gives a sparse array.

    Programs compute dense buffers only, so such an operator runs after the backward part, if its
    other operands are variables.
    """
    result: dict[int, Node] = {}
    if not device.context.device_type.startswith("cpu"):  # where sparse arrays are
        return result
    for k, (node, _) in enumerate(gradients):
        if node.op is None or node.op.stores is None or node.op.stores(node.params) == "default":
            continue
        # Sparse arrays are no buffers of programs: the operator is called on the program's result.
        (first, _), *others = node.inputs
        if first not in forward and all(variable in variables for variable, _ in others):
            result[k] = node
    return result


def crossing(outputs: Sequence[Entry], outer: set[Node]) -> list[Entry]:
    """Return the entries of ``outer`` nodes that ``outputs`` depend on directly, or contain."""
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
    """Return the positions of the gradients, sorted by their depth in the backward graph.

    In this order the gradients of later layers are computed first, so that the values saved for a
    layer can be freed soon.
    """
    depth = dict.fromkeys(outer, 0)
    for node in Graph(tuple(gradients)).nodes:
        if node not in depth:
            depth[node] = 1 + max((depth[source] for source, _ in node.inputs), default=0)
    return sorted(range(len(gradients)), key=lambda i: depth[gradients[i][0]])
