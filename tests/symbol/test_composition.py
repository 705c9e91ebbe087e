"""Composing graphs: every expression makes the nodes, names and JSON that MXNet makes."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, autograd, nd
from hy_symbol import GraphError, Symbol, load_json, sym
from tests.symbol.compositions import COMPOSITIONS

DATA = Path(__file__).parent / "data"
OF_MXNET: dict[str, str] = json.loads((DATA / "compositions.json").read_text())


def test_every_composition_has_a_graph_of_mxnet() -> None:
    assert set(COMPOSITIONS) == set(OF_MXNET)


@pytest.mark.parametrize("expression", COMPOSITIONS)
def test_composed_graph_is_mxnets_byte_for_byte(expression: str) -> None:
    assert COMPOSITIONS[expression](sym).tojson() == OF_MXNET[expression]


def test_a_node_is_named_after_its_operator_and_counted() -> None:
    x = sym.var("x")
    names = [sym.FullyConnected(x, num_hidden=2).name, sym.FullyConnected(x, num_hidden=2).name]
    names += [(x + x).name, (x + x).name, (1 - x).name, (2**x).name, sym.pow(2, x).name]
    assert names == [
        "fullyconnected0",
        "fullyconnected1",
        "_plus0",
        "_plus1",
        "_rminusscalar0",
        "_rpower_scalar0",
        "_rpowerscalar0",
    ]


def test_inputs_that_are_left_out_become_variables() -> None:
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc")
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias"]
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, no_bias=True, name="fc")
    assert net.list_arguments() == ["data", "fc_weight"]
    net = sym.FullyConnected(num_hidden=3, name="fc")
    assert net.list_arguments() == ["fc_data", "fc_weight", "fc_bias"]


def test_own_variables_keep_their_names() -> None:
    weight = sym.var("mine")
    net = sym.FullyConnected(sym.var("data"), weight=weight, num_hidden=3, name="fc")
    assert net.list_arguments() == ["data", "mine", "fc_bias"]


def test_inputs_and_parameters_may_be_positional() -> None:
    d, w, b = sym.var("d"), sym.var("w"), sym.var("b")
    net = sym.FullyConnected(d, w, b, 5)
    assert net.list_arguments() == ["d", "w", "b"]
    assert net.attr("num_hidden") == "5"


def test_operators_of_any_number_of_inputs_take_them_singly_as_a_list_or_by_name() -> None:
    a, b = sym.var("a"), sym.var("b")
    by_name: Any = sym.Concat  # whose stub does not count inputs
    for net in (sym.Concat(a, b), sym.Concat([a, b]), by_name(arg1=b, arg0=a)):
        assert net.list_arguments() == ["a", "b"]
        assert net.attr("num_args") == "2"
    assert sym.Concat(a, num_args=2, name="c").list_arguments() == ["a", "c_arg1"]


def test_auxiliary_states_are_no_arguments() -> None:
    net = sym.BatchNorm(sym.var("data"), name="bn")
    assert net.list_arguments() == ["data", "bn_gamma", "bn_beta"]
    assert net.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert net.list_inputs() == ["data", "bn_gamma", "bn_beta", "bn_moving_mean", "bn_moving_var"]


def test_variables_come_in_the_order_in_which_they_are_needed() -> None:
    a, b, c = sym.var("a"), sym.var("b"), sym.var("c")
    assert (c * (b + a)).list_arguments() == ["c", "b", "a"]


def test_numbers_alone_stay_numbers() -> None:
    assert sym.pow(2, 3) == 8
    assert sym.maximum(2, 3) == 3
    assert sym.minimum(2, 3) == 2
    assert sym.hypot(3, 4) == 5


def test_a_boolean_is_written_as_a_number_that_mxnet_reads() -> None:
    assert (sym.var("a") + True).attr("scalar") == "1"


def test_a_symbol_has_no_truth_value() -> None:
    with pytest.raises(NotImplementedError, match="not known while the graph is built"):
        bool(sym.var("x") > 1)


@pytest.mark.parametrize(
    "method", ["asnumpy", "asscalar", "backward", "copy", "detach", "wait_to_read"]
)
def test_what_only_arrays_can_says_so(method: str) -> None:
    with pytest.raises(NotImplementedError, match="has no value before it is bound"):
        getattr(sym.var("x"), method)()


def test_operators_without_parameters_keep_any_argument_as_text() -> None:
    loose: Any = sym
    x = sym.var("x")
    kept = loose.relu(x, banana=[1, 2], name="kept")
    assert kept.attr_dict() == {"kept": {"banana": "[1, 2]"}}
    assert load_json(kept.tojson()).eval(x=nd.ones((1,)))[0].asscalar() == 1
    scaled = loose.LinearRegressionOutput(x, x, banana=1, name="scaled")
    assert load_json(scaled.tojson()).attr_dict() == {"scaled": {"banana": "1"}}
    with pytest.raises(ArgumentError, match="unknown argument 'mask'"):
        loose.relu(x, mask=x)


def test_random_numbers_drop_a_symbol_given_as_data() -> None:
    drawn = sym.random.randn(2, loc=0.0, data=sym.ones((2, 3)))
    assert (drawn.list_arguments(), drawn.infer_shape()[1]) == ([], [(2,)])
    with pytest.raises(ArgumentError, match="unknown argument 'banana'"):
        sym.random.normal(banana=1)


def wrong_calls() -> dict[str, Any]:
    x = sym.var("x")
    loose: Any = sym  # what type checkers would not let pass
    return {
        "unknown argument 'foo'": lambda: loose.FullyConnected(x, num_hidden=2, foo=1),
        "did you mean 'num_hidden'": lambda: loose.FullyConnected(x, num_hiden=2),
        "required parameter num_hidden is missing": lambda: loose.FullyConnected(x),
        "act_type='zz' must be one of 'relu'": lambda: loose.Activation(x, act_type="zz"),
        "relu: multiple values for input data": lambda: loose.relu(x, data=x),
        "input arg0 is given twice": lambda: loose.Concat(x, arg0=x),
        "input bias is given, but its parameters say no": lambda: sym.FullyConnected(
            x, bias=x, num_hidden=2, no_bias=True
        ),
        "an int is given where a Symbol belongs": lambda: loose.relu(3),
        "a NDArray is given where a Symbol belongs": lambda: loose.relu(nd.ones((2,))),
        "0 inputs; it takes from 1": sym.add_n,
        "num_args='many' must be an integer": lambda: loose.Concat(num_args="many"),
        "None is neither a Symbol nor a number": lambda: sym.maximum(x, None),
        "indices_or_sections='x' must be an integer": lambda: sym.split_v2(
            x,
            "x",  # type: ignore[arg-type]
        ),
        "range must be given where bins is a number": lambda: sym.histogram(x, 5),
        "the parameters must be numbers, or Symbols all": lambda: sym.random.uniform(x, 2),
        "must be a positive number": lambda: sym.random.exponential(-1),
    }


@pytest.mark.parametrize("message", wrong_calls())
def test_a_wrong_call_says_what_is_wrong(message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        wrong_calls()[message]()


def test_an_operator_takes_one_output_of_several() -> None:
    parts = sym.SliceChannel(sym.var("x"), num_outputs=3, name="parts")
    assert sym.relu(parts[1]).list_arguments() == ["x"]
    with pytest.raises(GraphError, match="has 3 outputs; choose one"):
        sym.relu(parts)
    with pytest.raises(GraphError, match="has 3 outputs; choose one"):
        parts + 1


def test_an_unknown_name_is_no_operator() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'no_such_operator'"):
        sym.no_such_operator  # type: ignore[attr-defined]  # noqa: B018


def test_namespaces_list_their_operators() -> None:
    assert {"FullyConnected", "zeros", "relu"} <= set(dir(sym))
    assert {"uniform", "normal_like"} <= set(dir(sym.random))
    assert "gemm2" in dir(sym.linalg)


def test_other_objects_are_left_to_their_own_arithmetic() -> None:
    class Left:
        def __radd__(self, other: object) -> str:
            return "left"

    assert sym.var("x") + Left() == "left"
    with pytest.raises(TypeError):
        sym.var("x") + "text"


def test_a_symbol_can_be_a_key() -> None:
    x = sym.var("x")
    table: dict[Symbol, int] = {x: 1}
    assert table[x] == 1


def test_a_symbol_is_no_variable_of_autograd() -> None:
    variables: Any = [sym.var("x")]
    with pytest.raises(ArgumentError, match="expected an NDArray, got a Symbol"):
        autograd.mark_variables(variables, [nd.ones((2,))])


@pytest.mark.parametrize("name", ["zeros_like", "ones_like"])
def test_the_dtype_of_zeros_like_is_that_of_its_input_whatever_is_asked_for(name: str) -> None:
    like = getattr(sym, name)(sym.var("x"), dtype="float16")
    assert like.infer_type(x="float64")[1] == [np.float64]
    assert getattr(nd, name)(nd.array([1], dtype="int32"), dtype="float16").dtype == np.int32
