"""Loops, branches and regions: operators whose bodies are graphs.

``Node.bodies`` holds the subgraphs of such a node: the body of ``_foreach``, condition and body of
``_while_loop``, condition and both branches of ``_cond``. As in MXNet, parameters map the inputs of
the node to the variables of each subgraph. Graphs with loops are unrolled
(:mod:`hy_symbol.passes.unrolling`) before they run as a program or are differentiated.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from hy_ndarray import ArgumentError, AutogradError, Params
from hy_ndarray.ops import Count, Operator, TensorType, numbered, operator
from hy_symbol.graph.node import REGION, Node, check_depth

__all__ = ["BODY_RULES", "CONTROL", "Inside", "check", "feeds", "region"]


def _output_names(params: Params) -> Sequence[str]:
    count = params["num_outputs"]
    return ["output"] if count == 1 else numbered(count)


def _grad(*_: Any) -> Any:
    raise AutogradError("a loop or branch is differentiated when shapes are known: bind the symbol")


@operator("_foreach", outputs=_output_names, grad=_grad, catalogued=False)
def foreach(
    *data: TensorType,
    num_args: Count,
    num_outputs: Count,
    num_out_data: Count,
    in_state_locs: tuple[int, ...],
    in_data_locs: tuple[int, ...],
    remain_locs: tuple[int, ...],
) -> TensorType:
    """Run a body for each slice of some inputs, passing states from step to step."""
    return _never_inferred(
        data, num_args, num_outputs, num_out_data, in_state_locs, in_data_locs, remain_locs
    )


@operator("_while_loop", outputs=_output_names, grad=_grad, catalogued=False)
def while_loop(
    *data: TensorType,
    num_args: Count,
    num_outputs: Count,
    num_out_data: Count,
    max_iterations: int,
    cond_input_locs: tuple[int, ...],
    func_input_locs: tuple[int, ...],
    func_var_locs: tuple[int, ...],
) -> TensorType:
    """Run a body as long as a condition on its variables holds."""
    ways = (cond_input_locs, func_input_locs, func_var_locs)
    return _never_inferred(data, num_args, num_outputs, num_out_data, max_iterations, ways)


@operator("_cond", outputs=_output_names, grad=_grad, catalogued=False)
def cond(
    *data: TensorType,
    num_args: Count,
    num_outputs: Count,
    cond_input_locs: tuple[int, ...],
    then_input_locs: tuple[int, ...],
    else_input_locs: tuple[int, ...],
) -> TensorType:
    """Run one of two bodies, selected by a condition."""
    ways = (cond_input_locs, then_input_locs, else_input_locs)
    return _never_inferred(data, num_args, num_outputs, ways)


@operator(REGION, outputs=_output_names, catalogued=False)
def region(*data: TensorType) -> TensorType:
    """Run a part of the graph by a backend."""
    return _never_inferred(data)


def _never_inferred(*_: Any) -> TensorType:
    raise AssertionError("what has bodies is inferred by BODY_RULES")


CONTROL: Mapping[str, Operator] = {f.op.name: f.op for f in (foreach, while_loop, cond)}
"""Control-flow operators by name."""


def feeds(node: Node) -> list[tuple[int, ...]]:
    """Return for each subgraph the positions of the node's inputs that feed its variables."""
    params = node.params
    assert node.op is not None
    if node.op is foreach.op:
        locations = (*params["in_data_locs"], *params["in_state_locs"], *params["remain_locs"])
        # The inverse permutation: ``locations[i]`` is the body's variable that input i feeds.
        return [tuple(sorted(range(len(locations)), key=lambda i: locations[i]))]
    if node.op is while_loop.op:
        return [params["cond_input_locs"], params["func_input_locs"]]
    return [params[f"{part}_input_locs"] for part in ("cond", "then", "else")]


def check(node: Node) -> None:
    """Validate the parameters and bodies of a control-flow node.

    Raises:
        ArgumentError: Parameters, inputs and subgraphs do not match, or subgraphs are nested too
            deeply.
    """
    check_depth(node)
    parts = 3 if node.op is cond.op else 2 if node.op is while_loop.op else 1
    if len(node.bodies) != parts:
        raise ArgumentError(f"has {len(node.bodies)} subgraphs instead of {parts}")
    if node.op is foreach.op:
        _check_positions(node)
    for graph, feed in zip(node.bodies, feeds(node), strict=True):
        inside, count = len(graph.variables), len(node.inputs)
        if len(feed) != inside or any(not 0 <= i < count for i in feed):
            raise ArgumentError(f"feeds inputs {feed} of {count} to a subgraph that takes {inside}")
    _check_outputs(node)


def _check_positions(node: Node) -> None:
    params = node.params
    locations = [*params["in_data_locs"], *params["in_state_locs"], *params["remain_locs"]]
    # Each position once, since `feeds` inverts this permutation.
    if sorted(locations) != list(range(len(node.inputs))) or not params["in_data_locs"]:
        raise ArgumentError(f"puts {len(node.inputs)} inputs at {locations} of its subgraph")


def _check_outputs(node: Node) -> None:
    params = node.params
    bodies = node.bodies[1:] if node.op is cond.op else node.bodies[-1:]
    counts = [len(body.outputs) for body in bodies]
    if any(count != params["num_outputs"] for count in counts):
        raise ArgumentError(f"has {params['num_outputs']} outputs, its subgraphs have {counts}")
    if node.op is not foreach.op and len(node.bodies[0].outputs) != 1:
        raise ArgumentError("has a condition of several outputs")
    if node.op is cond.op:
        return
    states = params["num_outputs"] - params["num_out_data"]
    name = "in_state_locs" if node.op is foreach.op else "func_var_locs"
    inside = len(node.bodies[-1].variables)
    if len(params[name]) != states or any(not 0 <= i < inside for i in params[name]):
        raise ArgumentError(f"has {states} states, and {name}={params[name]}")


# --- inference ------------------------------------------------------------------------------------


class Inside(Protocol):
    """Protocol by which the type rule of a control-flow node infers its bodies."""

    @property
    def skips_branches(self) -> bool:
        """Return whether branches are skipped, as MXNet's shape inference does."""

    def body(
        self,
        k: int,
        inputs: Sequence[TensorType],
        outputs: Sequence[TensorType] = (),
    ) -> list[TensorType]:
        """Infer the types of body ``k``, and update ``inputs``, the types of its variables.

        Returns:
            The types of the body's outputs.
        """


def _fed(inputs: Sequence[TensorType], feed: Sequence[int]) -> list[TensorType]:
    return [inputs[i] for i in feed]


def _unify(a: TensorType, b: TensorType) -> None:
    """Merge what is known of two types into both."""
    a.set_shape(b.shape)
    b.set_shape(a.shape)
    a.set_dtype(b.dtype)
    b.set_dtype(a.dtype)


def _stacked(t: TensorType, count: int | None) -> TensorType:
    """Return the type of ``count`` values stacked along a new first axis."""
    return t.with_shape(None if t.shape is None else (count, *t.shape))


def _step_type(t: TensorType) -> TensorType:
    """Return the type of one element of a stack, without the first axis."""
    return t.with_shape(t.shape[1:] if t.shape else None)


def _infer_foreach(
    node: Node, inputs: list[TensorType], outputs: list[TensorType], inside: Inside
) -> None:
    params = node.params
    data = inputs[: len(params["in_data_locs"])]
    states = inputs[len(data) : len(data) + len(params["in_state_locs"])]
    # A state has one type in all steps, so that what is known at the end is known at the beginning.
    for state, output in zip(states, outputs[params["num_out_data"] :], strict=True):
        _unify(state, output)
    count = next((t.shape[0] for t in data if t.shape), None)
    slices = [_step_type(t) for t in data]
    # Inference works in both directions: types that users of the loop require are passed to the
    # body's outputs.
    wanted = [*map(_step_type, outputs[: params["num_out_data"]]), *states]
    body_inputs = [*slices, *inputs[len(data) :]]
    results = inside.body(0, _fed(body_inputs, feeds(node)[0]), wanted)
    for t, part in zip(data, slices, strict=True):
        t.set_shape(_stacked(part, count).shape)
    for k, (output, result) in enumerate(zip(outputs, results, strict=True)):
        _unify(output, _stacked(result, count) if k < params["num_out_data"] else result)
    for state, result in zip(states, results[params["num_out_data"] :], strict=True):
        _unify(state, result)


def _infer_while_loop(
    node: Node, inputs: list[TensorType], outputs: list[TensorType], inside: Inside
) -> None:
    params = node.params
    condition, func = feeds(node)
    variables = [inputs[func[location]] for location in params["func_var_locs"]]
    for variable, output in zip(variables, outputs[params["num_out_data"] :], strict=True):
        _unify(variable, output)
    inside.body(0, _fed(inputs, condition))
    wanted = [*map(_step_type, outputs[: params["num_out_data"]]), *variables]
    results = inside.body(1, _fed(inputs, func), wanted)
    # The number of steps is known only at run time, so outputs have ``max_iterations`` rows; those
    # of steps that do not run are padding.
    max_steps = params["max_iterations"]
    for k, (output, result) in enumerate(zip(outputs, results, strict=True)):
        _unify(output, _stacked(result, max_steps) if k < params["num_out_data"] else result)
    for variable, result in zip(variables, results[params["num_out_data"] :], strict=True):
        _unify(variable, result)


def _infer_cond(
    node: Node, inputs: list[TensorType], outputs: list[TensorType], inside: Inside
) -> None:
    if inside.skips_branches:
        return
    condition, *branches = feeds(node)
    inside.body(0, _fed(inputs, condition))
    # Which branch runs is known only at run time, so both must give the same types.
    for k, feed in enumerate(branches, 1):
        results = inside.body(k, _fed(inputs, feed), outputs)
        for output, result in zip(outputs, results, strict=True):
            _unify(output, result)


def _infer_region(
    _: Node, inputs: list[TensorType], outputs: list[TensorType], inside: Inside
) -> None:
    results = inside.body(0, inputs, outputs)
    for output, result in zip(outputs, results, strict=True):
        _unify(output, result)


BODY_RULES: Mapping[str, Callable[[Node, list[TensorType], list[TensorType], Inside], None]] = {
    "_foreach": _infer_foreach,
    "_while_loop": _infer_while_loop,
    "_cond": _infer_cond,
    REGION: _infer_region,
}
"""Type rules of operators with bodies; each updates the types of inputs and outputs in place."""
