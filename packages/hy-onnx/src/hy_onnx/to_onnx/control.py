"""Export of loops and branches, whose bodies are graphs."""

from collections.abc import Mapping, Sequence

import numpy as np

from hy_onnx.model import OnnxGraph, ValueInfo
from hy_onnx.to_onnx.call import Call
from hy_onnx.to_onnx.conversion import decomposed
from hy_onnx.to_onnx.registry import converter
from hy_symbol import Entry
from hy_symbol.graph.control import feeds

__all__: list[str] = []


def _body_call(call: Call, k: int, *, new_scope: bool) -> Call:
    """Return a call that converts body ``k``, into a graph of its own or inline."""
    # A branch's nodes are in a graph of their own; a condition's are beside the node.
    builder = call.builder.inner() if new_scope else call.builder
    bodies = [*call.node.bodies]
    bodies[k], sizes = decomposed(bodies[k], call.sizes.inside(call.node, k, bodies[k]))
    node = call.node.copy(bodies=bodies)
    return Call(node, call.names, builder, sizes, call.weights, call.write)


def _write_body(body: Call, k: int, arguments: Sequence[str]) -> list[str]:
    """Convert the nodes of body ``k`` for given inputs; return the names of its outputs."""
    graph = body.node.bodies[k]
    values: dict[Entry, str] = {
        (node, 0): name for node, name in zip(graph.variables, arguments, strict=True)
    }
    for node in graph.nodes:
        if node.op is not None:
            body.write(node, values, body)
    return [values[entry] for entry in graph.outputs]


def _graph(
    body: Call, inputs: Sequence[ValueInfo], outputs: Sequence[tuple[str, str]]
) -> OnnxGraph:
    """Return a body's nodes as a graph; ``outputs`` are pairs of name and dtype."""
    builder = body.builder
    produced = {name for node in builder.nodes for name in node.outputs}
    listed: list[ValueInfo] = []
    for name, dtype in outputs:
        own = name
        # ONNX wants outputs that nodes of the body give, each once.
        if name not in produced or any(value.name == name for value in listed):
            own = body.op("Identity", name)
        listed.append(ValueInfo(own, shape=None, dtype=dtype))
    builder.used_inside.update(name for node in builder.nodes for name in node.inputs)
    return OnnxGraph(body.node.name, builder.nodes, list(inputs), listed)


def _variable(body: Call, k: int, location: int, preferred: str) -> ValueInfo:
    """Return a graph input for variable number ``location`` of body ``k``."""
    entry = body.node.bodies[k].variables[location], 0
    return ValueInfo(
        body.builder.fresh(preferred), shape=body.sizes.dims(entry), dtype=body.sizes.dtype(entry)
    )


def _typed(body: Call, k: int, names: Sequence[str]) -> list[tuple[str, str]]:
    """Return the names of body ``k``'s outputs with their dtypes."""
    entries = body.node.bodies[k].outputs
    pairs = zip(names, entries, strict=True)
    return [(name, _entry_dtype(body, entry)) for name, entry in pairs]


def _entry_dtype(body: Call, entry: Entry) -> str:
    body.sizes.dims(entry)
    return body.sizes.dtype(entry)


@converter("_foreach")
def _foreach(call: Call) -> list[str]:
    params = call.params
    slices, states = len(params["in_data_locs"]), len(params["in_state_locs"])
    body = _body_call(call, 0, new_scope=True)
    inputs: dict[int, ValueInfo] = {}
    arguments = []
    for location, i in enumerate(feeds(call.node)[0]):
        if i < slices + states:
            inputs[i] = _variable(body, 0, location, f"{call.node.name}_in{i}")
        arguments.append(inputs[i].name if i in inputs else call.name(i))
    outputs = _typed(body, 0, _write_body(body, 0, arguments))
    count = params["num_out_data"]
    # Scan has states first, then slices; foreach the other way round.
    order = [*range(slices, slices + states), *range(slices)]
    graph = _graph(body, [inputs[i] for i in order], [*outputs[count:], *outputs[:count]])
    names = [call.name(i) for i in order]
    results = call.ops(len(outputs), "Scan", *names, body=graph, num_scan_inputs=slices)
    return [*results[states:], *results[:states]]


def _condition(body: Call, k: int, arguments: Sequence[str]) -> str:
    """Convert body ``k``, a condition; return it as a boolean scalar."""
    ((name, dtype),) = _typed(body, k, _write_body(body, k, arguments))
    # ONNX's conditions have no axes.
    return body.op("Reshape", body.truth(name, dtype), body.builder.constant(np.zeros(0, np.int64)))


@converter("_cond")
def _branch(call: Call) -> list[str]:
    condition, *branches = feeds(call.node)
    predicate = _condition(
        _body_call(call, 0, new_scope=False), 0, [call.name(i) for i in condition]
    )
    graphs = []
    for k, feed in enumerate(branches, 1):
        body = _body_call(call, k, new_scope=True)
        graphs.append(
            _graph(body, [], _typed(body, k, _write_body(body, k, [call.name(i) for i in feed])))
        )
    options = {"then_branch": graphs[0], "else_branch": graphs[1]}
    return call.ops(call.params["num_outputs"], "If", predicate, **options)


@converter("_while_loop")
def _loop(call: Call) -> list[str]:
    params = call.params
    condition, func = feeds(call.node)
    locations = params["func_var_locs"]
    variables = [func[location] for location in locations]
    started = _condition(_body_call(call, 0, new_scope=False), 0, [call.name(i) for i in condition])
    body = _body_call(call, 1, new_scope=True)
    number = ValueInfo(body.builder.fresh(f"{call.node.name}_step"), shape=(), dtype="int64")
    continue_input = ValueInfo(
        body.builder.fresh(f"{call.node.name}_going"), shape=(), dtype="bool"
    )
    inputs = {
        i: _variable(body, 1, location, f"{call.node.name}_in{i}")
        for i, location in zip(variables, locations, strict=True)
    }
    now: Mapping[int, str] = {i: value.name for i, value in inputs.items()}
    outputs = _typed(body, 1, _write_body(body, 1, [now.get(i) or call.name(i) for i in func]))
    count = params["num_out_data"]
    after = dict(zip(variables, (name for name, _ in outputs[count:]), strict=True))
    # The condition after a step is part of the body, the first one is before it.
    test = _body_call(call, 0, new_scope=False)
    test.builder = body.builder
    continues = _condition(test, 0, [after.get(i) or call.name(i) for i in condition])
    graph = _graph(
        body,
        [number, continue_input, *(inputs[i] for i in variables)],
        [(continues, "bool"), *outputs[count:], *outputs[:count]],
    )
    max_steps = call.scalar_int(params["max_iterations"])
    names = [call.name(i) for i in variables]
    results = call.ops(len(outputs), "Loop", max_steps, started, *names, body=graph)
    # Loop's stacks are as long as the steps taken; MXNet's are filled up with zeros.
    stacks = [_stack_of_steps(call, y, k) for k, y in enumerate(results[len(variables) :])]
    return [*stacks, *results[: len(variables)]]


def _stack_of_steps(call: Call, y: str, k: int) -> str:
    """Return stacked output ``k`` of a Loop, padded with zeros for steps that did not run."""
    shape = call.out_shape(k)
    zeros = call.constant(np.zeros(shape), call.out_dtype(k))
    return call.slice(call.op("Concat", y, zeros, axis=0), 0, 0, shape[0])
