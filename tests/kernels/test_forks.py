"""A process that computes in threads can be forked at any time."""

import os
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable

import pytest

from hy_kernels.numpy import table
from hy_kernels.numpy.runtime import _pool
from hy_kernels.numpy.runtime._pool import together

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")

PROGRAM = """
import os
import threading
import numpy as np
from hy_kernels.numpy import table

table()
product = np.ones((600, 600))
threads = [threading.Thread(target=lambda: [product @ product for _ in range(60)]) for _ in "ab"]
for thread in threads:
    thread.start()
for _ in range(4):
    child = os.fork()
    if child == 0:
        os._exit(int((product @ product)[0, 0]) != 600)
    assert os.waitpid(child, 0)[1] == 0
for thread in threads:
    thread.join()
"""


def ours() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "hy-kernels"]


def fork() -> int:
    """Fork a process that ends at once; its exit code."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.usefixtures("two_threads")
def test_the_threads_of_the_table_end_before_a_fork_and_come_again() -> None:
    table()
    together([int, int])
    assert ours()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # of forks beside threads, from Python 3.12 on
        assert fork() == 0
    assert not ours()
    assert together([int, int]) == [0, 0]
    assert ours()


@pytest.mark.usefixtures("two_threads")
def test_a_task_may_fork() -> None:
    tasks: list[Callable[[], int]] = [fork, int]
    assert together(tasks) == [0, 0]


@pytest.mark.usefixtures("two_threads")
def test_a_fork_waits_for_a_thread_that_has_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, forking = threading.Event(), threading.Event()
    order: list[str] = []
    pause = _pool.pause

    def noted(patience: float) -> Callable[[], None]:
        forking.set()
        return pause(patience)

    def task() -> None:
        begun.set()
        forking.wait(20)
        order.append("computed")

    monkeypatch.setattr(_pool, "pause", noted)
    thread = threading.Thread(target=together, args=([task, int],))
    thread.start()
    begun.wait(20)
    assert fork() == 0
    order.append("forked")
    thread.join()
    assert order == ["computed", "forked"]


@pytest.mark.slow
def test_a_process_forks_while_threads_are_inside_of_openblas() -> None:
    command = [sys.executable, "-c", PROGRAM]
    assert subprocess.run(command, check=False, timeout=120).returncode == 0  # noqa: S603  # our own program
