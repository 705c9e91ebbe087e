"""Dropout that drops nothing is left out of what runs, and nothing else is."""

from collections.abc import Callable

import numpy as np
import pytest

from hy_ndarray import cpu, device_of
from hy_symbol import Differentiable, Program, Symbol, TypedGraph, sym
from hy_symbol.passes import Target, check_graph, without_idle_draws
from tests.symbol.graph_runs import arrays, buffers, kinds

KNOWN = [((3, 4), "float32")]
X = np.arange(12, dtype=np.float32).reshape(3, 4)


def left(net: Symbol, *, is_train: bool = False) -> list[str]:
    """The operators that are left."""
    typed = TypedGraph.of(net.graph, KNOWN)
    made = without_idle_draws(typed, Target(device_of(cpu()), is_train=is_train))
    check_graph(made.graph, net.graph)
    return kinds(Symbol(made.graph))


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda x: sym.exp(sym.Dropout(x)), ["exp"]),
        (lambda x: sym.exp(sym.Dropout(sym.Dropout(x), axes=(0,))), ["exp"]),
        (lambda x: sym.exp(sym.Dropout(x, mode="always")), ["Dropout", "exp"]),
        (lambda x: sym.exp(sym.Dropout(x, mode="always", p=0)), ["exp"]),
        (lambda x: sym.Dropout(sym.exp(x)), ["exp", "Dropout"]),  # an output has a name
        (lambda x: sym.exp(sym.LeakyReLU(x, act_type="rrelu")[0]), ["LeakyReLU", "exp"]),
        (lambda x: sym.exp(sym.identity(x)), ["_copy", "exp"]),  # plans take care of these
    ],
)
def test_what_predictions_are_left_with(
    build: Callable[[Symbol], Symbol], expected: list[str]
) -> None:
    assert left(build(sym.var("x"))) == expected


def test_in_training_all_stays_that_draws() -> None:
    x = sym.var("x")
    assert left(sym.exp(sym.Dropout(x)), is_train=True) == ["Dropout", "exp"]
    assert left(sym.exp(sym.Dropout(x, p=0)), is_train=True) == ["exp"]


def test_values_and_gradients_stay() -> None:
    net = sym.square(sym.Dropout(sym.Dropout(sym.var("x")) * 2))
    device, typed = device_of(cpu()), TypedGraph.of(net.graph, KNOWN)
    program = Program.of(typed, device, is_train=False)
    both = Differentiable.of(typed, [0], device, is_train=False)
    (y,), saved = both.run(buffers(X))
    found = arrays([*program(*buffers(X)), y, *both.gradients(buffers(X), buffers(X), saved)])
    for value, expected in zip(found, [4 * X**2, 4 * X**2, 8 * X**2], strict=True):
        np.testing.assert_array_equal(value, expected)
    for steps in (program.steps, both.forward.steps, both.backward.steps):
        assert "Dropout" not in [node.op.name for node in steps if node.op is not None]


def test_a_result_of_nothing_but_dropout_is_an_array_of_its_own() -> None:
    net = sym.Dropout(sym.var("x"))
    program = Program.of(TypedGraph.of(net.graph, KNOWN), device_of(cpu()), is_train=False)
    given = buffers(X)
    (y,) = program(*given)
    np.testing.assert_array_equal(arrays([y])[0], X)
    assert not np.shares_memory(arrays([y])[0], arrays(given)[0])
