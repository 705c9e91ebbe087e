"""Work ahead in threads: results in order, errors once, nothing lost by an interrupt."""

import os
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from mxnet.io.ahead import Ahead, processors


def counter(count: int) -> Any:
    numbers = iter(range(count))
    return lambda: next(numbers, None)


def work(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number * number


def results(ahead: Ahead[int, int]) -> list[Any]:
    found: list[Any] = []
    while (step := ahead.next()) is not None:
        task, result = step
        found.append((task, result if isinstance(result, int) else type(result)))
    return found


@pytest.mark.parametrize("threads", [0, 1, 4])
@pytest.mark.parametrize("most", [0, 1, 3, 100])
def test_results_come_in_order_with_what_was_raised(threads: int, most: int) -> None:
    ahead = Ahead(counter(20), work, threads, most)
    expected: list[Any] = [(i, i * i) for i in range(20)]
    expected[3] = (3, ValueError)
    assert results(ahead) == expected
    ahead.close()


def test_only_so_many_tasks_are_begun() -> None:
    begun: list[int] = []

    def count(number: int) -> int:
        begun.append(number)
        return number

    ahead = Ahead(counter(20), count, 2, 3)
    ahead.next()
    ahead.close()
    assert max(begun) <= 3


def test_an_interrupt_while_waiting_loses_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    ahead = Ahead(counter(4), lambda number: number, 1, 2)
    assert ahead.next() == (0, 0)
    with monkeypatch.context() as patched:

        def interrupted(_: Future[Any]) -> None:
            raise KeyboardInterrupt

        patched.setattr(Future, "exception", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ahead.next()
    assert results(ahead) == [(1, 1), (2, 2), (3, 3)]
    ahead.close()


def test_dropped_tasks_are_not_given() -> None:
    gate = threading.Event()
    ahead = Ahead(counter(9), lambda number: gate.wait() and number, 1, 3)
    gate.set()
    assert ahead.next() == (0, 0)
    ahead.forget()
    assert ahead.next() == (4, 4)
    ahead.close()


def test_there_is_a_processor() -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
