"""Lion, Adafactor, Muon, schedule-free SGD and AdamW: weights as PyTorch's, and their averages."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Trainer, nn, optimizer
from hy_gluon.kvstore import KVStoreError
from hy_gluon.kvstore.teststore import TestStore
from hy_gluon.optimizer import Optimizer, OptimizerError, StatesError, Updater
from hy_gluon.parameter import Parameter
from hy_ndarray import autograd, cpu, nd

NUMBERS: dict[str, Any] = json.loads(
    (Path(__file__).parent / "numbers" / "recent_optimizers.json").read_text()
)
MADE: dict[str, Any] = {
    "lion": lambda: optimizer.Lion(0.05, 0.8, 0.9, wd=0.1),
    "adafactor": lambda: optimizer.Adafactor(0.3, wd=0.1),
    "muon": lambda: optimizer.Muon(0.1, wd=0.1),
    "muon_rms": lambda: optimizer.Muon(0.1, adjust="match_rms_adamw", nesterov=False),
    "schedulefreesgd": lambda: optimizer.ScheduleFreeSGD(0.2, 0.8, wd=0.1),
    "schedulefreeadamw": lambda: optimizer.ScheduleFreeAdamW(0.1, 0.8, 0.9, wd=0.1),
}


def after(made: Optimizer, name: str) -> Any:
    """A weight after all steps."""
    update, weight = Updater(made), nd.array(NUMBERS["first"][name])
    for slopes in NUMBERS["slopes"]:
        update(0, nd.array(slopes[name]), weight)
    return weight.asnumpy()


@pytest.mark.parametrize("kind", MADE)
def test_weights_are_those_of_torch(kind: str) -> None:
    # Torch orthogonalises in bfloat16, whose errors the steps there leave in the second digit.
    loose = kind.startswith("muon")
    for name, expected in NUMBERS[kind].items():
        error = np.abs(after(MADE[kind](), name) - expected).max()
        assert error < (0.02 if loose else 2e-6), (name, error)


def test_muon_makes_singular_values_alike(rng: np.random.Generator) -> None:
    slope = rng.normal(size=(8, 5)) @ np.diag([100, 10, 1, 0.3, 0.1])
    weight = nd.zeros((8, 5))
    Updater(optimizer.Muon(1.0, momentum=0.0, nesterov=False))(0, nd.array(slope), weight)
    sizes = np.linalg.svd(weight.asnumpy(), compute_uv=False) / np.sqrt(8 / 5)
    assert sizes[0] < 1.3
    assert sizes[1] > 0.6


def test_muon_takes_what_is_no_hidden_matrix_as_adamw() -> None:
    parameters = [
        Parameter(name, shape=shape)
        for name, shape in (("net_embedding_weight", (3, 5)), ("net_bias", (3,)))
    ]
    for parameter in parameters:
        parameter.initialize("ones")
    trainer = Trainer(parameters, optimizer.Muon(0.1, epsilon=1e-8))
    twins = [parameter.data().copy() for parameter in parameters]
    other = Updater(optimizer.AdamW(0.1, 0.9, 0.95))
    for _ in range(3):
        with autograd.record():
            (parameters[0].data().sum() ** 2 + parameters[1].data().sum()).backward()
        for k, (parameter, twin) in enumerate(zip(parameters, twins, strict=True)):
            other(k, parameter.grad(), twin)
        trainer.step(1)
    for parameter, twin in zip(parameters, twins, strict=True):
        np.testing.assert_allclose(parameter.data().asnumpy(), twin.asnumpy(), rtol=1e-5)


def test_an_unknown_adjustment_is_refused() -> None:
    with pytest.raises(OptimizerError, match="adjust='rms'"):
        optimizer.Muon(adjust="rms")


@pytest.mark.parametrize("kind", ["schedulefreesgd", "schedulefreeadamw"])
def test_averages_are_those_of_torch_and_for_a_while(kind: str) -> None:
    parameter = Parameter("weight", shape=(3, 5))
    parameter.initialize()
    parameter.set_data(nd.array(NUMBERS["first"]["wide"]))
    trainer = Trainer([parameter], MADE[kind]())
    for slopes in NUMBERS["slopes"]:
        with autograd.record():
            loss = (parameter.data() * nd.array(slopes["wide"])).sum()
        loss.backward()
        trainer.step(1)
    between = parameter.data().asnumpy()
    rule: Any = trainer.optimizer
    with rule.averaged(trainer):
        mean = parameter.data().asnumpy()
    expected = NUMBERS[f"{kind} averaged"]["wide"]
    np.testing.assert_allclose(mean, expected, rtol=1e-5, atol=2e-6)
    np.testing.assert_array_equal(parameter.data().asnumpy(), between)


@pytest.mark.parametrize("kind", ["schedulefreesgd", "schedulefreeadamw"])
def test_averages_without_momentum_are_means_of_the_weights(kind: str) -> None:
    parameter = Parameter("weight", shape=(3,))
    parameter.initialize("ones")
    trainer = Trainer([parameter], kind, {"learning_rate": 0.1, "momentum": 0})
    weights = []
    for step in range(4):
        with autograd.record():
            loss = (parameter.data() ** 2 * nd.array([1, 2, 3 + step])).sum()
        loss.backward()
        trainer.step(1)
        weights.append(parameter.data().asnumpy())
    rule: Any = trainer.optimizer
    with rule.averaged(trainer):
        mean = parameter.data().asnumpy()
    # At a constant rate all weights count alike.
    np.testing.assert_allclose(mean, np.mean(weights, axis=0), rtol=1e-6)
    assert np.abs(mean - weights[-1]).min() > 1e-3


@pytest.mark.parametrize("on_store", [True, False])
def test_averages_are_on_all_contexts(on_store: bool) -> None:
    contexts = [cpu(0), cpu(1)]
    net = nn.Dense(1, in_units=2)
    net.initialize("ones", ctx=contexts)
    trainer = Trainer(net.collect_params(), MADE["schedulefreesgd"](), update_on_kvstore=on_store)
    for _ in range(2):
        with autograd.record():
            losses = [net(nd.array([[3, 4]], ctx=context)).sum() for context in contexts]
        autograd.backward(losses)
        trainer.step(1)
    before = net.weight.data().asnumpy()
    rule: Any = trainer.optimizer
    with rule.averaged(trainer):
        first, second = (net.weight.data(context).asnumpy() for context in contexts)
        np.testing.assert_array_equal(first, second)
        assert np.abs(first - before).min() > 1e-3
    for context in contexts:
        np.testing.assert_array_equal(net.weight.data(context).asnumpy(), before)


def test_averages_refuse_a_store_that_keeps_the_states_to_itself() -> None:
    class Own(TestStore):
        @staticmethod
        def is_capable(capability: str) -> bool:
            return capability == "optimizer"

        def set_optimizer(self, optimizer: Any) -> None:
            self.optimizer = optimizer

    net = nn.Dense(1, in_units=2)
    net.initialize()
    trainer = Trainer(net.collect_params(), MADE["schedulefreesgd"](), kvstore=Own())
    rule: Any = trainer.optimizer
    with pytest.raises(KVStoreError, match="states"), rule.averaged(trainer):
        pass


def test_loading_states_keeps_the_shapes_of_weights_without_parameters() -> None:
    update, weight = Updater(optimizer.Muon(0.1)), nd.ones((2, 4))
    update(3, nd.ones((2, 4)), weight)
    made = optimizer.Muon(0.1)
    Updater(made).set_states(update.get_states(dump_optimizer=True))
    assert made._shapes == {3: (2, 4)}


@pytest.mark.parametrize("first", [0, 1])
def test_states_of_muon_load_whichever_parameter_is_the_first(first: int, tmp_path: Path) -> None:
    parameters = [Parameter("net_bias", shape=(3,)), Parameter("net_weight", shape=(3, 2))]
    if first:
        parameters.reverse()
    for parameter in parameters:
        parameter.initialize("ones")
    trainer = Trainer(parameters, "muon")
    with autograd.record():
        loss = sum((parameter.data() ** 2).sum() for parameter in parameters)
    loss.backward()
    trainer.step(1)
    trainer.save_states(str(tmp_path / "states"))
    trainer.load_states(str(tmp_path / "states"))
    assert [isinstance(trainer._updaters[0].states[k], tuple) for k in (first, 1 - first)] == [
        True,
        False,
    ]
    trainer._updaters[0].states[first] = trainer._updaters[0].states[1 - first]
    trainer.save_states(str(tmp_path / "states"))
    with pytest.raises(StatesError, match="another structure"):
        trainer.load_states(str(tmp_path / "states"))


@pytest.mark.parametrize("kind", MADE)
def test_states_are_saved_and_loaded(kind: str, tmp_path: Path) -> None:
    def trained(steps: int, states: Path | None) -> tuple[Any, Trainer]:
        net = nn.HybridSequential(prefix="net_")
        with net.name_scope():
            net.add(nn.Dense(4, in_units=3), nn.Dense(1, in_units=4))
        net.initialize("ones")
        trainer = Trainer(net.collect_params(), MADE[kind]())
        if states is not None:
            net.load_parameters(str(tmp_path / "net"))
            trainer.load_states(str(states))
        for step in range(steps):
            with autograd.record():
                loss = nd.sin(net(nd.array([[1, 2, 3 + step % 2]]))).sum()
            loss.backward()
            trainer.step(1)
        return net, trainer

    net, trainer = trained(2, None)
    net.save_parameters(str(tmp_path / "net"))
    trainer.save_states(str(tmp_path / "states"))
    resumed, _ = trained(2, tmp_path / "states")
    whole, _ = trained(4, None)
    for one, other in zip(
        resumed.collect_params().values(), whole.collect_params().values(), strict=True
    ):
        np.testing.assert_allclose(one.data().asnumpy(), other.data().asnumpy(), rtol=1e-6)
