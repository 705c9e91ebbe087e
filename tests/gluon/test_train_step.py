"""TrainStep: the same weights, states, counts and gradients as the ordinary loop."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import Block, HybridBlock, Trainer, TrainStep, amp, nn
from hy_gluon.loss import L2Loss, SoftmaxCrossEntropyLoss
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import SGD, Optimizer
from hy_gluon.trainer import StaleGradientError
from hy_gluon.utils import split_and_load
from hy_ndarray import (
    ArgumentError,
    Context,
    NDArray,
    autograd,
    cpu,
    nd,
    random,
    use_kernels,
)
from tests.gluon.capturing import Capturing, table, without_capture

__all__ = ["table"]

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


def classifier(context: Any = None, *, hybrid: bool = True) -> nn.HybridSequential:
    """A net with batch normalisation and several sizes of weights."""
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002  # initializers draw from it
    net = nn.HybridSequential()
    net.add(nn.Dense(8, in_units=4, use_bias=False), nn.BatchNorm(in_channels=8))
    net.add(nn.Dense(5, in_units=8, activation="tanh"), nn.Dense(3, in_units=5))
    net.initialize("xavier", ctx=context)
    if hybrid:
        net.hybridize()
    return net


def batches(count: int, size: int = 6) -> Iterator[tuple[NDArray, NDArray]]:
    draw = np.random.default_rng(1)
    for _ in range(count):
        data = draw.normal(size=(size, 4)).astype("float32")
        yield nd.array(data), nd.array(draw.integers(0, 3, size))


def values(net: Block) -> list[Any]:
    return [p.data(p.list_ctx()[0]).asnumpy() for p in net.collect_params().values()]


def states(trainer: Trainer) -> list[Any]:
    def flat(state: Any) -> list[Any]:
        if isinstance(state, list | tuple):
            return [x for part in state for x in flat(part)]
        return [] if state is None else [state.asnumpy()]

    kept = trainer._updaters[0].states
    return [x for key in sorted(kept) for x in flat(kept[key])]


def looped(
    net: Any, trainer: Trainer, loss: Callable[..., Any], data: NDArray, label: NDArray
) -> NDArray:
    with autograd.record():
        found: NDArray = loss(net(data), label)
    found.backward()
    trainer.step(data.shape[0])
    return found


def agree(left: Any, right: Any, tolerance: float = 1e-6) -> None:
    assert len(left) == len(right)
    for a, b in zip(left, right, strict=True):
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)


def pair(
    optimizer: Any, settings: dict[str, Any] | None = None, **how: Any
) -> tuple[tuple[Any, Trainer], tuple[Any, Trainer, TrainStep]]:
    """A net with its trainer, and the same again with a step."""
    made = []
    for _ in range(2):
        net = classifier()
        own = optimizer() if callable(optimizer) else optimizer
        made.append((net, Trainer([*net.collect_params().values()], own, settings)))
    loss = SoftmaxCrossEntropyLoss()
    return made[0], (*made[1], TrainStep(*made[1][:1], loss, made[1][1], **how))


def trained_alike(
    optimizer: Any, settings: dict[str, Any] | None = None, steps: int = 5, tolerance: float = 1e-6
) -> TrainStep:
    (net, trainer), (other, its_trainer, step) = pair(optimizer, settings)
    loss = SoftmaxCrossEntropyLoss()
    for data, label in batches(steps):
        found = looped(net, trainer, loss, data, label)
        np.testing.assert_allclose(step(data, label).asnumpy(), found.asnumpy(), rtol=1e-5)
    agree(values(net), values(other), tolerance)
    agree(states(trainer), states(its_trainer), tolerance)
    first, second = trainer.optimizer, its_trainer.optimizer
    assert first._all_index_update_counts == second._all_index_update_counts
    assert first.num_update == second.num_update
    for p, q in zip(net.collect_params().values(), other.collect_params().values(), strict=True):
        if p.grad_req != "null":
            agree([p.grad().asnumpy()], [q.grad().asnumpy()], tolerance)
    return step


@pytest.mark.parametrize(("optimizer", "settings"), OPTIMIZERS)
def test_weights_and_states_are_those_of_the_loop(optimizer: str, settings: dict[str, Any]) -> None:
    step = trained_alike(optimizer, {"learning_rate": 0.05, **settings}, tolerance=2e-6)
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


# --- what falls back --------------------------------------------------------------------------


class _Own(Optimizer):
    """An optimizer that defines ``update``, as users' do."""

    def create_state(self, index: Any, weight: NDArray) -> Any:  # noqa: ARG002  # MXNet's signature
        return nd.zeros_like(weight)

    def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
        self._update_count(index)
        state[:] = 0.9 * state + grad * self.rescale_grad
        weight[:] = weight - self._get_lr(index) * state


def test_an_optimizer_of_ones_own_follows_the_program() -> None:
    step = trained_alike(lambda: _Own(learning_rate=0.1))
    data, label = next(batches(1))
    assert "then the trainer's own step: _Own defines update" in step.explain(data, label)


class _Peeks(HybridBlock):
    """Reads values, which no graph can."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Dense(3, in_units=4)

    def forward(self, x: NDArray) -> Any:
        y = self.dense(x)
        return y * 2 if float(y.asnumpy().sum()) > 0 else y


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (nn.Sequential, "is a Sequential, and no HybridBlock"),
        (_Peeks, "cannot be traced"),
    ],
)
def test_what_cannot_be_traced_runs_as_the_loop(make: Callable[[], Any], why: str) -> None:
    made = []
    for by_step in (False, True):
        random.seed(0)
        net = make()
        if isinstance(net, nn.Sequential):
            net.add(nn.Dense(3, in_units=4))
        net.initialize("xavier")
        trainer, loss = Trainer(net.collect_params(), "adam"), SoftmaxCrossEntropyLoss()
        step = TrainStep(net, loss, trainer)
        for data, label in batches(3):
            if by_step:
                step(data, label)
            else:
                looped(net, trainer, loss, data, label)
        assert why in step.explain(data, label)
        made.append(values(net))
    agree(made[0], made[1], 0)


def test_hooks_fire() -> None:
    _, (net, _, step) = pair("adam")
    seen = []
    net[0].register_forward_hook(lambda *_: seen.append(1))
    data, label = next(batches(1))
    step(data, label)
    assert seen == [1]
    assert "has hooks" in step.explain(data, label)


def test_hooks_and_layers_that_come_later_are_noticed() -> None:
    _, (net, _, step) = pair("sgd", outputs=True)
    data, label = next(batches(1))
    step(data, label)
    seen: list[str] = []
    with net[0].register_forward_hook(lambda *_: seen.append("call")):
        step(data, label)
    step(data, label)
    assert seen == ["call"]
    net.add(nn.Activation("sigmoid"))
    assert (step(data, label)[1].asnumpy() > 0).all()
    net.register_op_hook(lambda _, name, __: seen.append(name))
    step(data, label)
    assert "sigmoid" in seen or "Activation" in seen


def test_a_parameter_that_the_loss_does_not_depend_on_is_named() -> None:
    net, other = classifier(), nn.Dense(2, in_units=2)
    other.initialize()
    params = [*net.collect_params().values(), *other.collect_params().values()]
    step = TrainStep(net, SoftmaxCrossEntropyLoss(), Trainer(params, "sgd"))
    data, label = next(batches(1))
    with pytest.raises(StaleGradientError, match=other.weight.name):
        step(data, label)


def test_frozen_parameters_stay() -> None:
    _, (net, trainer, step) = pair("adam")
    data, label = next(batches(1))
    step(data, label)
    net[0].weight.grad_req = "null"
    before = net[0].weight.data().asnumpy()
    step(data, label)
    agree([net[0].weight.data().asnumpy()], [before], 0)
    assert trainer.optimizer.num_update == 2


def test_another_table_takes_over() -> None:
    (net, trainer), (other, _, step) = pair("adam")
    loss = SoftmaxCrossEntropyLoss()
    for k, (data, label) in enumerate(batches(6)):
        looped(net, trainer, loss, data, label)
        with use_kernels(Capturing(), device="cpu") if k in (2, 3) else nullcontext():
            step(data, label)
    agree(values(net), values(other))


def test_arguments_are_checked() -> None:
    net = classifier()
    trainer = Trainer(net.collect_params(), "sgd")
    with pytest.raises(ArgumentError, match="accumulate=0"):
        TrainStep(net, L2Loss(), trainer, accumulate=0)
    with pytest.raises(ArgumentError, match="takes a Trainer"):
        TrainStep(net, L2Loss(), net)  # type: ignore[arg-type]


def test_two_steps_with_one_trainer_share_what_they_moved() -> None:
    (net, trainer), (other, its_trainer, step) = pair("adam")
    loss = SoftmaxCrossEntropyLoss()
    second = TrainStep(other, loss, its_trainer)
    given, places = [*batches(6)], []
    for k, (data, label) in enumerate(given):
        looped(net, trainer, loss, data, label)
        (second if k % 2 else step)(data, label)
        if k == 1:
            places = [p.data().buffer for p in other.collect_params().values()]
    assert all(
        p.data().buffer is place
        for p, place in zip(other.collect_params().values(), places, strict=True)
    )
    agree(values(net), values(other))


# --- captured ---------------------------------------------------------------------------------


def captured(table: Capturing, optimizer: str, contexts: Context) -> tuple[list[Any], int]:
    with contexts:
        net = nn.HybridSequential()
        net.add(nn.Dense(5, in_units=4, activation="relu"), nn.Dense(3, in_units=5))
        random.seed(0)
        net.initialize("xavier", ctx=contexts)
        scheduler = FactorScheduler(step=3, factor=0.5, base_lr=0.1)
        settings = {"learning_rate": 0.1, "lr_scheduler": scheduler}
        trainer = Trainer(net.collect_params(), optimizer, settings)
        step = TrainStep(net, SoftmaxCrossEntropyLoss(), trainer)
        given = [[x.as_in_context(contexts) for x in batch] for batch in batches(7)]
        losses = [step(*batch).asnumpy() for batch in given]
        found = [*values(net), *losses]
        shown = step.explain(*given[0])
    return found, "the whole step: captured" in shown


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw", "lamb"])
def test_a_step_is_captured_whole(table: Capturing, optimizer: str) -> None:
    context = table.contexts[0]
    with without_capture(table):
        expected, was_captured = captured(table, optimizer, context)
    assert not was_captured
    before = table.captured
    found, was_captured = captured(table, optimizer, context)
    assert was_captured
    assert table.captured > before
    agree(found, expected)


def test_a_refused_capture_is_told_and_does_no_harm(table: Capturing) -> None:
    table.refuses_from = 1
    context = table.contexts[0]
    found, was_captured = captured(table, "adam", context)
    assert not was_captured
    with without_capture(table), nullcontext():
        expected, _ = captured(table, "adam", context)
    agree(found, expected)
