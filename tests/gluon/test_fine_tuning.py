"""LoRA, averages of parameters, and gradients clipped by their norm in a trainer."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, lora, nn
from hy_gluon.averaging import ParameterAverage
from hy_gluon.lora import LoRAError
from hy_ndarray import ArgumentError, autograd, cpu, nd


def attention(*, hybrid: bool = False) -> Any:
    net = nn.MultiHeadAttention(8, 2, in_units=8)
    net.initialize()
    net.hybridize(hybrid)
    return net


def trained(net: Any, parameters: Any, steps: int = 3) -> None:
    trainer = Trainer(parameters, "adam", {"learning_rate": 0.05})
    x = nd.array(np.random.default_rng(1).normal(size=(2, 5, 8)))
    for _ in range(steps):
        with autograd.record():
            loss = nd.square(net(x)).sum()
        loss.backward()
        trainer.step(1)


@pytest.mark.parametrize("hybrid", [False, True])
def test_lora_begins_as_the_net_trains_beside_it_and_merges(hybrid: bool, tmp_path: Path) -> None:
    net, x = attention(hybrid=hybrid), nd.random.normal(shape=(2, 5, 8))
    before, frozen = net(x).asnumpy(), net.query.weight.data().asnumpy()
    chosen = lora.wrap(net, rank=2, alpha=4, layers=("query", "out"))
    np.testing.assert_array_equal(net(x).asnumpy(), before)
    trained(net, chosen)
    after = net(x).asnumpy()
    assert np.abs(after - before).max() > 1e-3
    np.testing.assert_array_equal(net.query.weight.data().asnumpy(), frozen)
    lora.save(net, tmp_path / "adapter.safetensors")
    lora.merge(net)
    assert type(net.query) is nn.Dense
    assert not any("lora" in name for name in net.collect_params())
    np.testing.assert_allclose(net(x).asnumpy(), after, rtol=1e-4, atol=1e-5)
    trained(net, net.collect_params())  # all learn again


def test_lora_is_saved_apart_and_loaded(tmp_path: Path) -> None:
    net, x = attention(), nd.random.normal(shape=(1, 3, 8))
    net.save_parameters(str(tmp_path / "base"))
    trained(net, lora.wrap(net, 2, 8.0))
    lora.save(net, tmp_path / "adapter.safetensors")
    other = attention()
    other.load_parameters(str(tmp_path / "base"))
    lora.wrap(other, 2)
    lora.load(other, tmp_path / "adapter.safetensors")
    np.testing.assert_array_equal(other(x).asnumpy(), net(x).asnumpy())
    third = attention()
    lora.wrap(third, 2, layers=("key",))
    with pytest.raises(LoRAError, match=r"differ in key\.lora_down"):
        lora.load(third, tmp_path / "adapter.safetensors")
    third = attention()
    lora.wrap(third, 3)
    with pytest.raises(LoRAError, match=r"has shape \(2, 8\), not \(3, 8\)"):
        lora.load(third, tmp_path / "adapter.safetensors")


def test_lora_names_what_it_does_not_find(tmp_path: Path) -> None:
    net = attention()
    with pytest.raises(LoRAError, match="is called queri"):
        lora.wrap(net, layers=("queri",))
    with pytest.raises(LoRAError, match="add them by wrap first"):
        lora.save(net, tmp_path / "adapter.safetensors")
    lora.wrap(net)
    with pytest.raises(LoRAError, match="merge them first"):
        lora.wrap(net)


def test_lora_is_in_front_of_an_activation() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(3, "relu", in_units=2))
    net.initialize()
    lora.wrap(net, 1, layers=("0",))["0.lora_up"].set_data(nd.array([[9], [-9], [0]]))
    x = nd.array([[1, -2], [-3, 1]])
    found = net(x).asnumpy()
    assert found.min() == 0
    lora.merge(net)
    np.testing.assert_allclose(net(x).asnumpy(), found, rtol=1e-5, atol=1e-6)


def test_averages_follow_their_rule_and_survive_a_file(tmp_path: Path) -> None:
    net = nn.Dense(2, in_units=3)
    net.initialize()
    average = ParameterAverage(net, 0.9)
    expected = net.weight.data().asnumpy()
    for step in range(1, 4):
        net.weight.set_data(net.weight.data() * 2 + step)
        average.update()
        decay = min(0.9, (1 + step) / (10 + step))
        expected = expected * decay + net.weight.data().asnumpy() * (1 - decay)
    last = net.weight.data().asnumpy()
    with average.applied():
        np.testing.assert_allclose(net.weight.data().asnumpy(), expected, rtol=1e-5)
    np.testing.assert_array_equal(net.weight.data().asnumpy(), last)
    average.save(tmp_path / "average")
    other = ParameterAverage(net, 0.9)
    other.load(tmp_path / "average")
    assert other.steps == 3
    np.testing.assert_array_equal(
        other.values["weight"].asnumpy(), average.values["weight"].asnumpy()
    )
    with pytest.raises(ArgumentError, match="no averages"):
        ParameterAverage({"other": net.weight}).load(tmp_path / "average")
    with pytest.raises(ArgumentError, match="decay=2"):
        ParameterAverage(net, 2)


@pytest.mark.parametrize("batch_size", [1, 4])
def test_a_trainer_clips_gradients_by_their_norm(batch_size: int) -> None:
    net = nn.Dense(1, in_units=2, use_bias=True)
    net.initialize("ones")
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0}, max_norm=0.5)
    with autograd.record():
        loss = (net(nd.array([[2, 1]])) * 10 * batch_size).sum()
    loss.backward()
    trainer.step(batch_size)
    slope = np.array([20, 10, 10])
    step = slope / np.linalg.norm(slope) * 0.5
    np.testing.assert_allclose(net.weight.data().asnumpy()[0], 1 - step[:2], rtol=1e-5)
    with autograd.record():
        loss = (net(nd.array([[0.2, 0.1]])) * batch_size).sum()
    loss.backward()
    before = net.weight.data().asnumpy()[0]
    trainer._max_norm = 10.0
    trainer.step(batch_size)
    np.testing.assert_allclose(net.weight.data().asnumpy()[0], before - [0.2, 0.1], rtol=1e-5)


def test_clipping_by_norm_sees_the_sum_of_several_contexts() -> None:
    net = nn.Dense(1, in_units=2, use_bias=False)
    net.initialize("ones", ctx=[cpu(0), cpu(1)])
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 1.0}, max_norm=1.0)
    for context in (cpu(0), cpu(1)):
        with autograd.record():
            loss = net(nd.array([[3, 4]], ctx=context)).sum()
        loss.backward()
    trainer.step(1)
    for context in (cpu(0), cpu(1)):
        weight = net.weight.data(context).asnumpy()
        np.testing.assert_allclose(weight, [[1 - 0.6, 1 - 0.8]], rtol=1e-5)


def test_clipping_by_norm_refuses_what_it_cannot_do() -> None:
    net = nn.Dense(1, in_units=2)
    net.initialize()
    with pytest.raises(ArgumentError, match="update_on_kvstore=True"):
        Trainer(net.collect_params(), "sgd", update_on_kvstore=True, max_norm=1.0)
    with pytest.raises(ArgumentError, match="max_norm=0"):
        Trainer(net.collect_params(), "sgd", max_norm=0)
