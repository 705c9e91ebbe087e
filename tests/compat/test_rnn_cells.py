"""``mx.rnn``: graphs, numbers, weights and errors of the symbolic cells, as in MXNet 1.9.1."""

import doctest
import inspect
from typing import Any

import numpy as np
import pytest

import mxnet as mx
import mxnet.rnn.base
import mxnet.rnn.composed
import mxnet.rnn.conv
import mxnet.rnn.fused
from tests.compat.rnn_graphs import CELLS, digest, graph, stack, values

IN_MXNET: dict[tuple[str, str, bool | None], tuple[int, float]] = {
    ("rnn", "NTC", None): (2195587355, 4.37848),
    ("rnn", "TNC", True): (3684780731, 5.01846),
    ("rnn", "NTC", False): (2195587355, 4.37848),
    ("relu", "NTC", None): (2195587355, -0.23128),
    ("relu", "TNC", True): (3684780731, 1.839),
    ("lstm", "NTC", None): (1549164987, -0.2886),
    ("lstm", "TNC", True): (1950108453, -1.89103),
    ("gru", "NTC", None): (740997704, -1.73447),
    ("gru", "TNC", True): (3289222483, 0.4514),
    ("stack", "NTC", None): (2570752105, 0.78336),
    ("stack", "TNC", True): (570955704, -2.38235),
    ("both", "NTC", None): (747818441, -0.32232),
    ("both", "TNC", True): (1426719266, -1.13444),
    ("both and one", "NTC", None): (4026421365, 0.47666),
    ("both and one", "TNC", True): (107077578, -0.06732),
    ("zoneout", "NTC", None): (3569415155, -0.2886),
    ("zoneout", "TNC", True): (2970774752, -1.89103),
    ("residual", "NTC", None): (3777356178, -0.2041),
    ("residual", "TNC", True): (2631494041, -0.81602),
    ("residual of both", "NTC", None): (686092826, 0.93163),
    ("residual of both", "TNC", True): (1429278511, 1.54287),
    ("dropout", "NTC", None): (556187937, 0.22767),
    ("dropout", "TNC", True): (556187937, 0.22767),
    ("dropout", "NTC", False): (4289999790, 0.81216),
    ("fused relu", "NTC", None): (2425130754, 0.07531),
    ("fused relu", "TNC", True): (1213395029, 0.11231),
    ("fused relu", "NTC", False): (1959730550, -0.11015),
    ("fused lstm", "NTC", None): (2287981254, 1.70555),
    ("fused lstm", "TNC", True): (2671454508, 1.69996),
    ("fused lstm", "NTC", False): (2591886501, -0.37773),
    ("fused gru", "NTC", None): (2425130754, 0.00935),
    ("fused gru", "TNC", True): (1213395029, 0.01857),
    ("fused gru", "NTC", False): (1959730550, 0.09762),
    ("unfused tanh", "NTC", None): (1794749087, -0.34471),
    ("unfused tanh", "TNC", True): (752311551, 0.23706),
    ("unfused lstm", "NTC", None): (592088125, -1.11026),
    ("unfused lstm", "TNC", True): (332366336, -0.90404),
    ("conv rnn", "NTC", None): (4237850826, 10.11529),
    ("conv rnn", "TNC", True): (3503189424, 7.23052),
    ("conv lstm", "NTC", None): (2566103422, -0.14643),
    ("conv lstm", "TNC", True): (1725003911, 0.36984),
    ("conv gru", "NTC", None): (2317680998, -5.80621),
    ("conv gru", "TNC", True): (2058231060, -2.5327),
}
"""A number for the graph, and one for its outputs: by cell, layout and ``merge_outputs``."""


@pytest.mark.filterwarnings("ignore:NTC layout detected")
@pytest.mark.parametrize("case", IN_MXNET, ids=str)
def test_graph_and_numbers_are_those_of_mxnet(case: tuple[str, str, bool | None]) -> None:
    group = graph(*case)
    expected, number = IN_MXNET[case]
    assert digest(group) == expected
    assert values(case[0], case[1], group) == pytest.approx(number, abs=2e-4)


def test_every_cell_is_pinned() -> None:
    assert {name for name, _, _ in IN_MXNET} == set(CELLS)


@pytest.mark.parametrize("mode", ["rnn_relu", "rnn_tanh", "lstm", "gru"])
@pytest.mark.parametrize("both", [False, True])
def test_unfused_cells_compute_the_same(mode: str, both: bool) -> None:
    fused = mx.rnn.FusedRNNCell(3, 2, mode, both, prefix="f_")
    single = fused.unfuse()
    data = mx.sym.var("data")
    whole, _ = fused.unroll(4, data, layout="TNC", merge_outputs=True)
    steps, _ = single.unroll(4, data, layout="TNC", merge_outputs=True)
    executor = whole.simple_bind(mx.cpu(), data=(4, 2, 5))
    for array in executor.arg_dict.values():
        array[:] = mx.nd.random.uniform(-1, 1, array.shape)
    args = {k: v for k, v in executor.arg_dict.items() if k != "data"}
    args = single.pack_weights(fused.unpack_weights(args))
    other = steps.bind(mx.cpu(), {**args, "data": executor.arg_dict["data"]})
    expected = executor.forward()[0].asnumpy()
    np.testing.assert_allclose(other.forward()[0].asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_gates_are_unpacked_in_order() -> None:
    cell = mx.rnn.LSTMCell(2, prefix="l_")
    args = {
        "l_i2h_weight": mx.nd.arange(24).reshape((8, 3)),
        "l_h2h_weight": mx.nd.arange(16).reshape((8, 2)),
        "l_i2h_bias": mx.nd.arange(8),
        "l_h2h_bias": mx.nd.arange(8),
        "other": mx.nd.ones((1,)),
    }
    gates = cell.unpack_weights(args)
    names = [f"l_{g}_{gate}_{kind}" for g in ("i2h", "h2h") for gate in "ifco" for kind in WB]
    assert list(gates) == ["other", *names]
    assert gates["l_i2h_f_weight"].asnumpy().tolist() == [[6, 7, 8], [9, 10, 11]]
    assert len(args) == 5  # as it was
    packed = cell.pack_weights(gates)
    assert set(packed) == set(args)
    for name, array in args.items():
        np.testing.assert_array_equal(packed[name].asnumpy(), array.asnumpy())


WB = ("weight", "bias")


def test_the_parameter_vector_is_unpacked_in_order() -> None:
    cell = mx.rnn.FusedRNNCell(2, 2, "lstm", True, prefix="f_")
    gates = cell.unpack_weights({"f_parameters": mx.nd.arange(256)})
    firsts = {name: float(array.asnumpy().ravel()[0]) for name, array in gates.items()}
    assert len(firsts) == 64
    assert firsts["f_l0_i2h_i_weight"] == 0
    assert firsts["f_r0_i2h_i_weight"] == 48
    assert firsts["f_l1_h2h_o_weight"] == 140
    assert firsts["f_l0_i2h_i_bias"] == 192
    assert firsts["f_r1_h2h_o_bias"] == 254
    assert gates["f_l0_i2h_i_weight"].shape == (2, 4)
    packed = cell.pack_weights(gates)["f_parameters"].asnumpy()
    np.testing.assert_array_equal(packed, np.arange(256))


def test_a_vector_of_a_size_that_cannot_be_is_an_error() -> None:
    cell = mx.rnn.FusedRNNCell(2, 2, "lstm", prefix="f_")
    with pytest.raises(mx.MXNetError, match="'f_parameters' of 101 values fits no input of 2"):
        cell.unpack_weights({"f_parameters": mx.nd.arange(101)})


def test_missing_weights_are_named() -> None:
    with pytest.raises(KeyError, match="gru_i2h_weight"):
        mx.rnn.GRUCell(2).unpack_weights({})
    with pytest.raises(KeyError, match="f_l0_i2h_i_weight"):
        mx.rnn.FusedRNNCell(2, prefix="f_").pack_weights({})


def test_cells_share_weights_by_their_params() -> None:
    first = mx.rnn.RNNCell(3, prefix="s_")
    second = mx.rnn.RNNCell(3, prefix="t_", params=first.params)
    x = mx.sym.var("x")
    both = mx.sym.Group([cell.unroll(1, x)[0][0] for cell in (first, second)])
    assert both.list_arguments() == ["x", *(f"s_{g}_{k}" for g in ("i2h", "h2h") for k in WB)]


def test_states_are_made_by_a_function_of_ones_own() -> None:
    cell = mx.rnn.LSTMCell(3)
    begin = cell.begin_state(func=mx.sym.var)
    assert [state.name for state in begin] == ["lstm_begin_state_0", "lstm_begin_state_1"]
    outputs, _ = cell.unroll(2, mx.sym.var("data"), begin_state=begin, merge_outputs=True)
    arguments = outputs.list_arguments()
    shapes = dict(zip(arguments, outputs.infer_shape(data=(4, 2, 5))[0], strict=True))
    assert shapes["lstm_begin_state_1"] == (4, 3)
    modifier = mx.rnn.ZoneoutCell(mx.rnn.RNNCell(3), 0.1)
    assert modifier.begin_state(init_sym=mx.sym.ones)[0].name == "rnn_begin_state_0"
    inside = stack(mx.rnn.ZoneoutCell(mx.rnn.RNNCell(3), 0.1))
    assert inside.begin_state(func=mx.sym.var)[0].list_arguments() == ["rnn_begin_state_0"]


def test_initializers_of_the_weights() -> None:
    attributes = mx.rnn.LSTMCell(3).params.get("i2h_bias").attr_dict()
    assert attributes == {"lstm_i2h_bias": {"__init__": '["lstmbias", {"forget_bias": 1.0}]'}}
    conv = mx.rnn.ConvRNNCell((1, 2, 4, 4), 3).params.get("i2h_bias")
    assert conv.attr_dict() == {"ConvRNN_i2h_bias": {"__init__": "zeros"}}
    fused = mx.rnn.FusedRNNCell(5, 2, "lstm", True, prefix="f_").params.get("parameters")
    assert '"num_hidden": 5, "num_layers": 2' in fused.attr_dict()["f_parameters"]["__init__"]


def test_a_module_initializes_the_parameter_vector() -> None:
    cell = mx.rnn.FusedRNNCell(3, 2, "lstm", prefix="f_", forget_bias=2.0)
    outputs, _ = cell.unroll(4, mx.sym.var("data"), layout="TNC", merge_outputs=True)
    module = mx.mod.Module(outputs, label_names=None)
    module.bind([mx.io.DataDesc("data", (4, 2, 5), layout="TNC")])
    module.init_params(mx.init.Constant(7))
    gates = cell.unpack_weights(module.get_params()[0])
    for layer in range(2):
        assert gates[f"f_l{layer}_i2h_f_bias"].asnumpy().tolist() == [2, 2, 2]
        assert gates[f"f_l{layer}_h2h_o_bias"].asnumpy().tolist() == [0, 0, 0]
        assert set(gates[f"f_l{layer}_i2h_c_weight"].asnumpy().ravel().tolist()) == {7}


def test_states_of_all_cells() -> None:
    assert mx.rnn.FusedRNNCell(5, 2, "lstm", True).state_info == [
        {"shape": (4, 0, 5), "__layout__": "LNC"},
        {"shape": (4, 0, 5), "__layout__": "LNC"},
    ]
    assert mx.rnn.ConvGRUCell((2, 4, 4, 1), 2, conv_layout="NHWC").state_info == [
        {"shape": (0, 4, 4, 2), "__layout__": "NHWC"}
    ]
    assert CELLS["both and one"]().state_shape == [(0, 5), (0, 5), (0, 5), (0, 3)]


def unrolled(cell: Any, inputs: Any = None, **options: Any) -> Any:
    return cell.unroll(2, mx.sym.var("x") if inputs is None else inputs, **options)


NO_NUMBER: Any = "a"


def modified() -> Any:
    cell = mx.rnn.RNNCell(3)
    mx.rnn.ResidualCell(cell)
    return cell


def stack_of_shared() -> None:
    cells = mx.rnn.SequentialRNNCell(params=mx.rnn.RNNParams("z_"))
    cells.add(mx.rnn.RNNCell(2, params=mx.rnn.RNNParams("k_")))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: unrolled(mx.rnn.RNNCell(2), [mx.sym.var("x")]), "inputs has 1 steps, length is 2"),
        (
            lambda: unrolled(mx.rnn.RNNCell(2), mx.sym.Group([mx.sym.var("x"), mx.sym.var("y")])),
            "unroll doesn't allow grouped symbol as input",
        ),
        (lambda: mx.rnn.DropoutCell(NO_NUMBER), "dropout='a' must be a number"),
        (lambda: mx.rnn.FusedRNNCell(2, mode="foo"), "mode='foo' is not one of"),
        (lambda: unrolled(mx.rnn.FusedRNNCell(2), layout="NC"), "layout='NC'; it must be"),
        (lambda: mx.rnn.ConvRNNCell((1, 1, 4, 4), 2, h2h_kernel=(2, 2)), "Only support odd number"),
        (lambda: mx.rnn.ZoneoutCell(mx.rnn.FusedRNNCell(2)), "Please unfuse first"),
        (lambda: mx.rnn.ZoneoutCell(stack(CELLS["both"]())), "doesn't support zoneout"),
        (lambda: modified().begin_state(), "after applying modifier"),
        (stack_of_shared, "Either specify params for SequentialRNNCell or child cells"),
    ],
)
def test_what_cannot_be_is_an_error(wrong: Any, message: str) -> None:
    with pytest.raises(mx.MXNetError, match=message):
        wrong()


@pytest.mark.parametrize("name", ["fused lstm", "both"])
def test_cells_that_have_no_single_step(name: str) -> None:
    with pytest.raises(NotImplementedError, match=r"cannot be stepped\. Please use unroll"):
        CELLS[name]()(mx.sym.var("x"), [])


def test_batch_major_fused_cells_warn() -> None:
    with pytest.warns(UserWarning, match="NTC layout detected. Consider using TNC"):
        unrolled(mx.rnn.FusedRNNCell(2))


def test_a_zoneout_cell_is_unrolled_twice_with_the_same_names() -> None:
    cell = mx.rnn.ZoneoutCell(mx.rnn.RNNCell(2), 0.5)
    first, second = (unrolled(cell)[1][0].get_internals().list_outputs() for _ in range(2))
    assert [n for n in first if n.startswith("rnn")] == [n for n in second if n.startswith("rnn")]


def test_mxnets_paths() -> None:
    from mxnet.rnn.rnn_cell import BaseRNNCell, FusedRNNCell  # noqa: PLC0415

    assert mx.rnn.FusedRNNCell is FusedRNNCell
    assert issubclass(mx.rnn.SequentialRNNCell, BaseRNNCell)
    assert inspect.ismodule(mx.rnn.rnn_cell)


def test_the_examples_run() -> None:
    for module in (mxnet.rnn.base, mxnet.rnn.composed, mxnet.rnn.conv, mxnet.rnn.fused):
        result = doctest.testmod(module)
        assert result.attempted > 0
        assert result.failed == 0
