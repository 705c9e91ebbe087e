"""Trainer: steps, contexts, stale gradients, settings, saved states."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import DeferredInitializationError, Parameter, ParameterDict, Trainer
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import SGD, OptimizerError, StatesError
from hy_gluon.trainer import StaleGradientError
from hy_ndarray import ArgumentError, autograd, cpu, nd


def params(ctx: Any = None, **kwargs: Any) -> ParameterDict:
    """Two parameters of ones; ``net_b`` comes first in a trainer."""
    made = ParameterDict("net_")
    for name in ("w", "b"):
        made.get(name, shape=(2,), init="ones", **kwargs)
    made.initialize(ctx=ctx)
    return made


def backward(learned: Any, *names: str) -> None:
    """Gradients of 1 on the first context, 2 on the second, ..."""
    with autograd.record():
        losses = [
            (i + 1) * sum(learned[name].data(ctx).sum() for name in names or learned.keys())
            for i, ctx in enumerate(learned["net_w"].list_ctx())
        ]
    autograd.backward(losses)


def value(learned: ParameterDict, name: str, ctx: Any = None) -> float:
    values = learned[name].data(ctx).asnumpy()
    assert (values == values[0]).all()
    return float(values[0])


def test_a_step_divides_by_the_batch_size() -> None:
    learned = params()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.5})
    backward(learned)
    trainer.step(4)
    assert value(learned, "net_w") == 1 - 0.5 / 4


@pytest.mark.parametrize(
    "optimizer",
    [
        ("sgd", {"learning_rate": 0.5, "rescale_grad": 3.0}),
        (SGD(learning_rate=0.5, rescale_grad=3.0), None),
    ],
    ids=["name", "object"],
)
def test_rescaling_of_the_optimizer_multiplies(optimizer: Any) -> None:
    learned = params()
    trainer = Trainer(learned, *optimizer)
    backward(learned)
    trainer.step(4)
    assert value(learned, "net_w") == 1 - 0.5 * 3 / 4


@pytest.mark.parametrize("store", ["device", "local", "teststore"])
def test_several_contexts_stay_equal(store: Any) -> None:
    learned = params([cpu(0), cpu(1)])
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25, "momentum": 0.5}, kvstore=store)
    for expected in (0.25, -0.875):
        backward(learned)
        trainer.step(1)
        assert value(learned, "net_w", cpu(0)) == value(learned, "net_w", cpu(1)) == expected


def test_gradients_can_be_summed_changed_and_then_used() -> None:
    learned = params([cpu(0), cpu(1)])
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25}, update_on_kvstore=False)
    backward(learned)
    trainer.allreduce_grads()
    for gradient in learned["net_w"].list_grad():
        assert gradient.asnumpy().tolist() == [3, 3]
        gradient[:] = gradient / 3
    trainer.update(1)
    assert value(learned, "net_w", cpu(0)) == value(learned, "net_w", cpu(1)) == 0.75
    assert value(learned, "net_b", cpu(1)) == 0.25


def test_no_store_leaves_summing_to_the_caller() -> None:
    learned = params([cpu(0), cpu(1)])
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25}, kvstore=None)
    backward(learned)
    trainer.step(1)
    assert (value(learned, "net_w", cpu(0)), value(learned, "net_w", cpu(1))) == (0.75, 0.5)


SUMMED = {
    ("sgd", 1): [[0.613992, 0.144272, 0.705804]],
    ("sgd", 2): [[-0.488888, -0.795168, 0.462712]] * 2,
    ("adam", 1): [[0.399997, 0.404385, 0.701584]],
    ("adam", 2): [[0.399996, 0.4099, 0.701584]] * 2,
}
"""Weight and bias on each context after three steps, by optimizer and number of contexts."""
APART = {
    ("sgd", 2): [[0.613992, 0.144272, 0.705804], [-0.213168, -0.049728, 0.705804]],
    ("adam", 2): [[0.399997, 0.404385, 0.701584], [0.399996, 0.41536, 0.701584]],
}
"""The same where nothing sums the gradients."""
OPTIONS: dict[str, dict[str, Any]] = {
    "sgd": {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.1},
    "adam": {"learning_rate": 0.1},
}


@pytest.mark.parametrize("on_store", [None, True, False])
@pytest.mark.parametrize("store", ["device", "local", None])
@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("name", OPTIONS)
def test_every_store_gives_mxnets_numbers(
    name: str, count: int, store: str | None, on_store: bool | None
) -> None:
    contexts = [cpu(i) for i in range(count)]
    learned = ParameterDict("net_")
    weight = learned.get("weight", shape=(2,), init="ones", lr_mult=2)
    bias = learned.get("bias", shape=(1,), init="ones", wd_mult=0.5)
    learned.initialize(ctx=contexts)
    trainer = Trainer(learned, name, OPTIONS[name], kvstore=store, update_on_kvstore=on_store)
    for step in range(3):
        losses = []
        with autograd.record():
            for i, ctx in enumerate(contexts):
                x = nd.array([1 + i, 2 - i + step], ctx=ctx)
                product = (weight.data(ctx) * x).sum() * (i + 1)
                losses.append(product + (bias.data(ctx) ** 2).sum())
        autograd.backward(losses)
        trainer.step(4)
    found = [[*weight.data(c).asnumpy(), *bias.data(c).asnumpy()] for c in contexts]
    expected = APART if store is None and count > 1 else SUMMED
    np.testing.assert_allclose(found, expected[name, count], rtol=2e-5)


def test_a_gradient_is_used_once() -> None:
    learned = params()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.5})
    message = (
        r"Parameter `net_b` on context cpu\(0\) has not been updated by backward since last `step`"
    )
    with pytest.raises(StaleGradientError, match=message) as caught:
        trainer.step(1)
    assert isinstance(caught.value, UserWarning)  # what MXNet raises
    backward(learned)
    trainer.step(1)
    with pytest.raises(StaleGradientError):
        trainer.step(1)
    assert value(learned, "net_w") == 0.5


def test_stale_gradients_can_be_left_alone() -> None:
    learned = params()
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.5})
    backward(learned, "net_w")
    with pytest.raises(StaleGradientError, match=r"net_b.*ignore_stale_grad=True"):
        trainer.step(1)
    assert (value(learned, "net_w"), value(learned, "net_b")) == (1, 1)
    trainer.step(1, ignore_stale_grad=True)
    assert (value(learned, "net_w"), value(learned, "net_b")) == (0.5, 1)
    trainer.step(1, ignore_stale_grad=True)
    assert value(learned, "net_w") == 0.5


def test_added_gradients_are_fresh_after_each_backward() -> None:
    learned = params(grad_req="add")
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.5})
    for _ in range(2):
        backward(learned)
    trainer.step(1)
    assert value(learned, "net_w") == 0


def test_parameters_without_gradient_are_skipped() -> None:
    learned = params()
    learned["net_b"].grad_req = "null"
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.5})
    backward(learned)
    trainer.step(1)
    assert (value(learned, "net_w"), value(learned, "net_b")) == (0.5, 1)


def test_factors_of_parameters_count() -> None:
    learned = params()
    learned["net_w"].lr_mult = 2.0
    learned["net_b"].wd_mult = 0.0
    trainer = Trainer(learned, "sgd", {"learning_rate": 0.25, "wd": 0.5})
    backward(learned)
    trainer.step(1)
    assert value(learned, "net_w") == 1 - 0.5 * (1 + 0.5)
    assert value(learned, "net_b") == 1 - 0.25


def test_steps_may_be_taken_while_recording() -> None:
    learned = params()
    trainer = Trainer(learned, "adam")
    with autograd.record():
        loss = learned["net_w"].data() * learned["net_b"].data()
        loss.backward()
        trainer.step(1)
    assert value(learned, "net_w") == pytest.approx(0.999)


def test_parameters_come_in_lists_and_mappings() -> None:
    learned = params()
    listed = list(learned.values())
    assert [p.name for p in Trainer(listed, "sgd")._params] == ["net_w", "net_b"]
    assert [p.name for p in Trainer(learned, "sgd")._params] == ["net_b", "net_w"]
    assert Trainer(dict(learned.items()), "sgd")._param2idx == {"net_b": 0, "net_w": 1}


def test_an_optimizer_can_be_given() -> None:
    learned = params()
    made = SGD(learning_rate=0.125)
    trainer = Trainer(learned, made)
    assert trainer.optimizer is made
    assert trainer.learning_rate == 0.125
    trainer.set_learning_rate(0.5)
    backward(learned)
    trainer.step(1)
    assert value(learned, "net_w") == 0.5


def test_a_schedule_decides_the_rate() -> None:
    schedule = FactorScheduler(1, 0.5, base_lr=0.5)
    trainer = Trainer(params(), "sgd", {"lr_scheduler": schedule})
    assert trainer.learning_rate == 0.5
    with pytest.raises(
        OptimizerError, match="LRScheduler of the optimizer has already been defined"
    ):
        trainer.set_learning_rate(0.1)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([1, 2], "sgd"), ArgumentError, "not a int among them; .* are net.collect_params"),
        (([], "sgd", 0.1), ArgumentError, r"such as \{'learning_rate': 0.1\}, not 0.1"),
        ((3, "sgd"), ArgumentError, "a list or dictionary of Parameters, not a int"),
        (([], SGD(), {"wd": 1.0}), ArgumentError, "optimizer_params must be None"),
        (([], "sgdd"), OptimizerError, "Cannot find optimizer sgdd"),
    ],
)
def test_wrong_arguments_are_named(arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        Trainer(*arguments)


@pytest.mark.parametrize("contexts", [[cpu(0)], [cpu(0), cpu(1)]], ids=["one", "two"])
@pytest.mark.parametrize("optimizer", ["sgd", "adam"])
def test_parameters_of_one_name_are_all_updated(contexts: list[Any], optimizer: str) -> None:
    def stepped(*names: str) -> list[list[float]]:
        learned = [Parameter(name, shape=(2,)) for name in names]
        for parameter in learned:
            parameter.initialize(init="ones", ctx=contexts)
        trainer = Trainer(learned, optimizer, {"learning_rate": 0.1})
        for _ in range(2):
            with autograd.record():
                copies = zip(*(parameter.list_data() for parameter in learned), strict=True)
                losses = [(a * 2 + b * b * 3).sum() for a, b in copies]
            autograd.backward(losses)
            trainer.step(1)
        return [parameter.data(contexts[0]).asnumpy().tolist() for parameter in learned]

    assert stepped("w", "w") == stepped("a", "b")


def test_parameters_must_be_where_the_others_are() -> None:
    learned = params()
    learned["net_w"].reset_ctx(cpu(1))
    with pytest.raises(ArgumentError, match=r"'net_w' is on \[cpu\(1\)\], 'net_b' on \[cpu\(0\)\]"):
        Trainer(learned, "sgd").step(1)


ONE, BOTH, OTHER = [cpu(0)], [cpu(0), cpu(1)], [cpu(1)]
MOVES: list[tuple[list[Any], list[Any], str, list[float]]] = [
    # what MXNet 1.9.1 gives in steps 4 and 5 on the first context, the gradient doubled for two
    (ONE, OTHER, "sgd", [0.0951, -0.31441]),
    (BOTH, ONE, "sgd", [-1.5147, -2.36323]),
    (BOTH, OTHER, "sgd", [-1.5147, -2.36323]),
    (BOTH, ONE, "adam", [0.60857, 0.5225]),
]


@pytest.mark.parametrize(("before", "after", "rule", "expected"), MOVES)
def test_parameters_may_move_between_steps(
    before: list[Any], after: list[Any], rule: str, expected: list[float]
) -> None:
    learned = params(before)
    settings = {"learning_rate": 0.1, **({"momentum": 0.9} if rule == "sgd" else {})}
    trainer = Trainer(learned, rule, settings)
    for _ in range(3):
        backward(learned)
        trainer.step(1)
    learned.reset_ctx(after)
    for wanted in expected:
        backward(learned)
        trainer.step(1)
        assert value(learned, "net_w") == pytest.approx(wanted, abs=2e-5)


@pytest.mark.parametrize("rule", ["sgd", "adam", "lars", "ftml"])
@pytest.mark.parametrize("stepped", [False, True])
@pytest.mark.parametrize("after", [BOTH, OTHER, [cpu(1), cpu(0)], [cpu(1), cpu(2), cpu(3)]])
def test_a_move_changes_no_step(after: list[Any], stepped: bool, rule: str) -> None:
    found = []
    for moves in (False, True):
        contexts, learned = ONE, params(ONE)
        settings = {"learning_rate": 0.1, **({"momentum": 0.9} if rule in ("sgd", "lars") else {})}
        trainer = Trainer(learned, rule, settings)
        for i in range(6):
            if moves and i == (3 if stepped else 0):
                learned.reset_ctx(after)
            contexts = learned["net_w"].list_ctx()
            with autograd.record():
                losses = [sum(p.data(c).sum() for p in learned.values()) for c in contexts]
            autograd.backward(losses)
            trainer.step(len(contexts))
        rows = [[value(learned, "net_w", c), value(learned, "net_b", c)] for c in contexts]
        assert rows == [rows[0]] * len(contexts)
        found.append(rows[0])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_lars_scales_biases_too_because_a_trainer_gives_no_names() -> None:
    learned = ParameterDict("net_")
    learned.get("bias", shape=(2,), init="ones")
    learned.initialize()
    trainer = Trainer(learned, "lars", {"learning_rate": 1.0, "eta": 0.1})
    with autograd.record():
        loss = (learned["net_bias"].data() * nd.array([1.0, 3.0])).sum()
    loss.backward()
    trainer.step(1)
    moved = 1 - learned["net_bias"].data().asnumpy()
    np.testing.assert_allclose(moved, 0.1 * 2**0.5 / 10**0.5 * np.array([1, 3]), rtol=1e-5)


def test_states_are_written_by_the_names_of_mxnets_own_trainer() -> None:
    learned = params()
    waiting = Parameter("net_c", shape=(0, 2), allow_deferred_init=True)
    waiting.initialize()
    trainer = Trainer([*learned.values(), waiting], "sgd", {"momentum": 0.9})
    assert trainer._params_to_init == [waiting]
    waiting.shape = (3, 2)
    waiting._finish_deferred_init()
    assert trainer._params_to_init == []
    trainer._init_params()
    assert trainer._kv_initialized
    assert trainer._updaters[0].get_states(dump_optimizer=False)


def test_parameters_that_wait_cannot_be_updated() -> None:
    learned = ParameterDict("net_")
    learned.get("w", shape=(0,), allow_deferred_init=True)
    learned.initialize()
    with pytest.raises(DeferredInitializationError, match="'net_w'"):
        Trainer(learned, "sgd").step(1)


@pytest.mark.parametrize("contexts", [[cpu(0)], [cpu(0), cpu(1)]], ids=len)
@pytest.mark.parametrize("when", ["before", "after"])
def test_saved_states_continue_the_trajectory(
    contexts: list[Any], when: str, tmp_path: Path
) -> None:
    file = str(tmp_path / "trainer.states")
    learned = params(contexts)
    trainer = Trainer(learned, "adam", {"learning_rate": 0.25})
    for _ in range(3):
        backward(learned)
        trainer.step(1)
    trainer.save_states(file)
    twin = params(contexts)
    for name in twin:
        twin[name].set_data(learned[name].data(contexts[0]))
    other = Trainer(twin, "adam", {"learning_rate": 9.0})
    if when == "after":
        other._init_kvstore()
    other.load_states(file)
    assert other.learning_rate == 0.25
    for _ in range(2):
        for net, steps in ((learned, trainer), (twin, other)):
            backward(net)
            steps.step(1)
    for ctx in contexts:
        assert value(twin, "net_w", ctx) == value(learned, "net_w", ctx)
    assert other.optimizer.param_dict[0] is twin["net_b"]


OF_MXNET = Path(__file__).parent / "data" / "trainer"
WEIGHTS = json.loads((OF_MXNET / "weights.json").read_text(encoding="utf-8"))
"""By optimizer: the weights when MXNet 1.9.1 saved the states, two steps later, and the rate."""


@pytest.mark.parametrize("made", ["as saved", "of another kind"])
@pytest.mark.parametrize("name", WEIGHTS)
def test_states_that_mxnet_saved_continue_its_trajectory(name: str, made: str) -> None:
    before, after, rate = WEIGHTS[name]
    learned = ParameterDict("net_")
    weight = learned.get("weight", shape=(2, 2))
    learned.initialize()
    weight.set_data(nd.array(before).reshape((2, 2)))
    trainer = Trainer(learned, name if made == "as saved" else "adagrad")
    trainer.load_states(str(OF_MXNET / f"{name}.states"))
    for step in (3, 4):
        with autograd.record():
            loss = ((weight.data() * nd.array([[1, -2], [step, 3]]) - 1) ** 2).sum()
        loss.backward()
        trainer.step(2)
    np.testing.assert_allclose(weight.data().asnumpy().ravel(), after, rtol=1e-5, atol=1e-6)
    assert trainer.learning_rate == rate


def test_damaged_states_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "trainer.states"
    trainer = Trainer(params(), "sgd")
    trainer.save_states(str(file))
    trainer.load_states(str(file))
    file.write_bytes(file.read_bytes()[:-5])
    with pytest.raises(StatesError, match="damaged") as caught:
        trainer.load_states(str(file))
    assert f"in file {file}" in caught.value.__notes__


def test_a_net_learns(rng: np.random.Generator) -> None:
    true = rng.normal(size=(3, 1))
    x = rng.normal(size=(64, 3))
    weight = Parameter("weight", shape=(3, 1))
    weight.initialize("zeros")
    trainer = Trainer([weight], "sgd", {"learning_rate": 0.3})
    data, target = nd.array(x), nd.array(x @ true)
    for _ in range(60):
        with autograd.record():
            loss = nd.square(nd.dot(data, weight.data()) - target)
        loss.backward()
        trainer.step(len(x))
    np.testing.assert_allclose(weight.data().asnumpy(), true, atol=1e-3)


@pytest.mark.parametrize("nothing", [[], {}, (), ParameterDict()])
@pytest.mark.parametrize("store", ["device", None])
def test_a_trainer_of_no_parameters_takes_steps(
    nothing: Any, store: str | None, tmp_path: Path
) -> None:
    trainer = Trainer(nothing, "adam", {"learning_rate": 0.1}, kvstore=store)
    trainer.step(1)
    trainer.allreduce_grads()
    trainer.update(1, ignore_stale_grad=True)
    trainer.save_states(str(tmp_path / "states"))
    trainer.load_states(str(tmp_path / "states"))
    assert trainer.learning_rate == 0.1
