"""Loops and branches as ONNX models."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import nd
from hy_onnx.to_onnx.export import to_model
from hy_symbol import Symbol, sym
from tests.onnx.runtime import agree, outputs_of


def flat(found: tuple[Any, Any]) -> Symbol:
    """Outputs and states of a loop as one symbol."""
    parts = [part if isinstance(part, list) else [part] for part in found]
    return sym.Group([*parts[0], *parts[1]])


def check(net: Symbol, op: str, open_shapes: Any = (), **feeds: Any) -> None:
    """Assert that a graph becomes an operator, and gives in onnxruntime what it gives here."""
    arrays = {name: np.asarray(value, np.float32) for name, value in feeds.items()}
    inputs = [arrays[name] for name in net.list_inputs()]
    model = to_model(net, None, [value.shape for value in inputs], np.float32, open_shapes)
    assert op in [node.op for node in model.graph.nodes]
    wanted = net.eval(None, **{name: nd.array(value) for name, value in arrays.items()})
    agree(outputs_of(model, arrays), [y.asnumpy() for y in wanted])


def test_a_loop_over_slices_becomes_a_scan() -> None:
    data, state, weight = sym.var("data"), sym.var("state"), sym.var("weight")

    def step(x: Any, s: Any) -> Any:
        mixed = sym.broadcast_mul(x + s, weight)
        return mixed * 2, sym.tanh(mixed)

    net = flat(sym.contrib.foreach(step, data, state))
    x = np.random.default_rng(0).uniform(-1, 1, (4, 3, 2))
    feeds = {"data": x, "state": x[0], "weight": x[1, :1]}
    check(net, "Scan", **feeds)
    names = net.list_inputs()
    opened = {"data": ("steps", 3, 2), "state": (3, 2), "weight": (1, 2)}
    check(net, "Scan", [opened[name] for name in names], **feeds)


def test_operators_of_a_body_are_written_as_what_they_are_composed_of() -> None:
    def step(x: Any, s: Any) -> Any:
        turned = sym.swapaxes(sym.contrib.quadratic(x, a=2.0, c=1.0), dim1=0, dim2=1)
        return sym.log2(sym.square(turned)), sym.add_n(s, turned)

    net = flat(sym.contrib.foreach(step, sym.var("data"), sym.var("state")))
    x = np.arange(12).reshape(3, 2, 2) - 5
    check(net, "Scan", data=x, state=[[1, 0], [-3, 2]])


@pytest.mark.parametrize("start", [0.5, 3.0, 100.0])
def test_a_loop_with_a_condition_fills_its_stacks_with_zeros(start: float) -> None:
    number, limit = sym.var("number"), sym.var("limit")
    found = sym.contrib.while_loop(
        cond=lambda x: x < limit,
        func=lambda x: ([x * 10], [x * 2 + 1]),
        loop_vars=[number],
        max_iterations=6,
    )
    net = flat(found)
    check(net, "Loop", number=[start], limit=[20])


@pytest.mark.parametrize("sign", [1, -1])
def test_a_branch_is_taken_when_the_model_runs(sign: float) -> None:
    x, y = sym.var("x"), sym.var("y")
    net = sym.contrib.cond(sym.sum(x) > 0, lambda: x + y, lambda: sym.relu(y) * 3)
    check(net, "If", x=np.full((2, 3), sign), y=np.arange(6).reshape(2, 3) - 2)
