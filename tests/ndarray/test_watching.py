"""Watched memory: every write to it is counted, whoever watches and whoever writes."""

import copy
import pickle
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from hy_ndarray import NDArray, nd

THREADS = 8


class Watcher:
    """Something that can be watched for."""


@pytest.fixture
def hasty() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def is_counted(array: NDArray) -> bool:
    before = array.device.writes
    array[:] = 1
    return array.device.writes != before


def test_writes_to_watched_memory_are_counted_until_the_watcher_is_gone() -> None:
    watched, other = nd.zeros((64,)), nd.zeros((64,))
    watcher, later = Watcher(), Watcher()
    watched.device.watch(watcher, [watched.buffer])
    assert (is_counted(watched[3:5]), is_counted(other)) == (True, False)
    watched.device.watch(watcher, [other.buffer])
    assert (is_counted(watched), is_counted(other)) == (False, True)
    del watcher
    watched.device.watch(later, [watched.buffer])
    assert (is_counted(watched), is_counted(other)) == (True, False)


def test_a_copied_device_is_the_device_itself() -> None:
    device = nd.zeros((1,)).device
    assert copy.deepcopy(device) is device
    assert pickle.loads(pickle.dumps(device)) is device  # noqa: S301  # our own bytes


@pytest.mark.usefixtures("hasty")
def test_all_who_begin_to_watch_at_once_are_heard() -> None:
    arrays = [nd.zeros((64,)) for _ in range(THREADS)]
    start = Barrier(THREADS)

    def missed(array: NDArray) -> int:
        start.wait(20)
        count = 0
        for _ in range(2000):
            watcher = Watcher()
            array.device.watch(watcher, [array.buffer])
            count += not is_counted(array)
        return count

    with ThreadPoolExecutor(THREADS) as pool:
        assert list(pool.map(missed, arrays)) == [0] * THREADS
