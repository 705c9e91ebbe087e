"""Objects that MXNet 1.9.1 pickled do what they did there, and can be pickled again."""

import base64
import json
import pickle
from typing import Any

import numpy as np
import pytest

import mxnet as mx
from hy_symbol import GraphFormatError
from tests.gluon.numbers.pickled_rows import OBJECTS, PICKLED

OF_MXNET: dict[str, Any] = json.loads(PICKLED.read_text())


def unpickled(name: str) -> Any:
    return pickle.loads(base64.b85decode(OF_MXNET[name]["pickle"]))  # noqa: S301  # our own file


def assert_same(found: Any, wanted: Any) -> None:
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            assert_same(found[key], value)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for one, other in zip(found, wanted, strict=True):
            assert_same(one, other)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=1e-5, abs=1e-6, nan_ok=True)
    else:
        assert found == wanted


def test_every_row_is_there() -> None:
    assert OF_MXNET.keys() == OBJECTS.keys()


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_mxnet_do_what_they_did(name: str) -> None:
    assert_same(OBJECTS[name].ask(unpickled(name)), OF_MXNET[name]["answer"])


@pytest.mark.parametrize("name", OBJECTS)
def test_objects_of_mxnet_are_pickled_again(name: str) -> None:
    again = pickle.loads(pickle.dumps(unpickled(name)))  # noqa: S301  # from the line itself
    if name != "gradients":  # copies begin with none
        assert_same(OBJECTS[name].ask(again), OF_MXNET[name]["answer"])


def test_a_trainer_of_mxnet_goes_on_with_its_net() -> None:
    net, trainer = unpickled("trainer")
    with mx.autograd.record():
        loss = (net(mx.nd.ones((1, 2))) ** 2).sum()
    loss.backward()
    trainer.step(1)
    np.testing.assert_allclose(net.weight.data().asnumpy(), [[0.894355, 0.894355]], rtol=1e-5)


def test_a_pickled_symbol_without_a_graph_is_refused() -> None:
    pickled = b"cmxnet.symbol.symbol\nSymbol\n(Ntp0\nR(dVhandle\nVno graph\nsb."
    with pytest.raises(GraphFormatError):
        pickle.loads(pickled)  # noqa: S301  # from the line before


def test_values_of_gpus_that_are_not_there_are_on_the_cpu() -> None:
    state = OBJECTS["dense"].make().weight.__getstate__()
    ones = mx.nd.ones((2, 3))
    gpus = {"_ctx_list": [mx.gpu(98), mx.gpu(99)], "_data": [ones, ones], "_grad": None}
    parameter = mx.gluon.Parameter("d_weight")
    parameter.__setstate__(state | gpus)
    assert parameter.list_ctx() == [mx.cpu()]
    np.testing.assert_array_equal(parameter.data().asnumpy(), ones.asnumpy())
