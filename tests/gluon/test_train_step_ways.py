"""What a TrainStep runs as the loop, and what a table captures of it."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from hy_gluon import HybridBlock, Trainer, TrainStep, amp, nn
from hy_gluon.loss import L2Loss, SoftmaxCrossEntropyLoss
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import Optimizer
from hy_gluon.trainer import StaleGradientError
from hy_ndarray import (
    ArgumentError,
    Context,
    NDArray,
    nd,
    random,
    use_kernels,
)
from tests.gluon.capturing import Capturing, table, without_capture
from tests.gluon.train_step_case import (
    agree,
    batches,
    classifier,
    looped,
    pair,
    trained_alike,
    values,
)

__all__ = ["table"]

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
    first, *_, last = step.explain(data, label).splitlines()
    assert first.endswith("then the trainer's own step: _Own defines update")
    assert last == "the whole step: not captured: the trainer's own step follows the program"


@pytest.mark.parametrize(("optimizer", "name"), [("lbsgd", "LBSGD"), ("sgld", "SGLD")])
def test_optimizers_without_a_rule_follow_the_program(optimizer: str, name: str) -> None:
    made = []
    for by_step in (False, True):
        net, loss = classifier(), SoftmaxCrossEntropyLoss()
        # A list: the order of names, which are counted, decides who draws which numbers.
        params = [*net.collect_params().values()]
        trainer = Trainer(params, optimizer, {"learning_rate": 0.05})
        step = TrainStep(net, loss, trainer)
        random.seed(5)  # SGLD draws
        for batch in batches(4):
            if by_step:
                step(*batch)
            else:
                looped(net, trainer, loss, *batch)
        first, *_ = step.explain(*next(batches(1))).splitlines()
        assert first.endswith(f"one program; then the trainer's own step: {name} defines update")
        made.append(values(net))
    agree(made[0], made[1], 5e-6)


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


def captured(
    optimizer: str, contexts: Context, *, accumulate: int = 1, max_norm: float | None = None
) -> tuple[list[Any], str]:
    """Weights and losses of some steps, and how the last one ran."""
    with contexts:
        net = nn.HybridSequential()
        net.add(nn.Dense(5, in_units=4, activation="relu"), nn.Dense(3, in_units=5))
        random.seed(0)
        net.initialize("xavier", ctx=contexts)
        scheduler = FactorScheduler(step=3, factor=0.5, base_lr=0.1)
        settings = {"learning_rate": 0.1, "lr_scheduler": scheduler}
        trainer = Trainer(net.collect_params(), optimizer, settings, max_norm=max_norm)
        step = TrainStep(net, SoftmaxCrossEntropyLoss(), trainer, accumulate=accumulate)
        given = [[x.as_in_context(contexts) for x in batch] for batch in batches(8 * accumulate)]
        # Sizes change the factor of the gradients, a constant of a capture.
        losses = [
            step(*batch, batch_size=6 if k // accumulate % 2 else 12).asnumpy()
            for k, batch in enumerate(given)
        ]
        found = [*values(net), *losses]
        *_, shown = step.explain(*given[0]).splitlines()
    return found, shown.removeprefix("the whole step: ")


@pytest.mark.parametrize("optimizer", ["sgd", "adam", "adamw", "lamb"])
def test_a_step_is_captured_whole(table: Capturing, optimizer: str) -> None:
    context = table.contexts[0]
    with without_capture(table):
        expected, shown = captured(optimizer, context)
    assert shown.startswith("not captured: the table ")
    before = table.captured
    found, shown = captured(optimizer, context)
    assert shown == "captured"
    assert table.captured > before
    agree(found, expected)


@pytest.mark.parametrize(
    ("accumulate", "max_norm", "captures"), [(1, 0.05, 2), (1, 1e9, 2), (3, None, 4), (2, 0.05, 3)]
)
def test_clipping_and_accumulation_are_captured(
    table: Capturing, accumulate: int, max_norm: float | None, captures: int
) -> None:
    context = table.contexts[0]
    how: dict[str, Any] = {"accumulate": accumulate, "max_norm": max_norm}
    with without_capture(table):
        expected, _ = captured("adam", context, **how)
    found, shown = captured("adam", context, **how)
    assert shown == "captured"
    assert table.captured >= captures
    agree(found, expected)


def test_loss_scaling_says_why_it_is_not_captured(table: Capturing) -> None:
    with table.contexts[0] as context, amp.autocast("float16"):
        net = classifier(context)
        trainer = Trainer(net.collect_params(), "adam", max_norm=1.0)
        amp.init_trainer(trainer)
        step = TrainStep(net, SoftmaxCrossEntropyLoss(), trainer, accumulate=2)
        shown = step.explain(*(x.as_in_context(context) for x in next(batches(1)))).splitlines()
    assert shown[0].endswith(
        "a check for overflows, the clipping of gradients, and the update follow when 2 calls have "
        "added their gradients"
    )
    assert "not captured: loss scaling looks for overflows on the host" in shown[-1]


def test_a_refused_capture_is_told_and_does_no_harm(table: Capturing) -> None:
    table.refuses_from = 1
    context = table.contexts[0]
    found, shown = captured("adam", context)
    assert shown == "not captured: RuntimeError: a copy to the host"
    with without_capture(table):
        expected, _ = captured("adam", context)
    agree(found, expected)
