"""Loops and branches in graphs: composed, inferred, run, differentiated, written and read."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hy_gluon import HybridBlock, nn
from hy_ndarray import ArgumentError, AutogradError, NDArray, ShapeError, autograd, cpu, limits, nd
from hy_symbol import GraphError, GraphFormatError, Symbol, load_json, sym
from hy_symbol.graph.attribute import AttrScope
from tests.symbol.compositions import COMPOSITIONS

Arrays = dict[str, npt.NDArray[Any]]


def cumulative(F: Any, x: Any, s: Any) -> Any:
    """The sums so far, and the last one."""
    return F.contrib.foreach(lambda e, before: (e + before, e + before), x, s)


def recurrent(F: Any, x: Any, h: Any, w: Any) -> Any:
    """An Elman network: every state, and the last one."""

    def step(e: Any, states: Any) -> Any:
        new = F.tanh(e + F.dot(states[0], w))
        return new, [new]

    outputs, states = F.contrib.foreach(step, x, [h])
    return outputs, states[0]


def doubling(F: Any, i: Any, x: Any) -> Any:
    """``x`` doubled until ``i`` is 3, in 5 steps at most; every step, and the last ``x``."""
    outputs, last = F.contrib.while_loop(
        lambda i, x: i < 3, lambda i, x: (x * 2, [i + 1, x * 2]), [i, x], max_iterations=5
    )
    return outputs, last[1]


def larger(F: Any, a: Any, b: Any) -> Any:
    """The square of the one with the larger sum, twice the other."""
    pairs = (lambda: [F.square(a), b * 2], lambda: [a * 2, F.square(b)])
    return tuple(F.contrib.cond(F.sum(a) > F.sum(b), *pairs))


def nested(F: Any, x: Any, s: Any) -> Any:
    """A loop in a loop."""

    def outer(row: Any, state: Any) -> Any:
        sums, last = cumulative(F, row, state)
        return F.sum(sums, axis=0), last

    outputs, last = F.contrib.foreach(outer, x, s)
    return outputs, last


RNG = np.random.default_rng(7)
PROGRAMS: dict[str, tuple[Callable[..., Any], Arrays]] = {
    "cumulative": (cumulative, {"x": RNG.normal(size=(4, 2)), "s": RNG.normal(size=2)}),
    "recurrent": (
        recurrent,
        {
            "x": RNG.normal(size=(5, 2, 3)),
            "h": RNG.normal(size=(2, 3)),
            "w": RNG.normal(size=(3, 3)),
        },
    ),
    "while": (doubling, {"i": np.zeros(1), "x": RNG.normal(size=(2, 3))}),
    "while to the end": (doubling, {"i": np.full(1, -9.0), "x": RNG.normal(size=2)}),
    "while not once": (doubling, {"i": np.full(1, 9.0), "x": RNG.normal(size=2)}),
    "cond then": (larger, {"a": np.ones(3), "b": np.zeros(3)}),
    "cond else": (larger, {"a": np.zeros(3), "b": np.ones(3)}),
    "nested": (nested, {"x": RNG.normal(size=(3, 2, 2)), "s": RNG.normal(size=2)}),
}


def on_arrays(program: Callable[..., Any], arrays: Arrays) -> tuple[list[Any], list[Any]]:
    inputs = [nd.array(value, dtype="float64") for value in arrays.values()]
    for x in inputs:
        x.attach_grad()
    with autograd.record():
        outputs = program(nd, *inputs)
        total = sum((y * y).sum() for y in outputs if isinstance(y, NDArray))
    assert isinstance(total, NDArray)
    if total.in_graph:
        total.backward()
    grads = [x.grad.asnumpy() for x in inputs if x.grad is not None]
    return [None if isinstance(y, list) else y.asnumpy() for y in outputs], grads


def on_symbols(program: Callable[..., Any], arrays: Arrays) -> tuple[list[Any], list[Any]]:
    outputs = program(sym, *map(sym.var, arrays))
    loss = sym.add_n(*[sym.sum(y * y) for y in outputs])
    inputs = {name: nd.array(value, dtype="float64") for name, value in arrays.items()}
    grads = {name: nd.zeros(x.shape, dtype="float64") for name, x in inputs.items()}
    executor = sym.Group([*outputs, sym.MakeLoss(loss)]).bind(cpu(), inputs, grads)
    *values, _ = executor.forward(is_train=True)
    executor.backward([nd.zeros(y.shape, dtype="float64") for y in values])
    return [y.asnumpy() for y in values], [grads[name].asnumpy() for name in arrays]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_graph_does_what_the_loop_does_on_arrays(name: str) -> None:
    values, grads = on_symbols(*PROGRAMS[name])
    expected, expected_grads = on_arrays(*PROGRAMS[name])
    for value, other in zip(values, expected, strict=True):
        # No step gives arrays no row, and graphs rows of zeros.
        np.testing.assert_allclose(value, 0 if other is None else other, rtol=1e-9)
    for grad, other in zip(grads, expected_grads, strict=True):
        np.testing.assert_allclose(grad, other, rtol=1e-9, atol=1e-12)


# --- composition ----------------------------------------------------------------------------------


def test_a_loop_takes_what_its_body_uses_from_outside() -> None:
    w = sym.var("w")
    outside = sym.exp(sym.var("z"))
    outputs, _ = sym.contrib.foreach(lambda x, s: (x * w + outside, s), sym.var("x"), [])
    assert outputs.list_arguments() == ["x", "w", "z"]
    (loop,) = [node for node in outputs.graph.nodes if node.bodies]
    assert [node.name for node in loop.bodies[0].variables] == ["x-0", "w", "exp0_output"]


def test_layers_inside_a_loop_have_their_parameters_outside() -> None:
    def body(x: Symbol, s: Any) -> Any:
        return sym.FullyConnected(x, num_hidden=3, name="fc"), s

    outputs, _ = sym.contrib.foreach(body, sym.var("x"), [])
    assert outputs.list_arguments() == ["x", "fc_weight", "fc_bias"]
    assert outputs.infer_shape(x=(4, 2, 5)) == (
        [(4, 2, 5), (3, 5), (3,)],
        [(4, 2, 3)],
        [],
    )


def test_results_have_the_form_in_which_the_body_returns_them() -> None:
    x, s = sym.var("x"), sym.var("s")
    single, state = sym.contrib.foreach(lambda e, t: (e, t + e), x, s)
    assert isinstance(single, Symbol)
    assert isinstance(state, Symbol)
    listed, states = sym.contrib.foreach(lambda e, t: ([e, [e * 2]], [t[0] + e]), x, [s])
    assert [type(part) for part in listed] == [Symbol, list]
    assert len(states) == 1


def test_a_body_is_called_once() -> None:
    calls = []

    def body(x: Symbol, s: Any) -> Any:
        calls.append(x)
        return x, s

    outputs, _ = sym.contrib.foreach(body, sym.var("x"), [])
    outputs.eval(x=nd.ones((5, 2)))
    assert len(calls) == 1


def wrong_loops() -> dict[str, Callable[[], Any]]:
    x, s = sym.var("x"), sym.var("s")
    c = sym.contrib
    return {
        "data: expected Symbol or a list of them, got int": lambda: c.foreach(
            lambda e, t: (e, t), 3, []
        ),
        "data is empty": lambda: c.foreach(lambda e, t: (e, t), [], []),
        "must return outputs and states": lambda: c.foreach(lambda e, t: e, x, []),
        "in the structure of init_states": lambda: c.foreach(lambda e, t: (e, []), x, [s]),
        "does not use x-0": lambda: c.foreach(lambda e, t: (t, t), x, s),
        "max_iterations must be given": lambda: c.while_loop(lambda i: i < 3, lambda i: (i, i), x),
        "loop_vars is empty": lambda: c.while_loop(lambda: s, lambda: (s, []), [], 3),
        "1 loop_vars go in, but the function returns 2": lambda: c.while_loop(
            lambda i: i < 3, lambda i: (i, [i, i]), x, 3
        ),
        "branches return 1 and 2 results": lambda: c.cond(x, lambda: x, lambda: [x, s]),
    }


def form(value: Any) -> Any:
    return [form(item) for item in value] if isinstance(value, list | tuple) else "."


@pytest.mark.parametrize("F", [nd, sym])
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("returned", [lambda i: i + 1, lambda i: [i + 1]])
def test_a_list_of_one_variable_may_be_left_out(
    F: Any, listed: bool, returned: Callable[[Any], Any]
) -> None:
    i = sym.var("i") if F is sym else nd.array([0])
    found = F.contrib.while_loop(
        lambda i: i < 3, lambda i: (i, returned(i)), [i] if listed else i, max_iterations=4
    )
    assert form(found) == [".", ["."] if listed else "."]


def test_a_while_loop_may_have_no_outputs() -> None:
    loop: Any = {"cond": lambda i: i < 3, "func": lambda i: (None, i + 1), "max_iterations": 4}
    outputs, last = nd.contrib.while_loop(loop_vars=nd.array([0]), **loop)
    assert (outputs, last.asscalar()) == ([], 3)
    outputs, last = sym.contrib.while_loop(loop_vars=sym.var("i"), **loop)
    assert (outputs, last.eval(i=nd.array([0]))[0].asscalar()) == ([], 3)


def test_branches_of_as_many_results_have_the_form_of_the_first() -> None:
    a, b = sym.var("a"), sym.var("b")
    assert form(sym.contrib.cond(sym.sum(a), lambda: [a], lambda: b)) == ["."]
    assert form(sym.contrib.cond(sym.sum(a), lambda: [a, b], lambda: [[b], a])) == [".", "."]


@pytest.mark.parametrize("message", wrong_loops())
def test_a_wrong_loop_says_what_is_wrong(message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        wrong_loops()[message]()


# --- inference ------------------------------------------------------------------------------------


def test_shapes_flow_into_and_out_of_a_loop() -> None:
    outputs, last = cumulative(sym, sym.var("x"), sym.var("s"))
    net = sym.Group([outputs, last])
    assert net.infer_shape(x=(5, 2, 3)) == ([(5, 2, 3), (2, 3)], [(5, 2, 3), (2, 3)], [])
    assert net.infer_shape_partial(s=(2, 3)) == ([(0, 2, 3), (2, 3)], [(0, 2, 3), (2, 3)], [])
    kinds = [np.float16]
    assert net.infer_type(x="float16") == (kinds * 2, kinds * 2, [])


def test_a_loop_has_as_many_rows_as_it_may_have_steps() -> None:
    outputs, last = doubling(sym, sym.var("i"), sym.var("x"))
    net = sym.Group([outputs, last])
    assert net.infer_shape(i=(1,), x=(2, 3))[1] == [(5, 2, 3), (2, 3)]


def test_branches_have_one_shape() -> None:
    a, b = sym.var("a"), sym.var("b")
    net = sym.contrib.cond(sym.sum(a) > 0, lambda: a, lambda: b)
    executor = net.simple_bind(cpu(), a=(2, 3))
    assert executor.arg_dict["b"].shape == executor.outputs[0].shape == (2, 3)
    with pytest.raises(ShapeError, match="_cond '_cond0'"):
        net.simple_bind(cpu(), a=(2, 3), b=(4,))


def test_a_contradiction_inside_names_both_nodes() -> None:
    w = sym.var("w")
    outputs, _ = sym.contrib.foreach(
        lambda x, s: (sym.dot(x, w, name="product"), s), sym.var("x"), []
    )
    with pytest.raises(ShapeError, match="_foreach '_foreach0': dot 'product'") as caught:
        outputs.infer_shape(x=(4, 2, 3), w=(5, 5))
    assert any(f"node made at {__file__}" in note for note in caught.value.__notes__)


def test_a_loop_over_an_open_number_of_slices_cannot_run() -> None:
    outputs, _ = cumulative(sym, sym.zeros((0, 2)), sym.var("s"))
    with pytest.raises(GraphError, match="the number of slices of its data is not known"):
        outputs.simple_bind(cpu(), s=(2,))


def test_a_loop_over_nothing_gives_nothing() -> None:
    outputs, last = cumulative(sym, sym.var("x"), sym.var("s"))
    net = sym.Group([outputs, last])
    rows, state = net.eval(x=nd.empty((0, 2)), s=nd.array([1.0, 2.0]))
    assert rows.shape == (0, 2)
    assert state.asnumpy().tolist() == [1, 2]


def test_the_gradient_of_a_loop_needs_shapes() -> None:
    outputs, _ = cumulative(sym, sym.var("x"), sym.var("s"))
    with pytest.raises(AutogradError, match="when shapes are known: bind the symbol"):
        outputs.gradient(["x"])


# --- JSON -----------------------------------------------------------------------------------------

LOOPS = ["foreach", "foreach of layers", "foreach in foreach", "while_loop", "cond"]


@pytest.mark.parametrize("name", LOOPS)
def test_a_written_loop_is_read_again(name: str) -> None:
    text = COMPOSITIONS[name](sym).tojson()
    assert load_json(text).tojson() == text


def broken(change: Callable[[dict[str, Any]], None]) -> str:
    document = json.loads(COMPOSITIONS["foreach"](sym).tojson())
    (loop,) = [node for node in document["nodes"] if "subgraphs" in node]
    change(loop)
    return json.dumps(document)


DEFECTS: dict[str, Callable[[dict[str, Any]], None]] = {
    "'subgraphs' must be a list": lambda node: node.update(subgraphs=3),
    "has 0 subgraphs instead of 1": lambda node: node.update(subgraphs=[]),
    "subgraph 0: the document must be an object": lambda node: node.update(subgraphs=[3]),
    "subgraph 0: 'heads' must be": lambda node: node["subgraphs"][0].update(heads=[]),
    "puts 4 inputs at": lambda node: node["attrs"].update(in_data_locs="[0]"),
    "has 7 outputs, its subgraphs have": lambda node: node["attrs"].update(num_outputs="7"),
    "has 2 states, and in_state_locs": lambda node: node["attrs"].update(
        in_state_locs="[3]", remain_locs="[0, 1]"
    ),
    "required parameter num_out_data": lambda node: node["attrs"].pop("num_out_data"),
}


@pytest.mark.parametrize("message", DEFECTS)
def test_a_defect_of_a_loop_is_named(message: str) -> None:
    with pytest.raises(GraphFormatError, match=message):
        load_json(broken(DEFECTS[message]))


def test_loops_nested_beyond_reason_are_refused() -> None:
    document: dict[str, Any] = json.loads(sym.relu(sym.var("x")).tojson())
    for _ in range(limits.deepest + 1):
        loop = json.loads(broken(lambda node: None))
        (node,) = [node for node in loop["nodes"] if "subgraphs" in node]
        node["subgraphs"] = [document]
        document = loop
    with pytest.raises(GraphFormatError, match=r"inside at most .*deepest=50 others"):
        load_json(json.dumps(document))


# --- blocks ---------------------------------------------------------------------------------------


class _Looping(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.dense = nn.Dense(3, flatten=False, in_units=3)
            self.norm = nn.BatchNorm(in_channels=3)

    def hybrid_forward(self, F: Any, x: Any, h: Any) -> Any:
        def step(e: Any, state: Any) -> Any:
            new = F.tanh(self.dense(e) + state)
            return self.norm(new), new

        outputs, last = F.contrib.foreach(step, x, h)
        return outputs, F.contrib.cond(F.sum(last) > 0, lambda: last * 2, lambda: last * 3)


def test_a_block_with_a_loop_is_the_same_hybridized(rng: np.random.Generator) -> None:
    block = _Looping()
    block.initialize()
    weight = rng.normal(size=(3, 3))

    def run(steps: int) -> list[Any]:
        block.dense.weight.set_data(nd.array(weight))
        block.norm.running_mean.set_data(nd.zeros(3))
        block.norm.running_var.set_data(nd.ones(3))
        x = nd.array(data[:steps])
        x.attach_grad()
        with autograd.record():
            outputs, chosen = block(x, nd.zeros((2, 3)))
            loss = (outputs * outputs).sum() + chosen.sum()
        loss.backward()
        assert x.grad is not None
        arrays = [outputs, chosen, x.grad, block.dense.weight.grad()]
        return [array.asnumpy() for array in [*arrays, block.norm.running_mean.data()]]

    data = rng.normal(size=(6, 2, 3))
    eager = [run(4), run(6)]
    block.hybridize()
    for expected, found in zip(eager, [run(4), run(6)], strict=True):
        for value, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(value, other, rtol=1e-5, atol=1e-6)


def test_loops_are_counted_by_name_as_in_mxnet() -> None:
    before = AttrScope._subgraph_names["counted"]
    sym.contrib.foreach(lambda x, s: (x + s, s), sym.var("x"), sym.var("s"), name="counted")
    assert AttrScope._subgraph_names["counted"] == before + 1


def test_variables_of_one_name_in_both_branches_are_one_input() -> None:
    # Lists, values and gradients are those of MXNet 1.9.1; binding two of a name fails there.
    chosen = sym.contrib.cond(
        sym.var("p") > 0,
        lambda: sym.var("a") * 3 + sym.var("b"),
        lambda: sym.var("b") * sym.var("a"),
    )[0]
    assert chosen.list_arguments() == ["p", "a", "b"]
    nodes = json.loads(chosen.tojson())["nodes"]
    assert [node["name"] for node in nodes if node["op"] == "null"] == ["p", "a", "b"]
    for p, value, gradients in ((1, 11, (3, 1)), (-1, 10, (5, 2))):
        executor = chosen.simple_bind(cpu(), p=(1,), a=(1,), b=(1,))
        for name, number in (("p", p), ("a", 2), ("b", 5)):
            executor.arg_dict[name][:] = number
        assert executor.forward(is_train=True)[0].asscalar() == value
        executor.backward(nd.ones((1,)))
        assert tuple(executor.grad_dict[name].asscalar() for name in "ab") == gradients
    last = sym.contrib.while_loop(
        lambda i: i < sym.var("n"), lambda i: (i, i + sym.var("n") * 0 + 1), [sym.var("i")], 4
    )[1][0]
    assert last.list_arguments() == ["i", "n"]
    assert last.eval(i=nd.array([0.0]), n=nd.array([2.0]))[0].asscalar() == 2
