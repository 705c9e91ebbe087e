"""Tasks that run at once: their results, their errors, tasks within tasks, and after a fork."""

import ctypes
import os
import threading
from functools import partial

import numpy as np
import pytest

from hy_kernels.numpy import _threads
from hy_kernels.numpy._blas import blas
from hy_kernels.numpy._threads import split, together, workers

pytestmark = pytest.mark.usefixtures("two_threads")


def thread() -> int:
    return threading.get_ident()


def meet() -> list[int]:
    """The threads of two tasks that wait for each other."""
    meeting = threading.Barrier(2, timeout=60)

    def task() -> int:
        meeting.wait()
        return thread()

    return together([task, task])


def test_results_come_in_the_order_of_the_tasks() -> None:
    assert together([partial(pow, k, 2) for k in range(7)]) == [0, 1, 4, 9, 16, 25, 36]
    assert together([]) == []


def test_tasks_run_in_two_threads_at_once() -> None:
    assert len(set(meet())) == 2


def test_an_error_is_raised_after_all_have_ended() -> None:
    done: list[int] = []

    def fail(k: int) -> None:
        done.append(k)
        if k:
            raise ValueError(f"task {k}")

    with pytest.raises(ValueError, match=r"task [12]"):
        together([partial(fail, k) for k in range(3)])
    assert 0 in done
    assert together([thread]) == [thread()]
    assert len(set(meet())) == 2


def test_tasks_of_one_of_several_tasks_run_one_after_the_other() -> None:
    def inner() -> bool:
        return workers() == 1 and set(together([thread, thread, thread])) == {thread()}

    assert together([inner, inner]) == [True, True]
    assert workers() == 2


def test_a_single_task_may_have_tasks_of_its_own() -> None:
    def alone() -> int:
        assert workers() == 2
        return len(set(meet()))

    assert together([alone]) == [2]


def test_openblas_has_one_thread_meanwhile() -> None:
    library = blas()
    if library is None:
        pytest.skip("numpy uses another library")
    assert together([library.count]) == [1]
    assert together([library.count, library.count]) == [1, 1]
    assert library.count() == 2


def test_another_thread_works_alone_while_the_team_is_busy() -> None:
    found: list[set[int]] = []

    def other() -> None:
        found.append(set(together([thread, thread])))

    def outer() -> None:
        runner = threading.Thread(target=other)
        runner.start()
        runner.join()

    together([outer])
    assert [len(threads) for threads in found] == [1]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen")
def test_threads_keep_to_cores_of_their_own_only_while_tasks_run() -> None:
    before = os.sched_getaffinity(0)
    meeting = threading.Barrier(2, timeout=60)

    def cores() -> set[int]:
        meeting.wait()
        return os.sched_getaffinity(0)

    one, other = together([cores, cores])
    assert os.sched_getaffinity(0) == before
    if len(before) > 1:
        assert not one & other
        assert one | other <= before


def test_numpys_error_state_is_that_of_the_caller() -> None:
    def divide() -> None:
        np.divide(np.ones(2), np.zeros(2))

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        together([divide, divide])


def test_sleeping_threads_do_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_threads, "_spinning", lambda: None)
    monkeypatch.setattr(_threads, "_team", _threads._Team())
    for _ in range(3):
        assert together([partial(pow, k, 2) for k in range(5)]) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize(
    ("policy", "sleeps"), [("passive", True), ("PASSIVE", True), ("active", False)]
)
def test_the_wait_policy_of_openmp_is_honoured(
    policy: str, sleeps: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    found = _threads._spinning.__wrapped__()
    assert (found is None) == (sleeps or not hasattr(ctypes.CDLL(None), "pthread_spin_lock"))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_child_process_has_threads_of_its_own() -> None:
    meet()
    child = os.fork()
    if child == 0:
        os._exit(0 if len(set(meet())) == 2 else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.parametrize(
    ("size", "parts", "unit", "lengths"),
    [(10, 3, 1, [3, 3, 4]), (2, 5, 1, [1, 1]), (7, 2, 4, [4, 3]), (3, 2, 4, [3]), (0, 2, 1, [0])],
)
def test_a_range_is_split_evenly(size: int, parts: int, unit: int, lengths: list[int]) -> None:
    found = split(size, parts, unit)
    assert [part.stop - part.start for part in found] == lengths
    assert np.concatenate([np.arange(size)[part] for part in found]).tolist() == [*range(size)]
