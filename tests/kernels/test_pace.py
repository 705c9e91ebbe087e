"""Threads help while that saves time, and are tried again from time to time where it does not."""

import pytest

from hy_kernels.numpy.runtime._pace import Pace


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(clock)


def test_help_is_welcome_at_first_and_while_it_saves_time(pace: Pace) -> None:
    assert pace.is_profitable()
    for _ in range(100):
        pace.note(alone=0.01, shared=0.006)
        assert pace.is_profitable()


def test_a_stalled_run_is_followed_by_a_rest(pace: Pace, clock: Clock) -> None:
    pace.note(alone=0.001, shared=0.004)
    assert not pace.is_profitable()
    clock.now += 0.006
    assert pace.is_profitable()


def test_help_that_saves_less_than_a_tenth_rests(pace: Pace) -> None:
    for _ in range(30):
        pace.note(alone=0.001, shared=0.00095)
    assert not pace.is_profitable()


def test_small_losses_add_up(pace: Pace) -> None:
    for _ in range(20):
        pace.note(alone=1e-4, shared=1.4e-4)
    assert pace.is_profitable()
    for _ in range(10):
        pace.note(alone=1e-4, shared=1.4e-4)
    assert not pace.is_profitable()


def test_one_slow_run_after_fast_ones_is_no_reason_to_rest(pace: Pace) -> None:
    for _ in range(3):
        pace.note(alone=0.005, shared=0.003)
    pace.note(alone=0.005, shared=0.008)
    assert pace.is_profitable()


def test_the_rest_doubles_up_to_half_a_second(pace: Pace, clock: Clock) -> None:
    rests = []
    for _ in range(10):
        pace.note(alone=0.001, shared=0.004)
        begin = clock.now
        while not pace.is_profitable():
            clock.now += 1e-3
        rests.append(clock.now - begin)
    assert rests[:3] == pytest.approx([0.005, 0.01, 0.02], abs=2e-3)
    assert rests[-2:] == pytest.approx([0.5, 0.5], abs=2e-3)


def test_a_trial_that_saves_time_ends_the_rest_and_shortens_the_next_ones(
    pace: Pace, clock: Clock
) -> None:
    for _ in range(4):  # the last one is 40 ms
        pace.note(alone=0.001, shared=0.004)
        clock.now += 1.0
    for _ in range(3):
        pace.note(alone=0.03, shared=0.016)
        assert pace.is_profitable()
    pace.note(alone=0.001, shared=0.004)
    clock.now += 0.009
    assert not pace.is_profitable()
    clock.now += 0.002
    assert pace.is_profitable()
