"""Learning-rate schedules: trajectories, warm-ups, and refused arguments."""

import math
from collections.abc import Callable

import pytest

from hy_gluon.lr_scheduler import (
    CosineScheduler,
    FactorScheduler,
    LRScheduler,
    MultiFactorScheduler,
    PolyScheduler,
    ScheduleError,
)


def rates(schedule: LRScheduler, last: int) -> list[float]:
    return [schedule(n) for n in range(last + 1)]


def test_factor_changes_after_every_step() -> None:
    schedule = FactorScheduler(3, 0.5, base_lr=8.0)
    assert rates(schedule, 10) == [8, 8, 8, 8, 4, 4, 4, 2, 2, 2, 1]


def test_factor_stops_at_the_lowest_rate() -> None:
    schedule = FactorScheduler(1, 0.1, stop_factor_lr=0.05, base_lr=1.0)
    assert rates(schedule, 5) == pytest.approx([1, 1, 0.1, 0.05, 0.05, 0.05])


def test_factor_can_skip_updates_but_not_go_back() -> None:
    schedule = FactorScheduler(2, 0.5, base_lr=1.0)
    assert schedule(9) == 0.0625
    assert schedule(1) == 0.0625


def test_multi_factor_changes_behind_each_step() -> None:
    schedule = MultiFactorScheduler((2, 4, 5), 0.5, base_lr=8.0)
    assert rates(schedule, 7) == [8, 8, 8, 4, 4, 2, 1, 1]


def test_poly_follows_the_power() -> None:
    schedule = PolyScheduler(4, base_lr=1.0, final_lr=0.2, pwr=2)
    expected = [0.2 + 0.8 * (1 - n / 4) ** 2 for n in range(5)]
    assert rates(schedule, 6) == pytest.approx([*expected, 0.2, 0.2])


def test_cosine_follows_half_a_wave() -> None:
    schedule = CosineScheduler(8, base_lr=1.0, final_lr=0.1)
    expected = [0.1 + 0.45 * (1 + math.cos(math.pi * n / 8)) for n in range(9)]
    assert rates(schedule, 9) == pytest.approx([*expected, 0.1])


@pytest.mark.parametrize("make", [PolyScheduler, CosineScheduler])
def test_a_skipped_end_is_the_end(make: Callable[..., LRScheduler]) -> None:
    schedule = make(10, base_lr=1.0)
    assert schedule(3) > 0
    assert schedule(30) == 0


@pytest.mark.parametrize(
    "schedule",
    [
        FactorScheduler(100, base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.2),
        MultiFactorScheduler([100], base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.2),
        PolyScheduler(8, base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.2),
        CosineScheduler(8, base_lr=1.0, warmup_steps=4, warmup_begin_lr=0.2),
    ],
    ids=type,
)
def test_warm_up_rises_to_the_base_rate(schedule: LRScheduler) -> None:
    assert rates(schedule, 4) == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


def test_warm_up_can_be_constant() -> None:
    schedule = CosineScheduler(
        8, base_lr=1.0, warmup_steps=2, warmup_begin_lr=0.3, warmup_mode="constant"
    )
    assert rates(schedule, 2) == [0.3, 0.3, 1.0]


def test_curves_begin_behind_the_warm_up() -> None:
    assert PolyScheduler(8, base_lr=1.0, pwr=1, warmup_steps=4)(6) == 0.5


def test_a_warm_up_as_long_as_the_schedule_ends_at_the_base_rate() -> None:
    assert rates(PolyScheduler(2, base_lr=1.0, warmup_steps=2), 4) == [0, 0.5, 1, 1, 1]


def test_the_base_class_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match="LRScheduler must define __call__"):
        LRScheduler()(1)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: FactorScheduler(0), "step is at least 1, not 0"),
        (lambda: FactorScheduler(1, 1.5), "factor 1.5 is above 1"),
        (lambda: MultiFactorScheduler([]), r"step is a list of numbers, not \[\]"),
        (lambda: MultiFactorScheduler([3, 3]), r"step \[3, 3\] does not increase"),
        (lambda: MultiFactorScheduler([0, 3]), r"step \[0, 3\] does not increase from 1"),
        (lambda: MultiFactorScheduler([1], 2), "factor 2 is above 1"),
        (lambda: PolyScheduler(0), "PolyScheduler: max_update is a whole number from 1, not 0"),
        (lambda: CosineScheduler(-1), "CosineScheduler: max_update"),
        (lambda: PolyScheduler(2, warmup_steps=-1), "warmup_steps is a whole number from 0"),
        (lambda: PolyScheduler(2, warmup_mode="slow"), "warmup_mode is 'linear' or 'constant'"),
        (
            lambda: PolyScheduler(2, base_lr=0.1, warmup_begin_lr=0.5),
            "warmup_begin_lr 0.5 is above base_lr 0.1",
        ),
    ],
)
def test_arguments_that_make_no_schedule_are_named(
    make: Callable[[], LRScheduler], message: str
) -> None:
    with pytest.raises(ScheduleError, match=message) as caught:
        make()
    assert isinstance(caught.value, ValueError)


def test_changes_of_the_rate_are_logged_in_the_words_of_mxnet(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO")
    schedule = FactorScheduler(2, 0.5, base_lr=1.0, stop_factor_lr=0.3)
    for update in range(8):
        schedule(update)
    assert caplog.messages == [
        "Update[3]: Change learning rate to 5.00000e-01",
        "Update[5]: now learning rate arrived at 3.00000e-01, will not change in the future",
    ]
    caplog.clear()
    steps = MultiFactorScheduler([2, 4], 0.5, base_lr=1.0)
    for update in range(8):
        steps(update)
    assert caplog.messages == [
        "Update[3]: Change learning rate to 5.00000e-01",
        "Update[5]: Change learning rate to 2.50000e-01",
    ]


def test_factor_rises_to_the_lowest_rate_where_it_begins_below() -> None:
    schedule = FactorScheduler(1, 0.1, stop_factor_lr=0.01, base_lr=0.001)
    assert rates(schedule, 4) == [0.001, 0.001, 0.01, 0.01, 0.01]  # as in MXNet
