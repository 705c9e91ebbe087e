"""Attributes of nodes: what variables declare, scopes, and how they are asked for."""

from typing import Any

import numpy as np
import pytest

from hy_ndarray import ArgumentError, DTypeError, nd
from hy_symbol import AttrScope, GraphError, Symbol, load_json, sym
from hy_symbol.regions.region import region_node


class _Zero:
    def dumps(self) -> str:
        return '["zero", {}]'


def test_a_variable_keeps_all_that_is_declared() -> None:
    x = sym.var(
        "x",
        attr={"mood": "calm", "ctx_group": "g"},
        shape=(2, 0),
        lr_mult=2,
        wd_mult=0.5,
        dtype="float16",
        init=_Zero(),
        stype="row_sparse",
        __tag__="1",
    )
    expected = {
        "mood": "calm",
        "__ctx_group__": "g",
        "ctx_group": "g",
        "__shape__": "(2, 0)",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__wd_mult__": "0.5",
        "wd_mult": "0.5",
        "__dtype__": "2",
        "__init__": '["zero", {}]',
        "__storage_type__": "1",
        "__tag__": "1",
    }
    assert x.list_attr() == expected
    assert x.attr_dict() == {"x": expected}


def test_an_argument_goes_before_an_attribute() -> None:
    assert sym.var("x", attr={"lr_mult": "3"}, lr_mult=2).attr("lr_mult") == "2"


@pytest.mark.parametrize("key", ["ctx_group", "__ctx_group__"])
def test_attributes_that_mxnet_hides_have_two_names(key: str) -> None:
    assert sym.var("x", attr={"ctx_group": "g"}).attr(key) == "g"


def test_an_absent_attribute_is_none() -> None:
    assert sym.var("x").attr("absent") is None
    assert sym.var("x").list_attr() == {}
    assert sym.var("x").attr_dict() == {}


def test_an_initializer_may_be_text() -> None:
    assert sym.var("x", init="uniform").attr("__init__") == "uniform"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"name": 3}, ArgumentError, "must be a string, not 3"),
        ({"name": "x", "foo": "1"}, GraphError, "'foo' must be of the form '__name__'"),
        ({"name": "x", "attr": {"a": 1}}, GraphError, "a=1 must be a string"),
        ({"name": "x", "dtype": "float17"}, DTypeError, "unknown dtype 'float17'"),
        ({"name": "x", "stype": "tree"}, GraphError, "not one of default, row_sparse, csr"),
        ({"name": "x", "shape": "2x"}, GraphError, "shape=.2x. must be a tuple of integers"),
    ],
)
def test_a_wrong_declaration_says_what_is_wrong(
    arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        sym.var(**arguments)


def test_an_operator_has_its_parameters_and_its_own_attributes() -> None:
    attr = {"lr_mult": "2", "__tag__": "q", "ctx_group": "h"}
    net = sym.FullyConnected(sym.var("data"), num_hidden=3, name="fc", attr=attr)
    expected = {
        "num_hidden": "3",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__tag__": "q",
        "__ctx_group__": "h",
        "ctx_group": "h",
    }
    assert net.list_attr() == expected
    # Variables that the call makes have the attributes of the node, as in MXNet.
    assert net.attr_dict() == {"fc": expected, "fc_weight": expected, "fc_bias": expected}
    assert (net.attr("num_hidden"), net.attr("no_bias"), net.attr("name")) == ("3", None, net.name)


def test_attributes_may_be_keyword_arguments() -> None:
    attributes: dict[str, Any] = {"lr_mult": "2", "__tag__": "x"}
    net = sym.FullyConnected(sym.var("d"), num_hidden=3, **attributes)
    assert net.list_attr() == {
        "num_hidden": "3",
        "__lr_mult__": "2",
        "lr_mult": "2",
        "__tag__": "x",
    }


def test_an_attribute_that_mxnet_would_take_for_a_parameter_is_refused() -> None:
    x = sym.var("x")
    with pytest.raises(ArgumentError, match="attribute 'mood': call it '__mood__'"):
        sym.FullyConnected(x, num_hidden=3, attr={"mood": "calm"})
    with pytest.raises(ArgumentError, match="attribute 'no_bias': give it as an argument"):
        sym.FullyConnected(x, num_hidden=3, attr={"no_bias": "True"})


def test_attributes_of_operators_are_turned_into_text() -> None:
    attributes: dict[str, Any] = {"__mood__": 1.5, "__axes__": (1, 2), "__init__": None}
    assert sym.relu(sym.var("x"), attr=attributes).list_attr() == {
        "__mood__": "1.5",
        "__axes__": "(1, 2)",
        "__init__": "None",
    }


def test_moving_statistics_say_how_they_begin() -> None:
    attrs = sym.BatchNorm(sym.var("data"), name="bn").attr_dict()
    assert attrs["bn_moving_mean"] == {"__init__": '["zero", {}]'}
    assert attrs["bn_moving_var"] == {"__init__": '["one", {}]'}


def test_weights_that_operators_make_say_how_they_begin() -> None:
    slope = sym.LeakyReLU(sym.var("data"), act_type="prelu", name="prelu").attr_dict()
    assert slope["prelu_gamma"]["__init__"] == '["Constant", {"value": 0.25}]'
    large = sym.UpSampling(
        sym.var("data"), scale=2, sample_type="bilinear", num_filter=1, name="up"
    )
    assert large.attr_dict()["up_weight"]["__init__"] == '["bilinear", {}]'
    assert large.infer_shape(data=(1, 1, 3, 3))[0] == [(1, 1, 3, 3), (1, 1, 4, 4)]


def test_a_scope_gives_attributes_to_what_is_made_inside() -> None:
    with AttrScope(ctx_group="dev1", __a__="1"):
        with AttrScope(ctx_group="dev2", __b__="2"):
            z = sym.var("z")
            w = sym.relu(z, attr={"__a__": "9"}, name="w")
        u = sym.var("u")
    inner = {"__a__": "1", "__b__": "2", "__ctx_group__": "dev2", "ctx_group": "dev2"}
    assert w.attr_dict() == {"z": inner, "w": {**inner, "__a__": "9"}}
    assert u.list_attr() == {"__a__": "1", "__ctx_group__": "dev1", "ctx_group": "dev1"}
    assert sym.var("outside").list_attr() == {}


def test_a_scope_may_be_used_again() -> None:
    scope = AttrScope(__a__="1")
    for _ in range(2):
        with scope:
            assert sym.var("x").attr("__a__") == "1"
    assert sym.var("x").attr("__a__") is None


def test_scope_attributes_are_strings() -> None:
    with pytest.raises(ValueError, match="attribute a=1 must be a string"):
        AttrScope(a=1)  # type: ignore[arg-type]


def test_the_current_scope_is_known() -> None:
    with AttrScope(__a__="1") as scope:
        assert AttrScope.current is scope


def test_attributes_can_be_set_later() -> None:
    x = sym.var("x")
    x._set_attr(ctx_group="dev1")
    assert x.list_attr() == {"__ctx_group__": "dev1", "ctx_group": "dev1"}
    with pytest.raises(GraphError, match="must be a string"):
        x._set_attr(a=1)  # type: ignore[arg-type]


def test_a_parameter_that_is_set_later_changes_what_runs() -> None:
    net = sym.Activation(sym.var("x"), act_type="relu", name="a")
    assert net.eval(x=nd.array([-1]))[0].asnumpy() == [0]
    net._set_attr(act_type="tanh", __note__="1")
    assert net.eval(x=nd.array([-1]))[0].asnumpy() == np.tanh(np.array([-1], np.float32))
    again = load_json(net.tojson())
    assert again.list_attr() == net.list_attr() == {"act_type": "tanh", "__note__": "1"}
    assert again.eval(x=nd.array([-1]))[0].asnumpy() == np.tanh(np.array([-1], np.float32))


def test_shapes_follow_from_a_parameter_that_is_set_later() -> None:
    net = sym.FullyConnected(sym.var("x"), num_hidden=3, name="f")
    assert net.infer_shape(x=(2, 4))[1] == [(2, 3)]
    net._set_attr(num_hidden="5")
    assert net.infer_shape(x=(2, 4))[1] == [(2, 5)]


@pytest.mark.parametrize(
    ("op", "params", "given", "message"),
    [
        ("Activation", {"act_type": "relu"}, {"act_type": "garbage"}, "act_type='garbage' must be"),
        ("Activation", {"act_type": "relu"}, {"act": "tanh"}, "'act' is no parameter .*'__act__'"),
        ("FullyConnected", {"num_hidden": 3}, {"no_bias": "True"}, "it has inputs .* would have"),
        ("SliceChannel", {"num_outputs": 3}, {"num_outputs": "2"}, "it has 3 outputs, .* have 2"),
        ("Concat", {"num_args": 2}, {"num_args": "3"}, "num_args='3', it has 2 inputs"),
    ],
)
def test_parameters_that_cannot_be_set_are_named_and_nothing_changes(
    op: str, params: Any, given: Any, message: str
) -> None:
    net = getattr(sym, op)(**params, name="n")
    before = net.tojson()
    with pytest.raises(ArgumentError, match=message) as caught:
        net._set_attr(__note__="1", **given)
    assert "of node 'n'" in caught.value.__notes__[0]
    assert net.tojson() == before


def test_the_backend_of_a_region_is_no_attribute_to_set() -> None:
    x = sym.var("x")
    node = region_node(sym.relu(x).graph, x.graph.outputs, "r", "none", {})
    with pytest.raises(ArgumentError, match="'backend' is no parameter"):
        Symbol.of((node, 0))._set_attr(backend="other")


def test_a_loop_keeps_as_many_outputs_when_parameters_are_set() -> None:
    out, _ = sym.contrib.while_loop(
        lambda i: i < 3, lambda i: (i, [i + 1]), [sym.var("i")], max_iterations=4
    )
    out._set_attr(max_iterations="5")
    assert out.infer_shape(i=(1,))[1] == [(5, 1)]
    with pytest.raises(ArgumentError, match="subgraph"):
        out._set_attr(func_input_locs="(7,)")


def test_a_group_has_no_attributes_of_its_own() -> None:
    group = sym.Group([sym.var("a", attr={"m": "1"}), sym.var("b")])
    assert (group.attr("m"), group.attr("name")) == (None, None)
    assert group.list_attr() == {}
    assert group.attr_dict() == {"a": {"m": "1"}}
    with pytest.raises(GraphError, match="is a group of several nodes"):
        group._set_attr(m="2")


def test_recursive_listing_is_replaced() -> None:
    with pytest.raises(GraphError, match="use attr_dict"):
        sym.var("x").list_attr(recursive=True)


def test_a_variable_of_complex_numbers_is_refused() -> None:
    assert sym.var("x", dtype="uint16").attr("__dtype__") == "9"
    with pytest.raises(DTypeError, match="variable 'x': graphs have no tensors of complex64"):
        sym.var("x", dtype="complex64")
