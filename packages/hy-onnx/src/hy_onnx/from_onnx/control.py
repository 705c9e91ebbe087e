"""Import of loops and branches, whose bodies are graphs."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hy_ndarray import limits
from hy_onnx.from_onnx.bodies import read_body, renamed
from hy_onnx.from_onnx.call import Call, Operand
from hy_onnx.from_onnx.registry import reader
from hy_onnx.from_onnx.value import Tensor
from hy_onnx.model import OnnxGraph, OnnxNode
from hy_symbol import Symbol, sym

__all__ = ["for_each"]


def _used_names(graph: OnnxGraph) -> set[str]:
    """Return the names of values that a body's nodes use, nested bodies included."""
    taken = {name for node in graph.nodes for name in node.inputs}
    for node in graph.nodes:
        for value in node.attrs.values():
            if isinstance(value, OnnxGraph):
                taken |= _used_names(value) | {out.name for out in value.outputs}
    return taken


class _Body:
    """Body (subgraph) of a control-flow node, with its names made unique in the model."""

    def __init__(self, call: Call, attribute: str) -> None:
        graph = call.attr(attribute)
        if not isinstance(graph, OnnxGraph):
            raise call.refused(f"{attribute} is missing")
        self.call = call
        # Values of bodies get names of their own.
        self.graph = renamed(graph, f"{call.title}_{attribute}", {})
        self.names = [value.name for value in self.graph.inputs]
        taken = _used_names(self.graph)
        self.uses = [name in taken for name in self.names]
        """For each input, whether a node of the body uses it."""

    def read(self, arguments: Sequence[Operand]) -> list[Operand]:
        """Convert the nodes of the body for given inputs; return its outputs."""
        if len(self.names) != len(arguments):
            why = f"its body takes {len(self.names)} inputs instead of {len(arguments)}"
            raise self.call.refused(why)
        return read_body(self.call, self.graph, dict(zip(self.names, arguments, strict=True)))

    def tensor(self, k: int, output: Operand) -> Tensor:
        """Return ``output``, the body's output ``k``, as a tensor of the graph."""
        name = self.graph.outputs[k].name
        node = OnnxNode("Identity", inputs=(name,), outputs=(name,), name=self.call.title)
        return Call(node, [output], self.call.graph).tensor(0)


def _symbols(tensors: Sequence[Tensor]) -> list[Symbol]:
    return [Symbol.of(t.entry) for t in tensors]


def _placeholder_value(call: Call, symbol: Symbol, t: Tensor, *, sliced: bool = False) -> Tensor:
    """Return a placeholder of ``foreach`` as a tensor, typed like ``t`` or a slice of it."""
    a, b = t.shapes
    shapes = (a[1:], b[1:]) if sliced else (a, b)
    return Tensor(symbol.graph.outputs[0], t.dtype, shapes, call.graph.names)


def _forwarded(
    call: Call, results: Sequence[Tensor], before: Sequence[Tensor], uses: Sequence[bool]
) -> list[Tensor]:
    """Return the states after a step, with a dummy use of old states that the body ignores."""
    after = []
    for new, old, used in zip(results, before, uses, strict=True):
        if (new.shapes, new.dtype) != (old.shapes, old.dtype):
            raise call.refused(
                f"a state is {old.dtype} {old.shapes[0]} before a step and {new.dtype} "
                f"{new.shapes[0]} after it"
            )
        after.append(new if used else call.op("_identity_with_attr_like_rhs", new, old))
    return after


def _node_outputs(
    call: Call, symbols: Sequence[Symbol], inside: Sequence[Tensor], rows: tuple[int, int] | None
) -> list[Tensor]:
    """Return a loop's outputs as tensors, typed like ``inside``, with a first axis ``rows``."""
    results = []
    for symbol, t in zip(symbols, inside, strict=True):
        a, b = t.shapes
        shapes = (a, b) if rows is None else ((rows[0], *a), (rows[1], *b))
        results.append(Tensor(symbol.graph.outputs[0], t.dtype, shapes, call.graph.names))
    return results


def for_each(
    call: Call,
    data: Sequence[Tensor],
    states: Sequence[Tensor],
    step: Callable[[list[Tensor], list[Tensor]], tuple[list[Tensor], list[Tensor]]],
    uses: Sequence[bool],
) -> tuple[list[Tensor], list[Tensor]]:
    """Add a loop over slices of ``data``; return the last states and the stacked rows.

    Args:
        call: The node.
        data: The tensors to slice along the first axis.
        states: The initial states.
        step: Function from slices and states to new states and rows.
        uses: Whether the body uses each slice, then each state.
    """
    outputs: list[Tensor] = []

    def run(slices: Any, old_states: Any) -> tuple[list[Symbol], list[Symbol]]:
        parts = [
            _placeholder_value(call, x, t, sliced=True) for x, t in zip(slices, data, strict=True)
        ]
        old = [_placeholder_value(call, x, t) for x, t in zip(old_states, states, strict=True)]
        results, rows = step(parts, old)
        after = _forwarded(call, results, old, uses[len(data) :])
        outputs[:] = rows
        unused = [part for part, used in zip(parts, uses, strict=False) if not used]
        return _symbols([*rows, *unused]), _symbols(after)  # a body has to use all slices

    stacks, last = sym.contrib.foreach(run, _symbols(data), _symbols(states), name=call.title)
    count = data[0].shapes[0][0], data[0].shapes[1][0]
    return (
        _node_outputs(call, last, states, None),
        _node_outputs(call, stacks[: len(outputs)], outputs, count),
    )


@reader("Scan")
def _scan(call: Call) -> list[Tensor]:
    count = call.attr("num_scan_inputs")
    for name, values in call.node.attrs.items():
        if name.startswith("scan_") and any(values):
            raise call.refused(f"{name}={values}; the catalogue goes along the first axis, forward")
    if call.opset < 9:  # noqa: PLR2004
        raise call.refused("the form of opset 8, which goes along the second axis of batches")
    body, tensors = _Body(call, "body"), call.tensors()
    states, data = tensors[: len(tensors) - count], tensors[len(tensors) - count :]

    def step(slices: list[Tensor], old: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        outputs = [body.tensor(k, y) for k, y in enumerate(body.read([*old, *slices]))]
        return outputs[: len(old)], outputs[len(old) :]

    uses = [*body.uses[len(states) :], *body.uses[: len(states)]]
    last, stacks = for_each(call, data, states, step, uses)
    return [*last, *stacks]


@reader("If")
def _branch(call: Call) -> list[Operand]:
    then, other = _Body(call, "then_branch"), _Body(call, "else_branch")
    known = call.constant_value(0)
    # A known condition leaves no branch.
    if known is not None:
        return (then if known.any() else other).read([])
    branches: list[list[Tensor]] = []

    def of(body: _Body) -> Callable[[], list[Symbol]]:
        def run() -> list[Symbol]:
            branches.append([body.tensor(k, y) for k, y in enumerate(body.read([]))])
            return _symbols(branches[-1])

        return run

    outputs = sym.contrib.cond(Symbol.of(call.x.entry), of(then), of(other), name=call.title)
    for a, b in zip(*branches, strict=True):
        if (a.shapes, a.dtype) != (b.shapes, b.dtype):
            raise call.refused(
                f"one branch gives {a.dtype} {a.shapes[0]}, the other {b.dtype} {b.shapes[0]}; the "
                "catalogue computes both and chooses"
            )
    return [*_node_outputs(call, outputs, branches[0], None)]


@reader("Loop")
def _loop(call: Call) -> list[Tensor]:
    body = _Body(call, "body")
    max_steps = _max_steps(call)
    states = [call.tensor(i) for i in range(2, len(call.operands))]
    started = call.constant_value(1) if call.has(1) else np.array(True)
    # A loop that always goes on is one over numbers, which may collect outputs.
    if started is not None and started.all() and _continues(body):
        return _counted(body, max_steps, states)
    return _while(body, max_steps, states)


def _max_steps(call: Call) -> int:
    max_steps = int(call.known(0, "the number of steps").reshape(-1)[0]) if call.has(0) else None
    if max_steps is None or max_steps > limits.most:
        raise call.refused(
            f"{'no' if max_steps is None else max_steps} bound of its steps; the catalogue makes "
            "a graph of all of them: export it with a bound that is small"
        )
    return max_steps


def _continues(body: _Body) -> bool:
    """Return whether a body never changes the loop condition to false."""
    name = body.graph.outputs[0].name
    for node in reversed(body.graph.nodes):  # each comes after those it depends on
        if name not in node.outputs:
            continue
        if node.op not in ("Identity", "Cast"):
            value = node.attrs.get("value") if node.op == "Constant" else None
            return value is not None and bool(np.all(value))
        name = node.inputs[0]
    if name == body.names[1]:
        return True
    value = body.graph.initializers.get(name)
    return value is not None and bool(np.all(value))


def _counted(body: _Body, max_steps: int, states: Sequence[Tensor]) -> list[Tensor]:
    """Convert a loop with a fixed number of steps to a loop over step indices."""
    numbers = body.call.constant(np.arange(max_steps))

    def step(slices: list[Tensor], old: list[Tensor]) -> tuple[list[Tensor], list[Tensor]]:
        outputs = body.read([slices[0], np.array(True), *old])
        after = [body.tensor(k, y) for k, y in enumerate(outputs) if k > 0]
        return after[: len(old)], after[len(old) :]

    last, stacks = for_each(body.call, [numbers], states, step, [body.uses[0], *body.uses[2:]])
    return [*last, *stacks]


def _while(body: _Body, max_steps: int, states: Sequence[Tensor]) -> list[Tensor]:
    """Convert a loop with a condition; stacked outputs, of unknown size, are refused."""
    call = body.call
    # Outputs of a while loop would be as long as the number of its steps.
    if len(body.graph.outputs) != 1 + len(states):
        raise call.refused(
            "it stacks what its steps give, and a condition ends it; the size of such a stack "
            "depends on values. Count the steps, or keep what they give in a state"
        )
    going = call.cast(call.tensor(1), "float32") if call.has(1) else call.constant(np.ones((), "f"))
    number = [call.constant(np.zeros((), np.int64))] if body.uses[0] else []
    variables = [going, *number, *states]

    def run(*old_states: Any) -> tuple[list[Symbol], list[Symbol]]:
        old = [_placeholder_value(call, x, t) for x, t in zip(old_states, variables, strict=True)]
        carried = old[1 + len(number) :]
        counter = old[1] if number else np.zeros((), np.int64)
        condition = call.op("Cast", old[0], dtype="bool") if body.uses[1] else np.array(True)
        outputs = body.read([counter, condition, *carried])
        results = [body.tensor(k, y) for k, y in enumerate(outputs)]
        results[0] = call.cast(results[0], "float32")
        if number:
            results.insert(1, call.op("_plus_scalar", old[1], scalar=1))
        uses = [body.uses[1], *(True for _ in number), *body.uses[2:]]
        return [], _symbols(_forwarded(call, results, old, uses))

    _, last = sym.contrib.while_loop(
        lambda *old_states: old_states[0] != 0, run, _symbols(variables), max_steps, name=call.title
    )
    return _node_outputs(call, last, variables, None)[1 + len(number) :]
