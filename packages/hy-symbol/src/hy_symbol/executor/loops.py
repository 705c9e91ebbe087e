"""Loops and branches on arrays: only executed steps and the taken branch are computed."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import TypeAlias

from hy_ndarray import NDArray, autograd, limits, nd
from hy_symbol.graph.control import feeds
from hy_symbol.graph.node import Graph, Node
from hy_symbol.passes.shapes import open_nodes

__all__ = ["control_results", "has_long_loops"]

Run: TypeAlias = Callable[[Graph, Sequence[NDArray]], Sequence[NDArray]]
"""Function that computes a graph, given one array per variable."""

_MAX_NODES = 256
"""Largest number of nodes that a while loop is unrolled to. Planning takes 70 µs a node, and
unrolled steps that are not taken cost as much as others."""


def has_long_loops(graph: Graph) -> bool:
    """Return whether a graph has a while loop too long to unroll, so that it runs step by step.

    False for graphs that must be unrolled, as their creation operators need inferred shapes, and
    for loops above ``limits.most`` nodes, which the unrolling pass refuses.
    """
    if not graph.depth:
        return False
    graphs = _graphs(graph)
    inside = [node for inner in graphs for node in inner.nodes]
    if any(node.is_region for node in inside) or any(map(open_nodes, graphs)):
        return False
    # Each step is unrolled with its test, whether it is taken or not.
    sizes = [
        node.params["max_iterations"] * (1 + sum(len(body.nodes) for body in node.bodies))
        for node in inside
        if node.op is not None and node.op.name == "_while_loop"
    ]
    return _MAX_NODES < max(sizes, default=0) <= limits.most


def _graphs(graph: Graph) -> list[Graph]:
    """Return a graph and, recursively, the bodies of its nodes."""
    bodies = [body for node in graph.nodes for body in node.bodies]
    return [graph, *chain.from_iterable(map(_graphs, bodies))]


def control_results(node: Node, inputs: Sequence[NDArray], run: Run) -> list[NDArray]:
    """Run a loop or branch on arrays; return its outputs.

    Args:
        node: The loop or branch.
        inputs: The operands of the node.
        run: Function that computes a body.
    """
    assert node.op is not None
    return _RESULTS[node.op.name](node, inputs, run)


def _foreach(node: Node, inputs: Sequence[NDArray], run: Run) -> list[NDArray]:
    params, (body,), (feed,) = node.params, node.bodies, feeds(node)
    data = len(params["in_data_locs"])
    end = data + len(params["in_state_locs"])
    states, remain = list(inputs[data:end]), inputs[end:]
    rows: list[Sequence[NDArray]] = []
    for t in range(inputs[0].shape[0]):
        arguments = [*(x[t] for x in inputs[:data]), *states, *remain]
        results = run(body, [arguments[i] for i in feed])
        rows.append(results[: params["num_out_data"]])
        states = list(results[params["num_out_data"] :])
    return [*(nd.stack(*column, axis=0) for column in zip(*rows, strict=True)), *states]


def _while_loop(node: Node, inputs: Sequence[NDArray], run: Run) -> list[NDArray]:
    params, (condition, func) = node.params, node.bodies
    condition_feed, func_feed = feeds(node)
    current = list(inputs)
    rows: list[Sequence[NDArray]] = []
    variables = [func_feed[location] for location in params["func_var_locs"]]
    count, max_steps = params["num_out_data"], params["max_iterations"]
    while len(rows) < max_steps and _is_true(condition, [current[i] for i in condition_feed], run):
        results = run(func, [current[i] for i in func_feed])
        rows.append(results[:count])
        for i, result in zip(variables, results[count:], strict=True):
            current[i] = result
    shown = rows
    if not rows:
        # No step was taken: the body runs once to find the shapes and dtypes of the zeros.
        with autograd.pause(train_mode=autograd.is_training()):  # for shapes and dtypes alone
            shown = [run(func, [current[i] for i in func_feed])[:count]]
    columns = [
        _stacked_with_zeros(list(column), len(rows), max_steps)
        for column in zip(*shown, strict=True)
    ]
    return [*columns, *(current[i] for i in variables)]


def _stacked_with_zeros(values: list[NDArray], count: int, max_steps: int) -> NDArray:
    """Stack the first ``count`` arrays along axis 0, padded with zeros to ``max_steps`` rows."""
    shape, dtype, context = values[0].shape, values[0].dtype, values[0].context
    # MXNet's while_loop answers max_iterations rows, zeros where no step was taken.
    rest = nd.zeros((max_steps - count, *shape), ctx=context, dtype=dtype)
    if not count:
        return rest
    rows: NDArray = nd.stack(*values[:count], axis=0)
    return rows if count == max_steps else nd.concat(rows, rest, dim=0)


def _is_true(condition: Graph, values: Sequence[NDArray], run: Run) -> bool:
    # The condition has no gradient.
    with autograd.pause(train_mode=autograd.is_training()):
        return bool(run(condition, values)[0].asnumpy().all())


def _cond(node: Node, inputs: Sequence[NDArray], run: Run) -> list[NDArray]:
    condition, *branches = node.bodies
    condition_feed, *branch_feeds = feeds(node)
    k = 0 if _is_true(condition, [inputs[i] for i in condition_feed], run) else 1
    return list(run(branches[k], [inputs[i] for i in branch_feeds[k]]))


_RESULTS: Mapping[str, Callable[[Node, Sequence[NDArray], Run], list[NDArray]]] = {
    "_foreach": _foreach,
    "_while_loop": _while_loop,
    "_cond": _cond,
}
