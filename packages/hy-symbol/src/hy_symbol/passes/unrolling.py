"""The unrolling pass: replaces loops by copies of their body, and branches by ``where``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hy_ndarray import limits
from hy_symbol._errors import GraphError
from hy_symbol.graph.control import feeds
from hy_symbol.graph.node import Entry, Graph, Node
from hy_symbol.graph.rewriting import instantiate, new_node, rewrite
from hy_symbol.infer.engine import Types
from hy_symbol.infer.typed_graph import TypedGraph

__all__ = ["has_control_flow", "unrolled"]

_Expand = Callable[[Node, Sequence[Entry], Types], list[Entry]]


def has_control_flow(graph: Graph) -> bool:
    """Return whether a graph has a loop or a branch."""
    return any(not node.is_region for node in graph.nodes if node.bodies)


def unrolled(typed: TypedGraph) -> TypedGraph:
    """Return the graph with plain operators in place of loops and branches.

    ``_foreach`` becomes one copy of its body per slice. ``_while_loop`` becomes ``max_iterations``
    copies; results of steps after the condition has failed are replaced by zeros. For ``_cond``
    both branches are computed, and one is selected.

    Ensures: the variables are the same nodes in the same order.

    Raises:
        GraphError: The number of slices is unknown, or the result would have more than
            ``hy_ndarray.limits.most`` nodes; names the node.
    """
    # Nested loops are unrolled level by level, as the length of an inner loop may be known only
    # then.
    while has_control_flow(typed.graph):
        typed = typed.rewritten(_one_level(typed.graph, typed.types))
    return typed


def _one_level(graph: Graph, types: Types) -> Graph:
    count = 0

    def expanded(node: Node, inputs: tuple[Entry, ...]) -> list[Entry] | None:
        nonlocal count
        if not node.is_control_flow:
            return None
        assert node.op is not None
        # Estimated before anything is made: a loop of a billion steps is refused at once.
        count += _nodes(node, types)
        if count > limits.most:
            raise GraphError(
                f"{node.op.name} '{node.name}': unrolled, the loops of the graph have {count} "
                f"nodes, hy_ndarray.limits.most={limits.most}; set that higher for more"
            )
        return _EXPAND[node.op.name](node, inputs, types)

    return Graph(rewrite(graph, expanded).outputs, graph.variables)


def _nodes(node: Node, types: Types) -> int:
    """Return an estimate of the number of nodes that a loop or branch is replaced by."""
    assert node.op is not None
    times = 1
    if node.op.name == "_foreach":
        times = (types.shape(node.inputs[0]) or (0,))[0] or 0
    elif node.op.name == "_while_loop":
        times = node.params["max_iterations"]
    return times * (1 + sum(len(body.nodes) for body in node.bodies))


def _new_outputs(name: str, node: Node, inputs: Sequence[Entry], **params: Any) -> list[Entry]:
    """Create an operator node on behalf of ``node``; return its visible outputs."""
    node_out = new_node(name, inputs, name=f"{node.name}_{name.lower()}", beside=node, **params)
    return [(node_out, i) for i in range(node_out.num_visible)]


def _body(graph: Graph, values: Sequence[Entry], prefix: str) -> list[Entry]:
    """Inline a copy of a body, with ``values`` for its variables; return its outputs."""
    return instantiate(graph, values, lambda name: f"{prefix}_{name}")


def _foreach(node: Node, inputs: Sequence[Entry], types: Types) -> list[Entry]:
    params, (body,) = node.params, node.bodies
    data = len(params["in_data_locs"])
    shape = types.shape(node.inputs[0])
    if not shape or shape[0] is None:
        raise GraphError(
            f"_foreach '{node.name}': the number of slices of its data is not known; "
            "bind the symbol with the shape of the data"
        )
    count = shape[0]
    if count == 0:
        return _no_slices(node, inputs, types)
    slices = [
        _new_outputs("SliceChannel", node, [x], num_outputs=count, axis=0, squeeze_axis=True)
        for x in inputs[:data]
    ]
    state_end = data + len(params["in_state_locs"])
    states, remain = list(inputs[data:state_end]), inputs[state_end:]
    rows: list[list[Entry]] = []
    (feed,) = feeds(node)
    for t in range(count):
        arguments = [*(part[t] for part in slices), *states, *remain]
        results = _body(body, [arguments[i] for i in feed], f"{node.name}_{t}")
        rows.append(results[: params["num_out_data"]])
        states = results[params["num_out_data"] :]
    return [*(_stack(node, column) for column in zip(*rows, strict=True)), *states]


def _stack(node: Node, values: Sequence[Entry]) -> Entry:
    return _new_outputs("stack", node, values, axis=0)[0]


def _no_slices(node: Node, inputs: Sequence[Entry], types: Types) -> list[Entry]:
    """Return the results of a loop over no slices: empty stacks, and the initial states."""
    data, rows = len(node.params["in_data_locs"]), node.params["num_out_data"]
    empty = []
    for i in range(rows):
        shape, dtype = types.get((node, i))
        if shape is None or None in shape:
            raise GraphError(
                f"_foreach '{node.name}': the shape of output {i} is not known; bind the "
                "symbol with the shapes of its inputs"
            )
        zeros = _new_outputs("_zeros", node, [], shape=(1, *shape[1:]), dtype=dtype or "float32")[0]
        empty += _new_outputs("slice_axis", node, [zeros], axis=0, begin=0, end=0)
    return [*empty, *inputs[data : data + node.num_outputs - rows]]


def _select(node: Node, condition: Entry, value: Entry, other: Entry) -> Entry:
    """Return ``value`` where ``condition``, a single number, is not 0, else ``other``."""
    (spread,) = _new_outputs("_broadcast_like_of", node, [condition, value])
    return _new_outputs("where", node, [spread, value, other])[0]


def _while_loop(node: Node, inputs: Sequence[Entry], types: Types) -> list[Entry]:  # noqa: ARG001
    params, (condition, func) = node.params, node.bodies
    condition_feed, func_feed = feeds(node)
    current = list(inputs)
    variables = [func_feed[location] for location in params["func_var_locs"]]
    rows: list[list[Entry]] = []
    active: Entry | None = None
    # A graph has no jumps: all steps are computed, and steps after the end change nothing.
    for t in range(params["max_iterations"]):
        prefix = f"{node.name}_{t}"
        (holds,) = _body(condition, [current[i] for i in condition_feed], prefix)
        (holds,) = _new_outputs("_not_equal_scalar", node, [holds], scalar=0)
        active = holds if active is None else _new_outputs("elemwise_mul", node, [active, holds])[0]
        results = _body(func, [current[i] for i in func_feed], prefix)
        row = []
        for result in results[: params["num_out_data"]]:
            (zeros,) = _new_outputs("zeros_like", node, [result])
            row.append(_select(node, active, result, zeros))
        rows.append(row)
        for i, result in zip(variables, results[params["num_out_data"] :], strict=True):
            current[i] = _select(node, active, result, current[i])
    columns = list(zip(*rows, strict=True))
    return [*(_stack(node, column) for column in columns), *(current[i] for i in variables)]


def _cond(node: Node, inputs: Sequence[Entry], types: Types) -> list[Entry]:  # noqa: ARG001
    parts = [
        _body(graph, [inputs[i] for i in feed], f"{node.name}_{part}")
        for part, graph, feed in zip(
            ("cond", "then", "else"), node.bodies, feeds(node), strict=True
        )
    ]
    (condition,) = parts[0]
    return [
        _select(node, condition, then, other)
        for then, other in zip(parts[1], parts[2], strict=True)
    ]


_EXPAND: Mapping[str, _Expand] = {
    "_foreach": _foreach,
    "_while_loop": _while_loop,
    "_cond": _cond,
}
