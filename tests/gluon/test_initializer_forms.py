"""Every form of an initializer does everywhere an initializer can be given."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_gluon import Parameter, ParameterDict, initializer as init, nn, rnn
from hy_gluon.initializer import Initializer, InitializerError
from hy_ndarray import NDArray, nd
from hy_symbol import GraphError, sym


def _function(_: str, array: NDArray) -> None:
    array[:] = 3


class Threes(Initializer):
    """An initializer of a program, which is not registered."""

    def _init_weight(self, name: str, arr: NDArray) -> None:  # noqa: ARG002
        arr[:] = 3


FORMS: dict[str, Any] = {
    "initializer": init.Constant(3),
    "class": Threes,
    "dumps": init.Constant(3).dumps(),
    "list in JSON": '["constant", {"value": 3}]',
    "dict in JSON": '{"initializer": "constant", "value": 3}',
    "dict": {"initializer": "constant", "value": 3},
    "function": _function,
    "Mixed": init.Mixed([".*"], ['["constant", {"value": 3}]']),
    "Load": init.Load({}, default_init={"initializer": "constant", "value": 3}),
}


def _parameter(init: Any) -> Any:
    parameter = Parameter("w_weight", shape=(2, 3), init=init)
    parameter.initialize()
    return parameter.data()


def _initialized(init: Any) -> Any:
    parameter = Parameter("w_weight", shape=(2, 3))
    parameter.initialize(init)
    return parameter.data()


def _default(init: Any) -> Any:
    parameter = Parameter("w_weight", shape=(2, 3))
    parameter.initialize(default_init=init)
    return parameter.data()


def _collected(init: Any) -> Any:
    params = ParameterDict()
    params.get("weight", shape=(2, 3), init=init)
    params.initialize()
    return params["weight"].data()


def _block(init: Any) -> Any:
    layer = nn.Dense(2, in_units=3)
    layer.initialize(init)
    return layer.weight.data()


def _deferred(init: Any) -> Any:
    layer = nn.Dense(2, weight_initializer=init)
    layer.initialize()
    layer.hybridize()
    layer(nd.ones((1, 3)))
    return layer.weight.data()


def _set(init: Any) -> Any:
    layer = nn.Dense(2, in_units=3)
    layer.collect_params(".*weight").setattr("init", init)
    layer.initialize()
    return layer.weight.data()


def _module(init: Any, weight: Any = None) -> Any:
    net = sym.FullyConnected(sym.var("data"), weight=weight, num_hidden=2, name="fc")
    module = mx.mod.Module(net, label_names=None)
    module.bind([("data", (2, 3))], for_training=False)
    module.init_params(init)
    found = module.get_params()[0]
    return next(array for name, array in found.items() if name.endswith("weight"))


PLACES: list[Callable[[Any], Any]] = [
    _parameter,
    _initialized,
    _default,
    _collected,
    _block,
    _deferred,
    _set,
    _module,
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", FORMS)
def test_every_form_does_everywhere(form: str, place: Callable[[Any], Any]) -> None:
    np.testing.assert_array_equal(place(FORMS[form]).asnumpy(), np.full((2, 3), 3))


@pytest.mark.parametrize("form", ["initializer", "dumps", "list in JSON", "dict in JSON"])
def test_variables_take_what_has_a_text_form(form: str) -> None:
    weight = sym.var("own_weight", init=FORMS[form])
    np.testing.assert_array_equal(_module(init.One(), weight).asnumpy(), np.full((2, 3), 3))


def test_variables_take_classes() -> None:
    assert sym.var("w", init=init.Xavier).attr("__init__") == init.Xavier().dumps()


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (FORMS["Load"], "Load has no text form"),
        (FORMS["Mixed"], "Mixed has no text form"),
        (_function, "function has no text form"),
        (3, "int has no text form"),
        (np.ones(2), "ndarray has no text form"),
        (init.Constant, "Constant: .* missing 1 required positional argument: 'value'"),
    ],
)
def test_variables_name_what_has_none(given: Any, kind: str) -> None:
    with pytest.raises(GraphError, match=f"variable 'w': init={kind}"):
        sym.var("w", init=given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("constant", "Constant: .* missing 1 required positional argument: 'value'"),
        ('["one"]', r"is not \['name', \{arguments\}\]"),
        ('["one', "is no JSON"),
        ({"value": 3}, "does not name an initializer"),
        (["one", {}], "or the name of one was expected"),
        (3, "or the name of one was expected, not 3"),
        (dict, "or the name of one was expected, not <class 'dict'>"),
    ],
)
@pytest.mark.parametrize("place", [_parameter, _block, _module])
def test_what_is_none_is_named_everywhere(
    place: Callable[[Any], Any], given: Any, message: str
) -> None:
    with pytest.raises(InitializerError, match=message):
        place(given)


def test_fused_weights_name_an_initializer_without_text() -> None:
    with pytest.raises(InitializerError, match="FusedRNN: init must be an Initializer"):
        init.FusedRNN(_function, 2, 1, "lstm")


def test_recurrent_layers_take_classes() -> None:
    kind: Any = Threes
    layer: Any = rnn.LSTM(2, input_size=1, i2h_weight_initializer=kind)
    layer.initialize()
    assert layer.l0_i2h_weight.data().asnumpy().tolist() == [[3.0]] * 8


def test_what_a_constant_writes_is_what_it_is_described_by() -> None:
    constant = init.Constant(nd.ones((2,)))
    assert constant.dumps() == json.dumps(["constant", constant._kwargs])
    assert constant.value.shape == (2,)
