"""Steps of optimizers that are captured: their kernels read no number on the host."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from hy_gluon import Trainer, TrainStep, nn
from hy_gluon.loss import L2Loss
from hy_gluon.parameter import Parameter
from hy_kernels.torch import table
from hy_kernels.torch.costs import COSTS
from hy_ndarray import autograd, cpu, gpu, nd, random, use_kernels
from tests.kernels.torch.calls import Calls
from tests.kernels.torch.capturing import CapturingTable, NoHost

RULES: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {"momentum": 0.9}),
    ("adam", {}),
    ("nag", {"momentum": 0.0}),
    ("nag", {"momentum": 0.9}),
    ("signum", {"momentum": 0.0}),
    ("signum", {"wd_lh": 0.01}),
    ("dcasgd", {"momentum": 0.9}),
    ("adamw", {}),
    ("adamax", {}),
    ("nadam", {"clip_gradient": 0.3}),
    ("ftml", {}),
    ("adagrad", {"clip_gradient": 0.3}),
    ("groupadagrad", {"wd": 0.0}),
    ("adadelta", {}),
    ("rmsprop", {}),
    ("rmsprop", {"centered": True, "clip_weights": 0.9}),
    ("ftrl", {}),
    ("lars", {"momentum": 0.9}),
    ("lamb", {"lower_bound": 0.1}),
]


@pytest.fixture
def capturing() -> Iterator[CapturingTable]:
    made = CapturingTable()
    with use_kernels(made):
        yield made


def trained(
    rule: str, settings: dict[str, Any], dtype: str = "float32", ctx: Any = None
) -> tuple[list[Any], str]:
    """Weights after some steps at rates that fall, and whether a step is captured."""
    context = cpu() if ctx is None else ctx
    params = []
    for k, shape in enumerate([(2, 3), (4, 1)]):
        parameter = Parameter(f"weight{k}", shape=shape, dtype=dtype)
        parameter.initialize("ones", ctx=context)
        params.append(parameter)
    params[1].lr_mult = 0.5
    trainer = Trainer(params, rule, {"learning_rate": 0.1, "wd": 0.01, **settings})
    for k in range(8):
        trainer.set_learning_rate(0.1 / (k + 1))
        draw = np.random.default_rng(k)
        with autograd.record():
            one, two = (
                (p.data() * nd.array(draw.normal(size=p.shape), dtype=dtype, ctx=context)).sum()
                for p in params
            )
            loss = one + two
        loss.backward()
        trainer.step(4)
    return [p.data().asnumpy() for p in params], trainer.explain()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("rule", "settings"), RULES)
def test_captured_steps_give_what_steps_give(
    rule: str, settings: dict[str, Any], dtype: str, capturing: CapturingTable
) -> None:
    found, told = trained(rule, settings, dtype)
    assert told == "steps on cpu(0): captured"
    assert capturing.again == 6
    with use_kernels("torch"):
        plain, _ = trained(rule, settings, dtype)
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6 if dtype == "float32" else 1e-12)


def calls_of_a_step(
    rule: str, settings: dict[str, Any], count: int, told: str = "captured"
) -> Counter[str]:
    """What a step of so many weights calls, captured or not."""
    params = [Parameter(f"weight{k}", shape=(k + 1, 3)) for k in range(count)]
    for parameter in params:
        parameter.initialize("ones", ctx=cpu())
    trainer = Trainer(params, rule, {"learning_rate": 0.1, "wd": 0.01, **settings})
    calls = Calls()
    for k in range(4):
        calls.of.clear()
        trainer.set_learning_rate(0.1 / (k + 1))
        with autograd.record():
            loss = sum((p.data().sum() for p in params), nd.zeros((1,)))
        loss.backward()
        with calls:
            trainer.step(1)
    assert trainer.explain().startswith(f"steps on cpu(0): {told}")
    return calls.of


@pytest.mark.parametrize(
    ("rule", "settings", "fused"),
    [
        ("sgd", {}, "_fused_sgd_"),
        ("sgd", {"momentum": 0.9}, "_fused_sgd_"),
        ("adam", {}, "_fused_adam_"),
        ("nag", {"momentum": 0.9}, None),
        ("signum", {}, None),
        ("adamw", {}, None),
        ("rmsprop", {}, None),
        ("lamb", {}, None),
    ],
)
def test_a_captured_step_is_as_many_calls_for_many_weights_as_for_few(
    rule: str, settings: dict[str, Any], fused: str | None, capturing: CapturingTable
) -> None:
    few, many = (calls_of_a_step(rule, settings, count) for count in (2, 9))
    for calls in (few, many):
        del calls["copy_"]  # the stand-in's, of gradients and rates
    if rule == "adamw":  # the decay is a call for each weight, before the others
        assert (few.pop("mul"), many.pop("mul")) == (2, 9)
    assert few == many
    if fused is not None:
        assert many[fused] == 1


@pytest.mark.parametrize("accumulate", [1, 2])
def test_whole_steps_that_clip_read_nothing_on_the_host(
    accumulate: int, capturing: CapturingTable
) -> None:
    def trained() -> tuple[list[Any], str]:
        random.seed(0)
        net = nn.Dense(3, in_units=4)
        net.initialize("xavier")
        trainer = Trainer(net.collect_params(), "adam", {"learning_rate": 0.1}, max_norm=0.1)
        step = TrainStep(net, L2Loss(), trainer, accumulate=accumulate)
        data, label = nd.arange(20).reshape((5, 4)), nd.ones((5, 3))
        for _ in range(5 * accumulate):
            step(data, label)
        *_, shown = step.explain(data, label).splitlines()
        return [p.data().asnumpy() for p in net.collect_params().values()], shown

    found, shown = trained()
    assert shown == "the whole step: captured"
    assert capturing.again == 3 * accumulate
    with use_kernels("torch"):
        plain, _ = trained()
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=2e-6)


@pytest.mark.parametrize(
    ("rule", "settings", "name"),
    [
        ("adamw", {}, "_fused_adam_"),
        ("nag", {"momentum": 0.9}, "_foreach_sub_"),
        ("signum", {}, "_foreach_sign"),
    ],
)
def test_a_step_that_is_not_captured_updates_all_weights_at_once_too(
    rule: str, settings: dict[str, Any], name: str
) -> None:
    with use_kernels("torch"):
        few, many = (calls_of_a_step(rule, settings, n, "not captured") for n in (2, 9))
    assert few[name] == many[name] > 0


def test_large_weights_of_a_cpu_are_updated_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COSTS, "blocks", COSTS.blocks._replace(step=2 * 3 * 4))  # bytes
    with use_kernels("torch"):
        calls = calls_of_a_step("signum", {}, 3, "not captured")
    assert (calls["_foreach_sign"], calls["sign"]) == (0, 3)
    monkeypatch.setattr(COSTS, "blocks", COSTS.blocks._replace(step=3 * 3 * 4))
    with use_kernels("torch"):
        calls = calls_of_a_step("signum", {}, 3, "not captured")
    assert (calls["_foreach_sign"], calls["sign"]) == (1, 1)  # of one and two rows, of three


@pytest.mark.parametrize(("decay", "scaling"), [(0.01, 2), (0.0, 1)])
def test_a_captured_velocity_takes_torch_s_kernel_and_what_scales_gradients(
    decay: float, scaling: int, capturing: CapturingTable
) -> None:
    calls = calls_of_a_step("sgd", {"momentum": 0.9, "wd": decay}, 9)
    assert sum(n for name, n in calls.items() if name.startswith("_foreach")) == scaling
    assert calls["_fused_sgd_"] == 1


def test_a_rate_of_zero_moves_by_the_old_velocity_alone(capturing: CapturingTable) -> None:
    weight = Parameter("weight", shape=(2,))
    weight.initialize("zeros", ctx=cpu())
    trainer = Trainer([weight], "sgd", {"learning_rate": 1.0, "momentum": 0.5})
    for k in range(8):
        trainer.set_learning_rate(float(k == 0))
        with autograd.record():
            loss = weight.data().sum()
        loss.backward()
        trainer.step(1)
    assert capturing.again == 6
    moved = -sum(0.5**k for k in range(8))
    np.testing.assert_allclose(weight.data().asnumpy(), [moved] * 2, rtol=1e-6)


def test_a_decay_that_changes_is_read_like_a_rate(capturing: CapturingTable) -> None:
    def run() -> Any:
        parameter = Parameter("weight", shape=(2, 3))
        parameter.initialize("ones", ctx=cpu())
        trainer = Trainer([parameter], "sgd", {"learning_rate": 0.1, "wd": 0.1})
        for k in range(12):
            if k > 4:
                trainer._optimizer.wd = 0.1 * k
            with autograd.record():
                loss = parameter.data().sum()
            loss.backward()
            trainer.step(1)
        return parameter.data().asnumpy(), trainer.explain()

    found, told = run()
    assert told == "steps on cpu(0): captured"
    assert capturing.again == 3 + 5
    with use_kernels("torch"):
        plain, _ = run()
    np.testing.assert_allclose(found, plain, rtol=2e-6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [("plus", 3.3), ("minus", 2.7), ("mul", 0.9), ("div", 10.0)],
)
def test_a_number_on_the_device_is_not_rounded_to_16_bits(name: str, expected: float) -> None:
    record = table().find(f"{name}_scalar")
    assert record is not None
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        data = torch.tensor([3.0], dtype=dtype)
        with NoHost():
            y = record.function(data, scalar=torch.tensor(0.3, dtype=torch.float64), is_int=False)
        assert y.dtype is dtype
        torch.testing.assert_close(y, torch.tensor([expected], dtype=dtype), rtol=1e-7, atol=0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device")
@pytest.mark.parametrize(("rule", "settings"), RULES)
def test_a_gpu_captures_steps_that_give_what_the_cpu_gives(
    rule: str, settings: dict[str, Any]
) -> None:
    found, told = trained(rule, settings, ctx=gpu(0))
    assert told == "steps on gpu(0): captured"
    with use_kernels("torch"):
        plain, _ = trained(rule, settings)
    for one, other in zip(found, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)
