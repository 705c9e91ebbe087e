"""Costs of a saved graph, node by node: floating-point operations and bytes of activations.

Run it on a file that ``export`` or ``Symbol.save`` wrote, with the shapes of its inputs::

    python -m examples.flops net-symbol.json data=1,3,224,224

A multiplication and an addition are two operations; an operator without a rule of its own counts
one for each element of its results.
"""

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from hy_ndarray import numpy_type
from hy_symbol import Node, Symbol, TypedGraph, Types, inlined, load, with_inferred_shapes
from hy_symbol.infer.api import inferred

Shape: TypeAlias = tuple[int, ...]
Rule: TypeAlias = Callable[[Node, Sequence[Shape], Shape], int]
"""Takes a node, the shapes of its inputs and of its first output."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Floating-point operations and activation bytes of a node."""

    node: Node
    flops: int
    activation_bytes: int


def _with_bias(node: Node, out: Shape) -> int:
    return 0 if node.params["no_bias"] else prod(out)


def _convolution(node: Node, inputs: Sequence[Shape], out: Shape) -> int:
    return 2 * prod(out) * prod(inputs[1][1:]) + _with_bias(node, out)


def _deconvolution(node: Node, inputs: Sequence[Shape], out: Shape) -> int:
    return 2 * prod(inputs[0]) * prod(inputs[1][1:]) + _with_bias(node, out)


def _pooling(node: Node, inputs: Sequence[Shape], out: Shape) -> int:
    return (
        prod(inputs[0]) if node.params["global_pool"] else prod(out) * prod(node.params["kernel"])
    )


def _product(node: Node, inputs: Sequence[Shape], out: Shape) -> int:
    first = inputs[0]
    if node.params["transpose_a"]:
        return 2 * prod(out) * first[0 if node.op is not None and node.op.name == "dot" else -2]
    return 2 * prod(out) * first[-1]


def _recurrent(node: Node, inputs: Sequence[Shape], out: Shape) -> int:  # noqa: ARG001
    steps, batch, _ = inputs[0]
    return 2 * steps * batch * prod(inputs[1])


def _per_element(count: int) -> Rule:
    return lambda _node, _inputs, out: count * prod(out)


RULES: Mapping[str, Rule] = {
    "Convolution": _convolution,
    "Deconvolution": _deconvolution,
    "FullyConnected": _convolution,
    "Pooling": _pooling,
    "RNN": _recurrent,
    "batch_dot": _product,
    "dot": _product,
    "BatchNorm": _per_element(2),
    "LayerNorm": _per_element(8),
    "softmax": _per_element(5),
    "log_softmax": _per_element(5),
    "SoftmaxOutput": _per_element(5),
} | dict.fromkeys(
    (
        "Cast",
        "Concat",
        "Dropout",
        "Embedding",
        "Flatten",
        "Reshape",
        "SliceChannel",
        "_copy",
        "_ones",
        "_zeros",
        "expand_dims",
        "slice",
        "slice_axis",
        "squeeze",
        "stack",
        "transpose",
    ),
    _per_element(0),
)


def costs(symbol: Symbol, **shapes: Sequence[int]) -> list[Cost]:
    """Return the cost of every operator of a graph in prediction.

    Args:
        symbol: The graph.
        shapes: Shapes of the inputs by name; those of parameters follow.

    Raises:
        ValueError: A shape does not follow; names the node.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc")
        >>> for cost in costs(sym.relu(net, name="act"), data=(1, 20)):
        ...     print(cost.node.name, cost.flops, cost.activation_bytes)
        fc 410 40
        act 10 40
    """
    graph = inlined(symbol.graph)
    typed = with_inferred_shapes(TypedGraph(graph, inferred(graph, shapes, {})))  # unrolls loops
    return [_cost(node, typed.types) for node in typed.graph.nodes if node.op is not None]


def _cost(node: Node, types: Types) -> Cost:
    assert node.op is not None
    inputs = [_shape(types, source, i) for source, i in node.inputs]
    outputs = [_shape(types, node, i) for i in range(node.num_visible)]
    rule = RULES.get(node.op.name, _per_element(1))
    sizes = [
        prod(shape) * numpy_type(types.dtype((node, i)) or "float32")().itemsize
        for i, shape in enumerate(outputs)
    ]
    return Cost(node, rule(node, inputs, outputs[0]), sum(sizes))


def _shape(types: Types, node: Node, index: int) -> Shape:
    shape = types.shape((node, index))
    if shape is None or None in shape:
        raise ValueError(f"{node.output_name(index)}: the shape {shape} does not follow")
    return tuple(n for n in shape if n is not None)


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a table of the costs."""
    parser = argparse.ArgumentParser(description="Count operations and bytes of a saved graph.")
    parser.add_argument("file", help="a -symbol.json file")
    parser.add_argument("shapes", nargs="+", help="name=1,3,224,224")
    options = parser.parse_args(arguments)
    shapes = {
        name: tuple(int(n) for n in sizes.split(","))
        for name, _, sizes in (text.partition("=") for text in options.shapes)
    }
    node_costs = costs(load(options.file), **shapes)
    width = max(len(cost.node.name) for cost in node_costs)
    print(f"{'node':{width}}  {'operator':24}{'FLOPs':>16}{'bytes':>14}")
    for cost in node_costs:
        op = cost.node.op
        assert op is not None
        print(
            f"{cost.node.name:{width}}  {op.name:24}{cost.flops:>16,}{cost.activation_bytes:>14,}"
        )
    flops, size = sum(c.flops for c in node_costs), sum(c.activation_bytes for c in node_costs)
    print(f"{'total':{width}}  {'':24}{flops:>16,}{size:>14,}")


if __name__ == "__main__":
    main()
