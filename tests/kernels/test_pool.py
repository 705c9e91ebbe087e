"""Tasks that run at once: results, errors and interrupts, tasks within tasks, forks, exits."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from hy_kernels.numpy import num_threads, set_num_threads
from hy_kernels.numpy.runtime import _blas, _pool
from hy_kernels.numpy.runtime._pace import Pace
from hy_kernels.numpy.runtime._pool import num_chunks, split, together

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


@pytest.fixture(autouse=True)
def _libraries_of_now() -> Iterator[None]:
    """Another test of this process may have loaded one more BLAS, such as SciPy's."""
    _blas._libraries.cache_clear()
    yield
    _blas._libraries.cache_clear()


def blas_threads() -> int:
    counts = [row["num_threads"] for row in threadpool_info() if row["user_api"] == "blas"]
    return int(max(counts))


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
    assert sorted(done) == [0, 1, 2]
    assert together([thread]) == [thread()]
    assert len(set(meet())) == 2


def test_an_interrupt_is_raised_after_the_other_thread_has_ended_its_task() -> None:
    begun, ended = threading.Event(), threading.Event()
    caller = thread()

    def task() -> None:
        if thread() != caller:
            begun.set()
            assert interrupted.wait(timeout=60)
            ended.set()
        else:
            assert begun.wait(timeout=60)
            interrupted.set()
            raise KeyboardInterrupt

    interrupted = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        together([task, task])
    assert ended.is_set()
    assert len(set(meet())) == 2


def test_tasks_that_nobody_took_are_dropped_after_an_interrupt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Pace, "is_profitable", lambda _: False)
    done: list[int] = []

    def task(k: int) -> None:
        done.append(k)
        if k == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        together([partial(task, k) for k in range(4)])
    assert done == [0, 1]


def test_whoever_is_free_takes_the_next_task() -> None:
    caller, others = thread(), threading.Event()
    by_caller: list[int] = []

    def task(k: int) -> None:
        if thread() != caller:
            assert others.wait(timeout=60)  # stalls in its first task until the caller did the rest
        else:
            by_caller.append(k)
            if len(by_caller) == 3:
                others.set()

    def first() -> None:
        if thread() == caller:
            assert started.wait(timeout=60)
        else:
            started.set()
        task(0)

    started = threading.Event()
    tasks: list[Callable[[], None]] = [first, first, partial(task, 1), partial(task, 2)]
    together(tasks)
    assert len(by_caller) == 3


def test_nobody_waits_for_a_thread_that_has_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_pool._Pool, "_work", lambda _: None)  # threads that never come
    monkeypatch.setattr(_pool, "_pool", _pool._Pool())
    for _ in range(3):
        assert together([thread, thread, thread]) == [thread()] * 3


def test_a_thread_that_wakes_late_finds_nothing_to_do() -> None:
    done: list[int] = []
    job = _pool._Job([partial(done.append, k) for k in range(2)])
    assert job.compute() == 2
    job.end()
    job.help()
    assert done == [0, 1]


def test_threads_are_not_called_while_they_save_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Pace, "is_profitable", lambda _: False)
    assert together([thread] * 4) == [thread()] * 4


def test_tasks_of_one_of_several_tasks_run_one_after_the_other() -> None:
    def inner() -> bool:
        return num_chunks(100, 1) == 1 and set(together([thread] * 3)) == {thread()}

    assert together([inner, inner]) == [True, True]
    assert num_chunks(100, 1) == 2


def test_a_single_task_may_have_tasks_of_its_own() -> None:
    def alone() -> int:
        assert num_chunks(100, 1) == 2
        return len(set(meet()))

    assert together([alone]) == [2]


def test_work_is_cut_alike_whoever_has_the_threads() -> None:
    found: list[int] = []

    def outer() -> None:
        runner = threading.Thread(target=lambda: found.append(num_chunks(1 << 20, 1)))
        runner.start()
        runner.join()

    together([outer, thread])
    assert found == [num_chunks(1 << 20, 1)]


@pytest.mark.parametrize(
    ("work", "least", "chunks"), [(9, 10, 1), (10, 10, 2), (39, 10, 2), (1000, 10, 2), (0, 1, 1)]
)
def test_small_work_is_not_cut(work: int, least: int, chunks: int) -> None:
    assert num_chunks(work, least) == chunks


@pytest.mark.skipif(
    not any(row["user_api"] == "blas" for row in threadpool_info()), reason="unknown BLAS"
)
def test_blas_has_one_thread_meanwhile_and_then_what_it_had() -> None:
    before = blas_threads()
    assert together([blas_threads]) == [1]
    assert together([blas_threads, blas_threads]) == [1, 1]
    assert together([lambda: together([blas_threads])[0]]) == [1]
    assert blas_threads() == before


@pytest.mark.skipif(
    not any(row["user_api"] == "blas" for row in threadpool_info()), reason="unknown BLAS"
)
def test_blas_has_one_thread_until_the_last_of_several_threads_has_ended() -> None:
    before, found = blas_threads(), []
    inside, end = threading.Event(), threading.Event()

    def stay() -> None:
        inside.set()
        assert end.wait(timeout=60)

    runner = threading.Thread(target=together, args=([stay],))
    runner.start()
    assert inside.wait(timeout=60)
    together([lambda: found.append(blas_threads())])
    found.append(blas_threads())
    end.set()
    runner.join()
    assert found == [1, 1]
    assert blas_threads() == before


def test_another_thread_works_alone_while_the_threads_are_taken() -> None:
    found: list[set[int]] = []

    def other() -> None:
        found.append(set(together([thread, thread])))

    def outer() -> None:
        runner = threading.Thread(target=other)
        runner.start()
        runner.join()

    together([outer, thread])
    assert [len(threads) for threads in found] == [1]


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen")
def test_no_thread_is_bound_to_a_core() -> None:
    before = os.sched_getaffinity(0)
    meeting = threading.Barrier(2, timeout=60)

    def cores() -> set[int]:
        meeting.wait()
        return os.sched_getaffinity(0)

    assert together([cores, cores]) == [before, before]


def test_numpys_error_state_is_that_of_the_caller() -> None:
    def divide() -> None:
        np.divide(np.ones(2), np.zeros(2))

    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        together([divide, divide])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_process_has_threads_of_its_own() -> None:
    meet()

    def fork() -> int:
        child = os.fork()
        if child == 0:
            os._exit(0 if len(set(meet())) == 2 else 1)
        return os.waitpid(child, 0)[1]

    assert fork() == 0
    assert together([fork]) == [0]
    assert together([lambda: 0, fork]) == [0, 0]


AT_EXIT = """
import atexit, threading
from hy_kernels.numpy import set_num_threads, table

set_num_threads(2)
together = table().together
atexit.register(lambda: print(together([lambda: 1, lambda: 2])))


class Late:
    def __del__(self):
        print(together([lambda: 3, lambda: 4]))


late = Late()
together([lambda: 0, lambda: 0])
"""


def test_tasks_run_while_the_interpreter_ends() -> None:
    command = [sys.executable, "-W", "error", "-c", AT_EXIT]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)  # noqa: S603  # ourselves
    assert (done.stdout, done.stderr) == ("[1, 2]\n[3, 4]\n", "")


def test_the_number_of_threads_can_be_set() -> None:
    set_num_threads(3)
    assert num_threads() == 3
    assert num_chunks(1 << 20, 1) == 3
    with pytest.raises(ValueError, match="set_num_threads: count must be at least 1, not 0"):
        set_num_threads(0)
    assert num_threads() == 3


@pytest.mark.parametrize(
    ("size", "parts", "unit", "lengths"),
    [(10, 3, 1, [3, 3, 4]), (2, 5, 1, [1, 1]), (7, 2, 4, [4, 3]), (3, 2, 4, [3]), (0, 2, 1, [0])],
)
def test_a_range_is_split_evenly(size: int, parts: int, unit: int, lengths: list[int]) -> None:
    found = split(size, parts, unit)
    assert [part.stop - part.start for part in found] == lengths
    assert np.concatenate([np.arange(size)[part] for part in found]).tolist() == [*range(size)]
