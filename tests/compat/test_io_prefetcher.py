"""Work prefetcher in threads: results in order, errors once, nothing lost by an interrupt."""

import os
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from mxnet.io.prefetcher import Prefetcher, processors


def counter(count: int) -> Any:
    numbers = iter(range(count))
    return lambda: next(numbers, None)


def work(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number * number


def results(prefetcher: Prefetcher[int, int]) -> list[Any]:
    found: list[Any] = []
    while (step := prefetcher.next()) is not None:
        task, result = step
        found.append((task, result if isinstance(result, int) else type(result)))
    return found


@pytest.mark.parametrize("threads", [0, 1, 4])
@pytest.mark.parametrize("most", [0, 1, 3, 100])
def test_results_come_in_order_with_what_was_raised(threads: int, most: int) -> None:
    prefetcher = Prefetcher(counter(20), work, threads, most)
    expected: list[Any] = [(i, i * i) for i in range(20)]
    expected[3] = (3, ValueError)
    assert results(prefetcher) == expected
    prefetcher.close()


def test_only_so_many_tasks_are_begun() -> None:
    begun: list[int] = []

    def count(number: int) -> int:
        begun.append(number)
        return number

    prefetcher = Prefetcher(counter(20), count, 2, 3)
    prefetcher.next()
    prefetcher.close()
    assert max(begun) <= 3


def test_an_interrupt_while_waiting_loses_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    prefetcher = Prefetcher(counter(4), lambda number: number, 1, 2)
    assert prefetcher.next() == (0, 0)
    with monkeypatch.context() as patched:

        def interrupted(_: Future[Any]) -> None:
            raise KeyboardInterrupt

        patched.setattr(Future, "exception", interrupted)
        with pytest.raises(KeyboardInterrupt):
            prefetcher.next()
    assert results(prefetcher) == [(1, 1), (2, 2), (3, 3)]
    prefetcher.close()


def test_dropped_tasks_are_not_given() -> None:
    gate = threading.Event()
    prefetcher = Prefetcher(counter(9), lambda number: gate.wait() and number, 1, 3)
    gate.set()
    assert prefetcher.next() == (0, 0)
    prefetcher.clear()
    assert prefetcher.next() == (4, 4)
    prefetcher.close()


def test_there_is_a_processor() -> None:
    assert 1 <= processors() <= (os.cpu_count() or 1)
