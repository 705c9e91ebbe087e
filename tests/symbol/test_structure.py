"""What a symbol consists of: outputs, groups, internals, children, copies."""

import copy
import pickle
from collections.abc import Callable

import pytest

from hy_ndarray import ArgumentError
from hy_symbol import GraphError, Symbol, sym


@pytest.fixture
def net() -> Symbol:
    data = sym.var("data")
    hidden = sym.FullyConnected(data, num_hidden=4, name="fc")
    made: Symbol = sym.Activation(hidden, act_type="relu", name="act")
    return made


@pytest.fixture
def parts() -> Symbol:
    made: Symbol = sym.SliceChannel(sym.var("x"), num_outputs=3, name="parts")
    return made


def test_outputs_are_named_after_their_node(net: Symbol, parts: Symbol) -> None:
    assert net.list_outputs() == ["act_output"]
    assert parts.list_outputs() == ["parts_output0", "parts_output1", "parts_output2"]
    assert sym.var("x").list_outputs() == ["x"]
    bn = sym.BatchNorm(sym.var("x"), output_mean_var=True, name="bn")
    assert bn.list_outputs() == ["bn_output", "bn_mean", "bn_var"]


def test_hidden_outputs_are_not_shown() -> None:
    bn = sym.BatchNorm(sym.var("x"), name="bn")
    assert bn.list_outputs() == ["bn_output"]
    assert bn.get_internals().list_outputs()[-1] == "bn_output"


def test_a_symbol_is_shown_by_name(net: Symbol, parts: Symbol) -> None:
    assert repr(net) == "<Symbol act>"
    assert repr(parts) == "<Symbol parts>"
    assert repr(sym.Group([net, sym.var("y")])) == "<Symbol group [act, y]>"
    assert sym.Group([net, sym.var("y")]).name is None


def test_an_output_is_chosen_by_position_or_name(parts: Symbol) -> None:
    assert len(parts) == parts.num_outputs == 3
    assert parts[1].list_outputs() == ["parts_output1"]
    assert parts[-1].list_outputs() == ["parts_output2"]
    assert parts["parts_output2"].list_outputs() == ["parts_output2"]
    assert [part.list_outputs()[0][-1] for part in parts] == ["0", "1", "2"]
    assert parts[1].name == "parts"


def test_a_slice_is_a_group(parts: Symbol) -> None:
    assert parts[1:].list_outputs() == ["parts_output1", "parts_output2"]
    assert parts[::2].list_outputs() == ["parts_output0", "parts_output2"]
    assert parts[::-1].list_outputs()[0] == "parts_output2"


def test_a_wrong_choice_says_what_there_is(parts: Symbol) -> None:
    with pytest.raises(IndexError, match="output 3 of <Symbol parts>, which has 3"):
        parts[3]
    with pytest.raises(GraphError, match="has no output named 'parts'"):
        parts["parts"]
    with pytest.raises(GraphError, match="has 2 outputs named 'x'"):
        sym.Group([sym.var("x"), sym.var("x")])["x"]
    with pytest.raises(GraphError, match="takes none of them"):
        parts[3:]
    with pytest.raises(ArgumentError, match=r"a position or a name, not 1\.5"):
        parts[1.5]


def test_a_group_has_the_outputs_of_its_members(net: Symbol) -> None:
    loss = sym.SoftmaxOutput(net, name="softmax")
    other = sym.LinearRegressionOutput(net, name="regression")
    group = sym.Group([loss, other])
    assert group.list_outputs() == ["softmax_output", "regression_output"]
    assert group.list_arguments() == [
        "data",
        "fc_weight",
        "fc_bias",
        "softmax_label",
        "regression_label",
    ]
    assert sym.Group([group, net]).list_outputs()[-1] == "act_output"


@pytest.mark.parametrize("symbols", [[], "a", [1], None])
def test_a_group_is_of_symbols(symbols: object) -> None:
    with pytest.raises(ArgumentError, match="Group takes a list of symbols"):
        sym.Group(symbols)  # type: ignore[arg-type]


def test_internals_are_every_output_on_the_way(net: Symbol) -> None:
    internals = net.get_internals()
    assert internals.list_outputs() == ["data", "fc_weight", "fc_bias", "fc_output", "act_output"]
    assert internals["fc_output"].list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert repr(internals) == "<Symbol group [data, fc_weight, fc_bias, fc, act]>"


def test_children_are_the_inputs_of_the_last_operators(net: Symbol, parts: Symbol) -> None:
    children = net.get_children()
    assert children is not None
    assert children.list_outputs() == ["fc_output"]
    deeper = children.get_children()
    assert deeper is not None
    assert deeper.list_outputs() == ["data", "fc_weight", "fc_bias"]
    assert sym.var("x").get_children() is None
    of_one_part = parts[1].get_children()
    assert of_one_part is not None
    assert of_one_part.list_outputs() == ["x"]
    of_group = sym.Group([sym.var("a"), net]).get_children()
    assert of_group is not None
    assert of_group.list_outputs() == ["fc_output"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_a_copy_is_an_equal_graph_with_attributes_of_its_own(
    net: Symbol, copied: Callable[[Symbol], Symbol]
) -> None:
    for symbol in (net, net.as_np_ndarray()):
        twin = copied(symbol)
        assert type(twin) is type(symbol)
        assert twin.tojson() == net.tojson()
        twin._set_attr(__tag__="changed")
        assert net.attr("__tag__") is None  # MXNet: None for both copies


def test_a_symbol_can_be_pickled(net: Symbol, parts: Symbol) -> None:
    for symbol in (net, parts[1:]):
        again = pickle.loads(pickle.dumps(symbol))  # noqa: S301  # our own bytes
        assert again.tojson() == symbol.tojson()
        assert again.list_outputs() == symbol.list_outputs()


def test_as_nd_ndarray_is_the_symbol_itself(net: Symbol) -> None:
    assert net.as_nd_ndarray() is net


def test_the_listing_for_people_names_every_node() -> None:
    net = sym.BatchNorm(sym.var("d"), name="f", attr={"lr_mult": "2"})
    assert sym.var("a").debug_str() == "Variable:a\n"
    assert net.debug_str() == "\n".join(
        [
            "Symbol Outputs:",
            "\toutput[0]=f(0)",
            "Variable:d",
            "Variable:f_gamma",
            "Variable:f_beta",
            "Variable:f_moving_mean",
            "Variable:f_moving_var",
            "--------------------",
            "Op:BatchNorm, Name=f",
            "Inputs:",
            "\targ[0]=d(0) version=0",
            "\targ[1]=f_gamma(0) version=0",
            "\targ[2]=f_beta(0) version=0",
            "\targ[3]=f_moving_mean(0) version=1",
            "\targ[4]=f_moving_var(0) version=1",
            "Attrs:",
            "\t__lr_mult__=2",
            "",
        ]
    )


def test_the_listing_tells_versions_of_variables_alone() -> None:
    net = sym.relu(sym.exp(sym.var("d"), name="e"), name="r")
    lines = net.debug_str().splitlines()
    assert [line for line in lines if "arg[" in line] == [
        "\targ[0]=d(0) version=0",
        "\targ[0]=e(0)",
    ]


def test_a_node_remembers_the_line_that_made_it() -> None:
    node = sym.relu(sym.var("x")).graph.nodes[-1]
    assert node.where is not None
    file, _, line = node.where.rpartition(":")
    assert file == __file__
    assert int(line) > 1
    assert repr(node).startswith("<Node relu")
    assert node.is_variable is False
