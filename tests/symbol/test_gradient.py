"""Gradients of graphs: the pass, and both ways of running, against autograd on arrays."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings, strategies as st

from hy_ndarray import AutogradError, NDArray, autograd, cpu, device_of, nd
from hy_symbol import Differentiable, GraphError, Node, Symbol, gradient, sym
from tests.symbol.graph_runs import arrays, buffers
from tests.symbol.random_graphs import SHAPE, Step, built, recipes

Results = tuple[npt.NDArray[Any], list[npt.NDArray[Any]]]


def eager(steps: list[Step], arrays: list[NDArray], head: NDArray) -> Results:
    for array in arrays:
        array.attach_grad()
    with autograd.record():
        out = built(nd, steps, *arrays)
    if out.in_graph:
        out.backward(head)
    grads = [array.grad for array in arrays]
    return out.asnumpy(), [grad.asnumpy() for grad in grads if grad is not None]


def symbolic(steps: list[Step], arrays: list[NDArray], head: NDArray) -> Results:
    names = ("x", "y")
    net = built(sym, steps, *map(sym.var, names))
    present = [name for name in names if name in net.list_arguments()]
    by_name = dict(zip(names, arrays, strict=True))
    grads = {name: nd.zeros(SHAPE, dtype="float64") for name in names}
    args = {name: by_name[name] for name in present}
    executor = net.bind(cpu(), args, {name: grads[name] for name in present})
    (out,) = executor.forward(is_train=True)
    executor.backward(head)
    return out.asnumpy(), [grads[name].asnumpy() for name in names]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(recipes(), st.integers(0, 2**31))
def test_a_random_graph_gives_the_values_and_gradients_of_arrays(
    steps: list[Step], seed: int
) -> None:
    rng = np.random.default_rng(seed)
    arrays = [nd.array(rng.uniform(-1, 1, SHAPE), dtype="float64") for _ in range(2)]
    head = nd.array(rng.uniform(-1, 1, SHAPE), dtype="float64")
    value, grads = symbolic(steps, arrays, head)
    expected, expected_grads = eager(steps, arrays, head)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-12)
    for grad, other in zip(grads, expected_grads, strict=True):
        np.testing.assert_allclose(grad, other, rtol=1e-9, atol=1e-12)


# --- the pass -------------------------------------------------------------------------------------


def test_the_pass_adds_nodes_for_what_is_asked_alone() -> None:
    a, b = sym.var("a"), sym.var("b")
    net = sym.exp(a) * b
    head = (Node(None, "head"), 0)
    of_b = gradient(net.graph, [head], [(b.graph.outputs[0][0], 0)], is_train=True)
    assert len(of_b) == 1
    assert of_b[0] is not None
    used = {node.name for node in Symbol.of(of_b[0]).graph.nodes}
    assert "exp" in " ".join(used)
    assert len(Symbol.of(of_b[0]).graph.nodes) == 4  # a, exp(a), the head, their product


def test_an_input_that_outputs_do_not_depend_on_has_no_gradient() -> None:
    a, b = sym.var("a"), sym.var("b")
    net = sym.Group([sym.exp(a), b])
    heads = [(Node(None, f"head{i}"), 0) for i in range(2)]
    stopped = sym.BlockGrad(a)
    found = gradient(net.graph, heads, [(stopped.graph.nodes[0], 0)], is_train=True)
    assert found[0] is not None
    found = gradient(stopped.graph, heads[:1], [(stopped.graph.nodes[0], 0)], is_train=True)
    assert found == [None]


def test_an_operator_without_gradient_passes_none() -> None:
    x = sym.var("x")
    net = sym.argmax(x, axis=1)
    executor = net.simple_bind(cpu(), x=(2, 3))
    executor.forward(is_train=True)
    executor.backward(nd.ones((2,)))
    assert executor.grad_dict["x"] is not None
    assert not executor.grad_dict["x"].asnumpy().any()


def test_a_deep_graph_is_differentiated_without_recursion() -> None:
    x = sym.var("x")
    net = x
    for _ in range(2000):
        net = net + x
    executor = net.simple_bind(cpu(), x=(1,))
    executor.forward(is_train=True)
    executor.backward(nd.ones((1,)))
    assert executor.grad_dict["x"] is not None
    assert executor.grad_dict["x"].asscalar() == 2001


def test_gradients_are_symbols_that_can_be_differentiated_again() -> None:
    x = sym.var("x")
    net = x * x * x
    first = net.gradient(["x"])
    second = first.gradient(["x"])
    at = nd.array([2.0])
    assert first.eval(x=at)[0].asscalar() == 12
    assert second.eval(x=at)[0].asscalar() == 12
    assert first.gradient(["x"]).gradient(["x"]).eval(x=at)[0].asscalar() == 6


def test_gradients_of_unknown_or_unneeded_arguments_are_refused() -> None:
    x = sym.var("x")
    with pytest.raises(GraphError, match=r"no argument \['z'\]; arguments: x"):
        sym.exp(x).gradient(["z"])
    with pytest.raises(GraphError, match="no output depends on argument 'x'"):
        sym.BlockGrad(x).gradient(["x"])


def test_an_error_inside_a_gradient_names_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    net = sym.relu(sym.var("x"), name="act")

    def refuse(*_: Any) -> Any:
        raise AutogradError("no gradient here")

    op = net.graph.nodes[-1].op
    assert op is not None
    monkeypatch.setattr(type(op), "grad", property(lambda self: refuse), raising=False)
    with pytest.raises(AutogradError, match="no gradient here") as caught:
        net.gradient(["x"])
    assert caught.value.__notes__ == ["in node 'act'"]


# --- forward and backward programs ----------------------------------------------------------------


def test_backward_takes_what_forward_saved() -> None:
    net = sym.tanh(sym.FullyConnected(sym.var("x"), num_hidden=2, no_bias=True, name="fc"))
    both = Differentiable.of(net.graph, [1], device_of(cpu()), is_train=True)
    inputs = buffers(np.ones((1, 3)), np.full((2, 3), 0.1))
    outputs, saved = both.run(inputs)
    assert (both.heads, both.targets, both.num_outputs) == ((0,), (1,), 1)
    assert len(saved) >= 1
    (dweight,) = arrays(both.gradients(buffers(np.ones((1, 2))), inputs, saved))
    np.testing.assert_allclose(dweight, np.full((2, 3), 1 - np.tanh(0.3) ** 2))
    np.testing.assert_allclose(arrays(outputs)[0], np.tanh([[0.3, 0.3]]))


def test_heads_that_gradients_do_not_depend_on_are_not_asked_for() -> None:
    x = sym.var("x")
    net = sym.Group([sym.BlockGrad(x), sym.square(x)])
    both = Differentiable.of(net.graph, [0], device_of(cpu()), is_train=True)
    assert both.heads == (1,)
    inputs = buffers(np.array([3.0]))
    _, saved = both.run(inputs)
    (dx,) = arrays(both.gradients([None, *buffers(np.ones(1))], inputs, saved))
    np.testing.assert_array_equal(dx, [6.0])
