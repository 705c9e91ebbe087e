"""TrainStep: the same weights, states, counts and gradients as the ordinary loop."""

from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Block, HybridBlock, Trainer, TrainStep, amp, nn
from hy_gluon.loss import L2Loss, SoftmaxCrossEntropyLoss
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import SGD, Optimizer
from hy_gluon.utils import split_and_load
from hy_ndarray import (
    NDArray,
    autograd,
    cpu,
    nd,
    random,
)
from tests.gluon.train_step_case import (
    agree,
    batches,
    classifier,
    looped,
    pair,
    states,
    trained_alike,
    values,
)

OPTIMIZERS: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9, "wd": 0.01}),
    ("adam", {"wd": 0.01}),
    ("adam", {"clip_gradient": 0.01}),
    ("nag", {"momentum": 0.9}),
    ("signum", {}),
    ("dcasgd", {"momentum": 0.9}),
    ("adamw", {"wd": 0.01}),
    ("adamax", {}),
    ("nadam", {}),
    ("ftml", {}),
    ("adagrad", {}),
    ("adadelta", {}),
    ("adabelief", {}),
    ("rmsprop", {"centered": True}),
    ("ftrl", {}),
    ("lars", {"momentum": 0.9}),
    ("lamb", {}),
    ("lans", {}),
    ("lion", {"wd": 0.01}),
    ("muon", {}),
    ("adafactor", {}),
    ("schedulefreesgd", {}),
    ("schedulefreeadamw", {}),
]


@pytest.mark.parametrize(("optimizer", "settings"), OPTIMIZERS)
def test_weights_and_states_are_those_of_the_loop(optimizer: str, settings: dict[str, Any]) -> None:
    # What divides by the size of a gradient makes the rounding of small ones larger.
    step = trained_alike(optimizer, {"learning_rate": 0.05, **settings}, tolerance=5e-6)
    data, label = next(batches(1))
    first, *_ = step.explain(data, label).splitlines()
    assert first.endswith("one program; the update follows at once")


def test_small_weights_lie_in_one_memory() -> None:
    step = trained_alike("adam")
    data, label = next(batches(1))
    assert "and 6 more in one memory" in step.explain(data, label)


def test_multipliers_separate_weights() -> None:
    (net, trainer), (other, _, step) = pair("adam", {"wd": 0.1})
    loss = SoftmaxCrossEntropyLoss()
    for k, (data, label) in enumerate(batches(6)):
        for each in (net, other):
            each[0].weight.lr_mult = 1.0 if k < 3 else 0.5
            each[3].bias.wd_mult = 0.0 if k < 3 else 2.0
        looped(net, trainer, loss, data, label)
        step(data, label)
    agree(values(net), values(other))


def test_gradients_are_clipped_by_their_norm() -> None:
    made = []
    for by_step in (False, True):
        net, loss = classifier(), SoftmaxCrossEntropyLoss()
        trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5}, max_norm=0.05)
        step = TrainStep(net, loss, trainer)
        for data, label in batches(4):
            if by_step:
                step(data, label)
            else:
                looped(net, trainer, loss, data, label)
        made.append(values(net))
    agree(made[0], made[1])


def test_a_schedule_decides_the_rate() -> None:
    def made() -> Optimizer:
        scheduler = FactorScheduler(step=2, factor=0.5, base_lr=0.1)
        return SGD(learning_rate=0.1, lr_scheduler=scheduler, momentum=0.9)

    trained_alike(made)


def test_a_rate_that_is_set_needs_no_new_program() -> None:
    _, (_, trainer, step) = pair("adam")
    for k, (data, label) in enumerate(batches(4)):
        trainer.set_learning_rate(0.1 / (k + 1))
        step(data, label)
        compiled = [*step._programs.values()]
        assert len(compiled) == 1
        assert trainer.learning_rate == 0.1 / (k + 1)


def test_another_batch_size_is_another_program_of_the_same_training() -> None:
    (net, trainer), (other, _, step) = pair("adam")
    loss = SoftmaxCrossEntropyLoss()
    for size in (6, 3, 6):
        data, label = next(batches(1, size))
        looped(net, trainer, loss, data, label)
        step(data, label)
    agree(values(net), values(other))
    assert len(step._programs) == 2


def test_steps_mix_with_ordinary_ones_and_predictions() -> None:
    (net, trainer), (other, its_trainer, step) = pair("adam")
    loss = SoftmaxCrossEntropyLoss()
    for k, (data, label) in enumerate(batches(6)):
        looped(net, trainer, loss, data, label)
        if k % 2:
            looped(other, its_trainer, loss, data, label)
        else:
            step(data, label)
        agree([net(data).asnumpy()], [other(data).asnumpy()], 2e-6)
    agree(values(net), values(other))


def test_states_and_parameters_go_through_files(tmp_path: Path) -> None:
    _, (net, trainer, step) = pair("adam", {"learning_rate": 0.05})
    given = [*batches(6)]
    for data, label in given[:3]:
        step(data, label)
    net.save_parameters(str(tmp_path / "net.params"))
    trainer.save_states(str(tmp_path / "net.states"))
    for data, label in given[3:]:
        step(data, label)
    expected = values(net)
    net.load_parameters(str(tmp_path / "net.params"))
    trainer.load_states(str(tmp_path / "net.states"))
    for data, label in given[3:]:
        step(data, label)
    agree(values(net), expected, 0)


def test_set_data_and_other_contexts_are_followed() -> None:
    (net, trainer), (other, _, step) = pair("adam")
    loss = SoftmaxCrossEntropyLoss()
    for k, (data, label) in enumerate(batches(5)):
        if k == 2:
            for each in (net, other):
                each[0].weight.set_data(nd.ones((8, 4)) / 8)
        looped(net, trainer, loss, data, label)
        step(data, label)
    agree(values(net), values(other))
    other.reset_ctx([cpu(1)])
    data, label = (x.as_in_context(cpu(1)) for x in next(batches(1)))
    assert step(data, label).context == cpu(1)


def test_gradients_accumulate() -> None:
    net, other = classifier(), classifier()
    trainer, its_trainer = (Trainer(x.collect_params(), "adam") for x in (net, other))
    loss = SoftmaxCrossEntropyLoss()
    step = TrainStep(other, loss, its_trainer, accumulate=3)
    given = [*batches(6)]
    net(given[0][0])
    net.collect_params().setattr("grad_req", "add")
    for begin in (0, 3):
        for data, label in given[begin : begin + 3]:
            with autograd.record():
                found = loss(net(data), label)
            found.backward()
        trainer.step(18)
        net.collect_params().zero_grad()
    for data, label in given:
        step(data, label)
    assert its_trainer.optimizer.num_update == 2
    agree(values(net), values(other))


def test_gradients_of_the_loop_accumulate_as_well() -> None:
    made = []
    for hybrid in (True, False):
        net = classifier()
        inner: Block = net
        if not hybrid:
            inner = nn.Sequential()
            inner.add(net)
        trainer = Trainer(net.collect_params(), "adam")
        step = TrainStep(inner, SoftmaxCrossEntropyLoss(), trainer, accumulate=2)
        for data, label in batches(4):
            step(data, label)
        assert trainer.optimizer.num_update == 2
        made.append(values(net))
    agree(made[0], made[1])


@pytest.mark.filterwarnings("ignore:.*encountered:RuntimeWarning")  # as gradients overflow
@pytest.mark.parametrize("optimizer", ["adam", "sgld"])
def test_losses_are_scaled_in_16_bits(optimizer: str) -> None:
    made = []
    for by_step in (False, True):
        random.seed(3)
        net = classifier(hybrid=False)
        with amp.autocast("float16"):
            trainer = Trainer(net.collect_params(), optimizer)
            amp.init_trainer(trainer)
            scaler = trainer._amp_loss_scaler
            assert scaler is not None
            scaler._loss_scale = 2.0**40  # the first steps overflow
            loss = SoftmaxCrossEntropyLoss()
            step = TrainStep(net, loss, trainer)
            for data, label in batches(30):
                if by_step:
                    step(data, label)
                    continue
                with autograd.record():
                    found = loss(net(data), label)
                    with amp.scale_loss(found, trainer) as scaled:
                        autograd.backward(scaled)
                trainer.step(6)
            if by_step:
                assert "one program" in step.explain(data, label)
        assert 0 < trainer.optimizer.num_update < 30
        made.append((scaler.loss_scale, trainer.optimizer.num_update, values(net)))
    assert made[0][:2] == made[1][:2]
    if optimizer == "adam":
        agree(made[0][2], made[1][2], 2e-3)


def test_bfloat16_needs_no_scaling() -> None:
    made = []
    for by_step, dtype in ((False, "bfloat16"), (True, "bfloat16"), (True, None)):
        net, loss = classifier(hybrid=False), SoftmaxCrossEntropyLoss()
        trainer = Trainer(net.collect_params(), "adam", max_norm=0.5)
        with nullcontext() if dtype is None else amp.autocast(dtype):
            step = TrainStep(net, loss, trainer)
            losses = [
                step(*batch) if by_step else looped(net, trainer, loss, *batch)
                for batch in batches(5)
            ]
            assert "one program; the clipping" in step.explain(*next(batches(1)))
        made.append([losses[-1].astype("float32").asnumpy(), *values(net)])
        assert all(value.dtype == np.float32 for value in made[-1])
    loop, whole, exact = made
    agree(loop, whole, 2e-3)
    # In 16 bits, indeed: eight bits of a product are kept.
    assert 1e-5 < np.abs(whole[0] - exact[0]).max() < 0.05


def test_16_bit_weights_keep_copies() -> None:
    made = []
    for by_step in (False, True):
        net = nn.HybridSequential()
        net.add(nn.Dense(4, in_units=3, activation="relu"), nn.Dense(2, in_units=4))
        random.seed(0)
        net.initialize("xavier")
        net.cast("float16")
        trainer = Trainer(net.collect_params(), "adam", {"multi_precision": True})
        step, loss = TrainStep(net, L2Loss(), trainer), L2Loss()
        draw = np.random.default_rng(0)
        for _ in range(4):
            data, label = (nd.array(draw.normal(size=(5, n)), dtype="float16") for n in (3, 2))
            if by_step:
                step(data, label)
            else:
                looped(net, trainer, loss, data, label)
        made.append([*values(net), *states(trainer)])
    agree(made[0], made[1], 2e-3)


@pytest.mark.parametrize("update_on_kvstore", [False, True])
def test_contexts_share_a_batch(update_on_kvstore: bool) -> None:
    contexts = [cpu(0), cpu(1)]
    made = []
    for by_step in (False, True):
        net = classifier(contexts)
        trainer = Trainer(net.collect_params(), "adam", update_on_kvstore=update_on_kvstore)
        loss = SoftmaxCrossEntropyLoss()
        step = TrainStep(net, loss, trainer)
        for data, label in batches(4):
            if by_step:
                assert len(step(data, label)) == 2
                continue
            with autograd.record():
                parts = zip(*(split_and_load(x, contexts) for x in (data, label)), strict=True)
                losses = [loss(net(x), y) for x, y in parts]
            autograd.backward(losses)
            trainer.step(6)
        if by_step:
            assert "then the trainer's own step: there are several" in step.explain(data, label)
        made.append(values(net))
    agree(made[0], made[1])


def test_outputs_are_returned_if_asked_for() -> None:
    (net, trainer), (_, _, step) = pair("sgd", outputs=True)
    loss = SoftmaxCrossEntropyLoss()
    for data, label in batches(3):
        with autograd.record():
            prediction = net(data)
            found = loss(prediction, label)
        found.backward()
        trainer.step(6)
        its_loss, its_prediction = step(data, label)
        agree(
            [found.asnumpy(), prediction.asnumpy()], [its_loss.asnumpy(), its_prediction.asnumpy()]
        )


class _TwoInputs(HybridBlock):
    def __init__(self) -> None:
        super().__init__()
        self.left, self.right = nn.Dense(2, in_units=3), nn.Dense(2, in_units=4)

    def forward(self, x: NDArray, y: NDArray) -> Any:
        return self.left(x) * self.right(y)


def _weighted(prediction: Any, label: Any, weight: Any) -> Any:
    return (prediction - label).square().mean(axis=1) * weight


def test_several_inputs_come_in_a_list_and_labels_one_by_one() -> None:
    made = []
    for by_step in (False, True):
        random.seed(0)
        net = _TwoInputs()
        net.initialize("xavier")
        trainer = Trainer(net.collect_params(), "adam")
        step = TrainStep(net, _weighted, trainer)
        left, right = nd.ones((5, 3)), nd.arange(20).reshape((5, 4))
        label, weight = nd.ones((5, 2)), nd.arange(5)
        for _ in range(3):
            if by_step:
                step([left, right], label, weight)
                continue
            with autograd.record():
                found = _weighted(net(left, right), label, weight)
            found.backward()
            trainer.step(5)
        made.append(values(net))
    agree(made[0], made[1])


def test_dropout_draws_as_in_the_loop() -> None:
    made = []
    for by_step in (False, True):
        net = nn.HybridSequential()
        net.add(nn.Dense(16, in_units=4), nn.Dropout(0.5), nn.Dense(3, in_units=16))
        random.seed(0)
        net.initialize("xavier")
        net.hybridize()
        trainer, loss = Trainer(net.collect_params(), "adam"), SoftmaxCrossEntropyLoss()
        loss.hybridize()
        step = TrainStep(net, loss, trainer)
        random.seed(7)
        for data, label in batches(4):
            if by_step:
                step(data, label)
            else:
                looped(net, trainer, loss, data, label)
        made.append(values(net))
    agree(made[0], made[1])


def test_shapes_that_follow_from_the_first_batch_are_found() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu"), nn.Dense(3))
    net.initialize()
    step = TrainStep(net, SoftmaxCrossEntropyLoss(), Trainer(net.collect_params(), "adam"))
    losses = [float(step(*batch).mean().asscalar()) for batch in [*batches(1)] * 20]
    assert losses[-1] < losses[0]
    assert net[0].weight.shape == (8, 4)
