"""Transposes go behind operators where they cancel there: values, gradients, and when they stay."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from hy_ndarray import cpu, device_of
from hy_symbol import Differentiable, Program, Symbol, TypedGraph, sym
from hy_symbol.passes import Target, check_graph, with_fewer_transposes, with_simpler_axes

pytestmark = pytest.mark.usefixtures("_on_numpy")  # its buffers
LAST, FIRST = (0, 2, 3, 1), (0, 3, 1, 2)
SHAPES: Mapping[str, tuple[int, ...]] = {
    "x": (2, 4, 5, 6),
    "y": (2, 4, 5, 6),
    "w": (4, 4, 3, 3),
    **dict.fromkeys(("gamma", "beta", "mean", "var"), (4,)),
}


def to_last(x: Symbol) -> Symbol:
    return sym.transpose(x, axes=LAST)


def to_first(x: Symbol) -> Symbol:
    return sym.transpose(x, axes=FIRST)


def convolved(x: Symbol) -> Symbol:
    return sym.Convolution(x, sym.var("w"), kernel=(3, 3), num_filter=4, no_bias=True, pad=(1, 1))


def normalized(x: Symbol, axis: int) -> Symbol:
    gamma, beta, mean, var = map(sym.var, ("gamma", "beta", "mean", "var"))
    return sym.BatchNorm(x, gamma, beta, mean, var, axis=axis, fix_gamma=False)


def layers() -> Symbol:
    """As Keras makes them: images with the channels last between layers that want them first."""
    y = sym.clip(sym.LeakyReLU(normalized(to_last(convolved(sym.var("x"))), -1)), 0, 6)
    return convolved(to_first(y)) + 1


def joined() -> Symbol:
    parts = [to_last(sym.var("x")), sym.tanh(to_last(sym.var("y")))]
    return sym.exp(to_first(sym.concat(*parts, dim=-1)))


def broadcast() -> Symbol:
    x, y = to_last(sym.var("x")), to_last(sym.mean(sym.var("y"), axis=(2, 3), keepdims=True))
    return sym.exp(to_first(sym.broadcast_mul(x, y)))


def branches() -> Symbol:
    x = sym.relu(to_last(sym.var("x")))
    return to_first(x * 2) + to_first(sym.square(x)) + to_first(sym.sigmoid(to_last(sym.var("y"))))


NETS = [layers, joined, broadcast, branches]


def typed_of(net: Symbol) -> TypedGraph:
    known = [(SHAPES[node.name], "float32") for node in net.graph.variables]
    return TypedGraph.of(net.graph, known)


def target(is_train: bool = False) -> Target:
    return Target(device_of(cpu()), is_train=is_train)


def kinds(typed: TypedGraph) -> Counter[str]:
    return Counter(node.op.name for node in typed.graph.nodes if node.op is not None)


def operands(typed: TypedGraph) -> list[Any]:
    rng = np.random.default_rng(0)
    return [rng.uniform(0.5, 1.5, SHAPES[n.name]).astype("float32") for n in typed.graph.variables]


def plain(typed: TypedGraph) -> Program:
    """Without passes."""
    return Program(typed.inputs, typed.graph.outputs, device_of(cpu()), is_train=False)


@pytest.mark.parametrize("made", NETS)
def test_no_transpose_is_left_and_the_values_are_the_same(made: Callable[[], Symbol]) -> None:
    net = made()
    typed = typed_of(net)
    moved = with_fewer_transposes(typed, target())
    check_graph(moved.graph, net.graph)
    assert kinds(with_simpler_axes(typed, target()))["transpose"] > 0
    assert kinds(moved)["transpose"] == 0
    assert Symbol(moved.graph).list_outputs() == net.list_outputs()
    assert Symbol(moved.graph).list_inputs() == net.list_inputs()
    given = operands(typed)
    for x, y in zip(plain(moved)(*given), plain(typed)(*given), strict=True):
        np.testing.assert_array_equal(x, y)


@pytest.mark.parametrize("made", NETS)
def test_gradients_are_those_of_the_graph_as_it_was_written(made: Callable[[], Symbol]) -> None:
    typed, device = typed_of(made()), device_of(cpu())
    given = operands(typed)
    found = []
    for graph in (typed, typed.graph):
        both = Differentiable.of(graph, [0], device, is_train=False)
        outputs, saved = both.run(given)
        found.append([*outputs, *both.gradients([np.cos(y) for y in outputs], given, saved)])
    for x, y in zip(*found, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-5, atol=1e-5)


def test_programs_for_prediction_run_without_them() -> None:
    program = Program.of(typed_of(layers()), device_of(cpu()), is_train=False)
    assert "transpose" not in {node.op.name for node in program.steps if node.op is not None}


def test_statistics_of_a_batch_are_summed_in_the_order_that_was_written() -> None:
    typed = typed_of(layers())
    assert with_fewer_transposes(typed, target(is_train=True)) is typed


STAYING = {
    "an output": lambda: sym.Group([sym.relu(to_last(sym.var("x"))), to_first(sym.var("y"))]),
    "what needs the order": lambda: sym.exp(to_first(sym.softmax(to_last(sym.var("x")), axis=1))),
    "used in both orders": lambda: sym.Group(
        [sym.softmax(sym.relu(to_last(sym.var("x"))), axis=1), sym.var("y") + 1]
    ),
    "another order beside": lambda: sym.exp(
        to_first(to_last(sym.var("x")) + sym.reshape(sym.var("y"), shape=(2, 5, 6, 4)))
    ),
}


@pytest.mark.parametrize("case", STAYING)
def test_the_graph_stays_where_nothing_is_won(case: str) -> None:
    typed = typed_of(STAYING[case]())
    assert with_fewer_transposes(typed, target()) is typed


@st.composite
def chains(draw: st.DrawFn) -> Symbol:
    """Operators and transposes of two inputs in any order."""
    values = [sym.var("x"), sym.var("y")]
    orders = [(0, 1, 2, 3), (0, 1, 2, 3)]
    for _ in range(draw(st.integers(1, 9))):
        i = draw(st.integers(0, len(values) - 1))
        x, order = values[i], orders[i]
        match draw(st.sampled_from(["turn", "turn", "unary", "add", "join", "softmax"])):
            case "turn":
                axes = draw(st.sampled_from([LAST, FIRST, (0, 1, 3, 2), (3, 2, 1, 0)]))
                values.append(sym.transpose(x, axes=axes))
                orders.append((order[axes[0]], order[axes[1]], order[axes[2]], order[axes[3]]))
                continue
            case "unary":
                values.append(sym.tanh(x))
            case "add":
                same = [k for k, other in enumerate(orders) if other == order]
                values.append(x * values[draw(st.sampled_from(same))])
            case "join":
                y = sym.concat(x, sym.exp(x), dim=2)
                values.append(sym.slice_axis(y, axis=2, begin=0, end=SHAPES["x"][order[2]]))
            case _:
                values.append(sym.softmax(x, axis=1))
        orders.append(order)
    return sym.Group([values[-1], values[draw(st.integers(0, len(values) - 1))] + 1])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(chains())
def test_any_chain_keeps_its_values_and_has_no_more_transposes(net: Symbol) -> None:
    typed = typed_of(net)
    moved = with_fewer_transposes(typed, target())
    given = operands(typed)
    for x, y in zip(plain(moved)(*given), plain(typed)(*given), strict=True):
        np.testing.assert_array_equal(x, y)
    before, after = (kinds(with_simpler_axes(each, target())) for each in (typed, moved))
    assert after["transpose"] <= before["transpose"]
