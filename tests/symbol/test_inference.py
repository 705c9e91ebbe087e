"""Inference of shapes and dtypes, forwards and backwards through the graph."""

import threading
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, DTypeError, ShapeError, cpu, is_np_shape, set_np_shape
from hy_ndarray.ops import Operator
from hy_symbol import GraphError, Symbol, infer_types, sym


@pytest.fixture
def mlp() -> Symbol:
    net = sym.FullyConnected(sym.var("data"), num_hidden=8, name="fc1")
    net = sym.Activation(net, act_type="relu", name="relu1")
    net = sym.FullyConnected(net, num_hidden=3, name="fc2")
    made: Symbol = sym.SoftmaxOutput(net, name="softmax")
    return made


@pytest.fixture
def numpy_semantics() -> Any:
    before = set_np_shape(True)
    yield
    set_np_shape(before)


# --- shapes ---------------------------------------------------------------------------------------


def test_shapes_of_parameters_and_labels_follow_from_the_data(mlp: Symbol) -> None:
    arguments, outputs, states = mlp.infer_shape(data=(16, 5))
    assert arguments == [(16, 5), (8, 5), (8,), (3, 8), (3,), (16,)]
    assert (outputs, states) == ([(16, 3)], [])


def test_auxiliary_states_have_shapes_too() -> None:
    net = sym.BatchNorm(sym.var("data"), name="bn")
    assert net.infer_shape(data=(2, 3, 4)) == ([(2, 3, 4), (3,), (3,)], [(2, 3, 4)], [(3,), (3,)])


def test_the_tutorial_infers_a_sum() -> None:
    c = sym.var("a") + sym.var("b")
    arguments, outputs, _ = c.infer_shape(a=(2, 3), b=(2, 3))
    assert dict(zip(c.list_arguments(), arguments or [], strict=True)) == {"a": (2, 3), "b": (2, 3)}
    assert outputs == [(2, 3)]


def test_what_is_known_of_one_operand_is_known_of_the_other() -> None:
    c = sym.var("a") + sym.var("b")
    assert c.infer_shape(b=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert c.infer_shape(a=(2, 0), b=(0, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])


def test_knowledge_flows_backwards_through_a_chain() -> None:
    x = sym.var("x")
    net = sym.exp(sym.relu(sym.var("x0"))) * x
    assert net.infer_shape(x=(2, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])


def test_a_batch_flows_backwards_through_a_layer() -> None:
    hidden = sym.FullyConnected(sym.var("state", shape=(0, 4)), num_hidden=3, name="h2h")
    net = hidden + sym.FullyConnected(sym.var("data"), num_hidden=3, name="i2h")
    arguments, _, _ = net.infer_shape(data=(7, 5))
    assert dict(zip(net.list_arguments(), arguments or [], strict=True))["state"] == (7, 4)


def test_shapes_may_be_given_by_position() -> None:
    c = sym.var("a") + sym.var("b")
    assert c.infer_shape((2, 3)) == c.infer_shape(None, (2, 3)) == c.infer_shape(a=(2, 3))
    assert c.infer_shape([2, 3]) == c.infer_shape(a=(2, 3))


def test_variables_may_declare_shapes_and_arguments_go_before() -> None:
    net = sym.FullyConnected(sym.var("x", shape=(4, 5)), num_hidden=2, name="f")
    assert net.infer_shape() == ([(4, 5), (2, 5), (2,)], [(4, 2)], [])
    assert net.infer_shape(x=(3, 6)) == ([(3, 6), (2, 6), (2,)], [(3, 2)], [])


def test_a_declared_shape_may_be_partly_open() -> None:
    net = sym.var("a", shape=(0, 5)) + sym.var("b")
    assert net.infer_shape(b=(3, 5)) == ([(3, 5), (3, 5)], [(3, 5)], [])
    assert net.infer_shape_partial() == ([(0, 5), (0, 5)], [(0, 5)], [])


def test_open_sizes_are_those_that_the_variable_declares() -> None:
    net = sym.FullyConnected(sym.var("x", shape=(2, 3)), num_hidden=4, name="fc")
    whole: Any = ([(2, 3), (4, 3), (4,)], [(2, 4)], [])  # MXNet's
    assert net.infer_shape(x=(0, 3)) == whole
    assert net.infer_shape_partial(x=(0, 0)) == whole
    assert net.infer_shape(x=(5, 0)) == ([(5, 3), (4, 3), (4,)], [(5, 4)], [])
    assert net.simple_bind(cpu(), x=(0, 3)).arg_dict["x"].shape == (2, 3)
    # A shape of another rank stands for itself.
    assert (sym.var("x", shape=(2, 3)) * 2).infer_shape_partial(x=(0, 5, 2))[1] == [(0, 5, 2)]


def test_creations_take_the_open_sizes_from_their_use() -> None:
    net = sym.zeros((0, 3)) + sym.var("a")
    assert net.infer_shape(a=(2, 3)) == ([(2, 3)], [(2, 3)], [])


def test_what_does_not_follow_is_warned_about_by_name(mlp: Symbol) -> None:
    with pytest.warns(UserWarning, match=r"variables data \(\), fc1_weight \(\)"):
        assert mlp.infer_shape() == (None, None, None)


def test_partial_inference_gives_zeros_for_what_is_unknown() -> None:
    net = sym.Concat(sym.var("a"), sym.var("b"), dim=1)
    assert net.infer_shape_partial(a=(2, 3), b=(2, 0)) == ([(2, 3), (2, 0)], [(2, 0)], [])
    assert net.infer_shape_partial() == ([(), ()], [()], [])


def test_variables_of_one_name_share_what_is_given() -> None:
    both = sym.var("a") * sym.var("a")
    assert both.infer_shape(a=(2,)) == ([(2,), (2,)], [(2,)], [])


def test_every_output_of_a_group_is_inferred() -> None:
    x = sym.var("x")
    group = sym.Group([sym.sum(x, axis=1), sym.transpose(x), x])
    assert group.infer_shape(x=(2, 3))[1] == [(2,), (3, 2), (2, 3)]


# --- errors ---------------------------------------------------------------------------------------


def test_a_contradiction_names_node_rule_shapes_and_the_users_line() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc1")
    with pytest.raises(ShapeError, match=r"FullyConnected 'fc1': weight \(9, 9\)") as caught:
        net.infer_shape(data=(2, 5), fc1_weight=(9, 9))
    notes = "\n".join(caught.value.__notes__)
    assert "inputs: data (2, 5)" in notes
    assert f"node made at {__file__}:" in notes


def test_a_contradiction_deep_in_the_graph_is_found(mlp: Symbol) -> None:
    with pytest.raises(ShapeError, match="'fc2': weight"):
        mlp.infer_shape(data=(16, 5), fc2_weight=(3, 7))
    with pytest.raises(ShapeError, match=r"elemwise_add '_plus\d+': lhs \(2, 3\)"):
        (sym.var("a") + sym.var("b")).infer_shape(a=(2, 3), b=(2, 4))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"zz": (1,)}, GraphError, "no variable is called 'zz': a, b"),
        ({"a": 3}, ArgumentError, "must be a tuple of integers, not 3"),
        ({"a": "x"}, ArgumentError, "must be a tuple of integers, not 'x'"),
        ({"a": (-2, 3)}, ArgumentError, r"shape \(-2, 3\): sizes must be 0 or more, or -1"),
        ({"a": (1.5, 3)}, ArgumentError, r"must be a tuple of integers, not \(1.5, 3\)"),
    ],
)
def test_wrong_questions_say_what_is_wrong(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        (sym.var("a") + sym.var("b")).infer_shape(**arguments)


def test_positions_and_names_do_not_mix() -> None:
    c = sym.var("a") + sym.var("b")
    with pytest.raises(GraphError, match="by position or by name, not both"):
        c.infer_shape((2,), b=(2,))
    with pytest.raises(ArgumentError, match="3 arguments are given, the graph has 2"):
        c.infer_shape((2,), (2,), (2,))


# --- dtypes ---------------------------------------------------------------------------------------


def test_dtypes_follow_from_one() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3)
    f = np.float64
    assert net.infer_type(data="float64") == ([f, f, f], [f], [])
    assert net.infer_type("float64") == net.infer_type(data=np.float64)


def test_the_tutorial_casts() -> None:
    a = sym.var("data")
    assert sym.cast(a, dtype="float16").infer_type(data="float32") == (
        [np.float32],
        [np.float16],
        [],
    )
    assert sym.cast(a, dtype="uint8").infer_type(data="int32") == ([np.int32], [np.uint8], [])


def test_dtypes_flow_backwards_and_stop_at_a_cast() -> None:
    net = sym.cast(sym.var("a"), dtype="float16") + sym.var("b")
    assert net.infer_type_partial() == ([None, np.float16], [np.float16], [])
    assert net.infer_type() == (None, None, None)


def test_variables_may_declare_dtypes() -> None:
    net = sym.var("a", dtype="float16") + sym.var("b")
    assert net.infer_type() == ([np.float16, np.float16], [np.float16], [])


def test_a_contradiction_of_dtypes_names_the_node() -> None:
    net = sym.elemwise_add(sym.var("a"), sym.var("b"), name="both")
    with pytest.raises(DTypeError, match="elemwise_add 'both'"):
        net.infer_type(a="float32", b="float16")


def test_shapes_are_inferred_where_dtypes_contradict() -> None:
    net = sym.cast(sym.var("a"), dtype="float16") + sym.cast(sym.var("b"), dtype="float32")
    assert net.infer_shape(a=(2,)) == ([(2,), (2,)], [(2,)], [])
    with pytest.raises(DTypeError):
        net.infer_type()


def test_an_unknown_dtype_is_refused() -> None:
    with pytest.raises(DTypeError, match="unknown dtype 'foo'") as caught:
        (sym.var("a") + 1).infer_type(a="foo")
    assert caught.value.__notes__ == ["given for variable 'a'"]


# --- numpy semantics ------------------------------------------------------------------------------


@pytest.mark.usefixtures("numpy_semantics")
def test_zero_is_a_size_in_numpy_semantics_and_minus_one_is_unknown() -> None:
    c = sym.var("a") + sym.var("b")
    assert c.infer_shape(a=(2, -1), b=(-1, 3)) == ([(2, 3), (2, 3)], [(2, 3)], [])
    assert c.infer_shape(a=(2, 0)) == ([(2, 0), (2, 0)], [(2, 0)], [])
    assert c.infer_shape(a=()) == ([(), ()], [()], [])
    assert c.infer_shape_partial() == ([None, None], [None], [])
    assert c.infer_shape_partial(a=(2, -1)) == ([(2, -1), (2, -1)], [(2, -1)], [])


@pytest.mark.usefixtures("numpy_semantics")
def test_the_semantics_belong_to_a_thread() -> None:
    found = []
    thread = threading.Thread(target=lambda: found.append(is_np_shape()))
    thread.start()
    thread.join()
    assert (is_np_shape(), found) == (True, [False])


# --- size -----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_long_chain_is_inferred_visiting_each_node_a_few_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    length = 10_000
    net = sym.var("x")
    for _ in range(length):
        net = sym.relu(net)
    visits = []
    infer = Operator.infer

    def counted(*args: Any, **kwargs: Any) -> Any:
        visits.append(1)
        return infer(*args, **kwargs)

    monkeypatch.setattr(Operator, "infer", counted)
    assert net.infer_shape(x=(2, 3))[1] == [(2, 3)]
    assert len(visits) <= 4 * length


def test_a_long_chain_is_walked_copied_and_written_without_recursion() -> None:
    net = sym.var("x")
    for _ in range(10_000):
        net = sym.relu(net)
    assert len(net.get_internals()) == 10_001
    assert len(net(x=sym.var("y")).graph.nodes) == 10_001
    assert sym.load_json(net.tojson()).list_arguments() == ["x"]


def test_types_of_every_entry_can_be_asked_for(mlp: Symbol) -> None:
    data = mlp.graph.variables[0]
    types = infer_types(mlp.graph, {data: (2, 5)}, {data: "float32"})
    found = {node.name: types.get((node, 0)) for node in mlp.graph.nodes}
    assert found["relu1"] == ((2, 8), "float32")
    assert types.shape((data, 0)) == (2, 5)
    assert types.dtype((data, 0)) == "float32"
