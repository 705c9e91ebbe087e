"""Capture of a Trainer's step: rates and counts change, and what was captured goes on."""

import gc
from typing import Any
from weakref import ref

import numpy as np
import pytest

from hy_gluon import Trainer
from hy_gluon.lr_scheduler import FactorScheduler
from hy_gluon.optimizer import SGD, Updater
from hy_gluon.optimizer.captured_step import _MAX_CAPTURES
from hy_gluon.parameter import Parameter
from hy_ndarray import autograd, current_context, nd
from tests.gluon.capturing import Capturing, table, without_capture

__all__ = ["table"]

RULES: list[tuple[str, dict[str, Any]]] = [
    ("sgd", {}),
    ("sgd", {"momentum": 0.9, "wd": 0.01}),
    ("adam", {"wd": 0.01}),
    ("adam", {"clip_gradient": 0.3}),
    ("nag", {}),
    ("nag", {"momentum": 0.9, "wd": 0.01}),
    ("signum", {"momentum": 0.0, "wd": 0.01}),
    ("signum", {"wd_lh": 0.01}),
    ("dcasgd", {"momentum": 0.9, "wd": 0.01}),
    ("adamw", {"wd": 0.01}),
    ("adamax", {"wd": 0.01}),
    ("nadam", {"clip_gradient": 0.3}),
    ("ftml", {"wd": 0.01}),
    ("adagrad", {"wd": 0.01}),
    ("adadelta", {"wd": 0.01}),
    ("rmsprop", {"wd": 0.01}),
    ("rmsprop", {"centered": True, "clip_weights": 0.9}),
    ("ftrl", {"wd": 0.01}),
    ("lars", {"momentum": 0.9, "wd": 0.01}),
    ("lamb", {"wd": 0.01, "lower_bound": 0.1}),
]


def parameters(dtype: str = "float32") -> list[Parameter]:
    made = []
    for k, shape in enumerate([(2, 3), (4,)]):
        parameter = Parameter(f"weight{k}", shape=shape, dtype=dtype)
        parameter.initialize("ones")
        made.append(parameter)
    made[1].lr_mult = 0.5
    return made


def stepped(trainer: Trainer, params: list[Parameter], k: int, batch_size: int = 4) -> None:
    draw = np.random.default_rng(k)
    with autograd.record():
        terms = [
            (p.data() * nd.array(draw.normal(size=p.shape), dtype=p.dtype)).sum() for p in params
        ]
        loss = terms[0] + terms[1]
    loss.backward()
    trainer.step(batch_size)


def trained(
    rule: str, settings: dict[str, Any], steps: int = 8, dtype: str = "float32"
) -> tuple[Trainer, list[Any]]:
    params = parameters(dtype)
    scheduler = FactorScheduler(step=3, factor=0.5, base_lr=0.1)
    trainer = Trainer(params, rule, {"learning_rate": 0.1, "lr_scheduler": scheduler, **settings})
    for k in range(steps):
        stepped(trainer, params, k)
    return trainer, [p.data().asnumpy() for p in params]


def uncaptured(table: Capturing, rule: str, settings: dict[str, Any], **how: Any) -> list[Any]:
    with without_capture(table):
        return trained(rule, settings, **how)[1]


@pytest.mark.parametrize(("rule", "settings"), RULES)
def test_a_step_is_captured_once_and_takes_new_rates(
    table: Capturing, rule: str, settings: dict[str, Any]
) -> None:
    trainer, found = trained(rule, settings)
    assert (table.captured, table.again) == (1, 6)
    assert trainer.explain() == f"steps on {current_context()}: captured"
    for one, other in zip(found, uncaptured(table, rule, settings), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_counts_go_on_in_a_captured_step(table: Capturing) -> None:
    """A rate that stands still shows that the count does not."""

    def learned() -> list[Any]:
        params = parameters()
        trainer = Trainer(params, "lamb", {"learning_rate": 0.1, "bias_correction": True})
        for _ in range(6):
            stepped(trainer, params, 0)
        return [p.data().asnumpy() for p in params]

    found = learned()
    assert table.again == 4
    with without_capture(table):
        wanted = learned()
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


@pytest.mark.parametrize("rule", ["sgd", "adam", "nag", "lamb"])
def test_steps_on_float64_are_exact(table: Capturing, rule: str) -> None:
    _, found = trained(rule, {}, dtype="float64")
    assert table.again == 6
    for one, other in zip(found, uncaptured(table, rule, {}, dtype="float64"), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


@pytest.mark.parametrize("rule", ["sgd", "nag"])
def test_weights_of_16_bits_are_changed_by_their_copies(table: Capturing, rule: str) -> None:
    settings = {"momentum": 0.9, "multi_precision": True}
    _, found = trained(rule, settings, dtype="float16")
    assert table.again == 6
    wanted = uncaptured(table, rule, settings, dtype="float16")
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


def test_rates_of_weights_of_16_bits_are_not_rounded_to_these(table: Capturing) -> None:
    weight, gradient = (nd.full((3,), value, dtype="float16") for value in (1.0, 6e4))
    updater = Updater(SGD(learning_rate=1e-7))  # nearly 1.2e-7 in float16
    with pytest.warns(UserWarning, match="in their own precision"):
        updater(0, gradient, weight)
    for _ in range(9):
        updater(0, gradient, weight)
    assert table.again == 8
    np.testing.assert_allclose(weight.asnumpy(), 0.94, atol=0.002)


def test_other_factors_of_gradients_are_captured_for_themselves(table: Capturing) -> None:
    params = parameters()
    trainer = Trainer(params, "sgd", {"learning_rate": 0.1})
    for k in range(12):
        stepped(trainer, params, k, batch_size=4 if k % 2 else 8)
    assert (table.captured, table.again) == (2, 8)
    with without_capture(table):
        others = parameters()
        trainer = Trainer(others, "sgd", {"learning_rate": 0.1})
        for k in range(12):
            stepped(trainer, others, k, batch_size=4 if k % 2 else 8)
    for one, other in zip(params, others, strict=True):
        np.testing.assert_allclose(one.data().asnumpy(), other.data().asnumpy(), rtol=1e-6)


def test_more_factors_than_are_kept_give_way_to_each_other(table: Capturing) -> None:
    params = parameters()
    trainer = Trainer(params, "sgd", {"learning_rate": 0.1})
    for size in range(1, _MAX_CAPTURES + 2):
        for k in range(4):
            stepped(trainer, params, k, batch_size=size)
    assert table.captured == _MAX_CAPTURES + 1
    for k in range(4):  # the first one made way
        stepped(trainer, params, k, batch_size=1)
        assert table.captured == _MAX_CAPTURES + (1 if k < 2 else 2)


def test_factors_that_never_come_again_are_not_captured(table: Capturing) -> None:
    params = parameters()
    trainer = Trainer(params, "sgd", {"learning_rate": 0.1})
    for k in range(12):
        stepped(trainer, params, k, batch_size=k + 1)
    assert table.captured == 0
    assert trainer.explain() == (
        f"steps on {current_context()}: not captured: "
        "it is captured when it runs for the third time"
    )


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        ("nag", "sgd_update takes its rates from the host"),
        ("rmsprop", "rmsprop_update takes its rates from the host"),
        ("lamb", "multi_lamb_update takes its rates from the host"),
        ("adamax", "_mul_scalar takes its rates from the host"),
        ("sgld", "SGLD defines update"),
    ],
)
def test_what_is_not_captured_says_why(table: Capturing, rule: str, why: str) -> None:
    table.loads = False
    trainer, _ = trained(rule, {})
    assert table.captured == 0
    assert trainer.explain().startswith(f"steps on {current_context()}: not captured: ")
    assert why in trainer.explain()


def test_a_table_that_refuses_leaves_steps_as_they_are(table: Capturing) -> None:
    table.refuses_from = 1
    trainer, found = trained("adam", {})
    assert "not captured: RuntimeError: a copy to the host" in trainer.explain()
    for one, other in zip(found, uncaptured(table, "adam", {}), strict=True):
        np.testing.assert_array_equal(one, other)


def test_states_that_are_loaded_take_the_place_of_captured_ones(
    table: Capturing, tmp_path: Any
) -> None:
    params = parameters()
    trainer = Trainer(params, "adam", {"learning_rate": 0.1})
    for k in range(5):
        stepped(trainer, params, k)
    file = str(tmp_path / "states")
    trainer.save_states(file)
    before = [p.data().copy() for p in params]
    runs = []
    for _ in range(2):
        trainer.load_states(file)
        for parameter, value in zip(params, before, strict=True):
            parameter.set_data(value)
        for k in range(5, 10):
            stepped(trainer, params, k)
        runs.append([p.data().asnumpy() for p in params])
    for one, other in zip(*runs, strict=True):
        np.testing.assert_array_equal(one, other)
    assert table.again > 3


def test_a_trainer_whose_step_is_captured_is_freed_with_its_last_reference(
    table: Capturing,
) -> None:
    gc.disable()
    try:
        trainer, _ = trained("sgd", {})
        held = ref(trainer)
        del trainer
        assert table.captured == 1
        assert held() is None
    finally:
        gc.enable()
