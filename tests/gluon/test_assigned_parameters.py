"""Parameters that are assigned anew, or shared by their places."""

import pickle
from pathlib import Path
from typing import Any

import pytest

from hy_gluon import Constant, HybridBlock, Parameter, Trainer, initializer, nn
from hy_gluon.parameter import MismatchError
from hy_ndarray import ArgumentError, NDArray, autograd, nd


def weight_of(value: float) -> Parameter:
    made = Parameter("weight", shape=(1, 2), init=initializer.Constant(value))
    made.initialize()
    return made


def nested() -> Any:
    net, inner = nn.HybridSequential(), nn.HybridSequential()
    inner.add(nn.Dense(1, in_units=2), nn.Dense(2, in_units=1))
    net.add(inner)
    net.initialize("ones")
    return net


def total(net: Any) -> float:
    found: NDArray = net(nd.ones((1, 2))).sum()
    return float(found.asscalar())


@pytest.mark.parametrize("hybrid", [False, True])
def test_a_net_computes_with_what_is_assigned(hybrid: bool) -> None:
    net = nested()
    net.hybridize(hybrid)
    assert total(net) == 4
    net[0][0].weight = weight_of(2)  # two blocks below the one that was traced
    assert total(net) == 8


def test_what_is_assigned_is_collected_trained_and_named_as_before() -> None:
    net = nested()
    names = list(net.collect_params())
    old, new = net[0][0].weight, weight_of(2)
    net[0][0].weight = new
    assert list(net.collect_params()) == names
    assert [p.name for p in net.collect_params().values()] == names
    assert all(p is not old for p in net.collect_params().values())
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    with autograd.record():
        loss = net(nd.ones((1, 2))).sum()
    loss.backward()
    trainer.step(1)
    assert new.data().asnumpy().tolist() == [[0, 0]]
    assert old.data().asnumpy().tolist() == [[1, 1]]


def test_a_parameter_of_another_block_keeps_its_name() -> None:
    first, second = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
    second.weight = first.weight
    second.initialize()
    assert second.weight.name == f"{first.prefix}weight"
    assert list(second.collect_params()) == [f"{first.prefix}weight", f"{second.prefix}bias"]
    assert first.weight.data() is second.weight.data()


def test_a_third_parameter_of_the_name_is_refused() -> None:
    first, second, third = (nn.Dense(1, in_units=2, prefix=x) for x in ("a_", "b_", "a_"))
    net = nn.Dense(1, params=first.params)
    net.bias = third.bias
    assert next(iter(net.collect_params())) == "a_weight"
    second.bias = first.weight
    with pytest.raises(MismatchError, match="'a_weight' here: another one has that name"):
        second.weight = third.weight
    assert second.weight.name == "b_weight"


def test_graphs_of_other_blocks_go_on() -> None:
    first, second = nn.Dense(1, in_units=2), nn.Dense(1, in_units=2)
    second.share_parameters(first.collect_params())
    first.initialize("ones")
    for net in (first, second):
        net.hybridize()
        assert total(net) == 2
    first.weight = weight_of(3)
    assert (total(first), total(second), total(second)) == (6, 2, 2)


def test_parameters_are_shared_by_their_places() -> None:
    first, second = nested(), nested()
    assert second.share_parameters(first.collect_params(".*weight")) is second
    assert second[0][1].weight is first[0][1].weight
    assert second[0][1].bias is not first[0][1].bias
    second.share_parameters({"0.1.bias": first[0][1].bias, "0.7.bias": first[0][0].bias})
    assert second[0][1].bias is first[0][1].bias
    with pytest.raises(ArgumentError, match="takes a dictionary"):
        second.share_parameters([first[0][1].bias])
    assert second.share_parameters(None) is second


def test_what_a_block_collected_can_be_pickled() -> None:
    params = nested().collect_params()
    assert list(pickle.loads(pickle.dumps(params))) == list(params)  # noqa: S301  # made here


class Scaled(HybridBlock):
    """A layer of MXNet 2's kind: parameters are made where they are assigned."""

    def __init__(self) -> None:
        super().__init__()
        self.scale = Parameter("weight", shape=(2,), init="ones")
        self.shift = Constant([1.0, 2.0])

    def forward(self, x: Any) -> Any:
        return x * self.scale.data() + self.shift.data()


@pytest.mark.parametrize("hybrid", [False, True])
def test_parameters_made_in_a_block_are_collected(hybrid: bool, tmp_path: Path) -> None:
    net: Any = nn.HybridSequential()
    net.add(Scaled(), Scaled())
    net.initialize()
    net.hybridize(hybrid)
    names = [f"{layer.prefix}{name}" for layer in net for name in ("weight", "const")]
    assert list(net.collect_params()) == names
    assert net(nd.ones((1, 2))).asnumpy().tolist() == [[3, 5]]
    net.save_parameters(str(tmp_path / "x.params"))
    net.load_parameters(str(tmp_path / "x.params"))


def test_parameters_are_told_apart_by_an_identifier() -> None:
    first: Any = nn.Dense(1, in_units=2)
    second: Any = nn.Dense(1, in_units=2)
    assert first.weight._uuid != second.weight._uuid
    second.weight = first.weight
    assert first.weight._uuid == second.weight._uuid


def test_a_parameter_whose_name_is_taken_is_not_collected() -> None:
    net: Any = nn.Dense(1, in_units=1)
    net.other = Parameter("weight", shape=(1,))
    assert net.collect_params()[f"{net.prefix}weight"] is net.weight
    assert net.other.name == "weight"
