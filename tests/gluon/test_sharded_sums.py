"""Sums over workers that begin when gradients are there, in one order on all workers."""

from collections.abc import Callable, Sequence
from itertools import permutations
from typing import Any

import pytest

from hy_gluon.kvstore import sharded_sums
from hy_gluon.kvstore.sharded_sums import ShardedSums
from hy_gluon.kvstore.sharding import Shards
from hy_ndarray import NDArray, nd

SHAPES = [(4, 2), (2,), (3, 2), (5,)]


class Recorder:
    """Workers that note which sums begin, and which are waited for."""

    count, rank = 2, 0

    def __init__(self) -> None:
        self.begun: list[tuple[int, list[tuple[int, ...]]]] = []
        self.finished: list[int] = []

    def begin_sum(self, arrays: Sequence[NDArray], rank: int) -> Callable[[], None]:
        self.begun.append((rank, [array.shape for array in arrays]))
        return lambda: self.finished.append(rank)


def sums_of(recorder: Any, group_bytes: int, monkeypatch: pytest.MonkeyPatch) -> ShardedSums:
    monkeypatch.setattr(sharded_sums, "_GROUP_BYTES", group_bytes)
    shards = Shards.of(SHAPES, [0, 0], by_rows=[True] * len(SHAPES))
    gradients = [nd.zeros(shape) for shape in SHAPES]
    return ShardedSums(recorder, shards, range(len(SHAPES)), gradients, 1.0)


def test_sums_begin_when_all_later_gradients_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    recorder = Recorder()
    sums = sums_of(recorder, 1, monkeypatch)
    sums.add(2)
    pending = [sums.is_pending]
    assert not recorder.begun
    sums.add(3)
    assert [rank for rank, _ in recorder.begun] == [0, 1, 0, 1]
    pending.append(sums.is_pending)
    sums.finish(0)
    assert recorder.finished == [0, 0]
    sums.add_all()
    sums.finish_all()
    assert sorted(recorder.finished) == [0] * 4 + [1] * 4
    assert [*pending, sums.is_pending] == [False, True, False]


@pytest.mark.parametrize("group_bytes", [1, 30, 1 << 20])
def test_the_order_of_sums_is_that_of_keys_alone(
    group_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    orders = set()
    for order in permutations(range(len(SHAPES))):
        recorder = Recorder()
        sums = sums_of(recorder, group_bytes, monkeypatch)
        for number in order:
            sums.add(number)
        orders.add(repr(recorder.begun))
        rows = sum(shape[0] for _, shapes in recorder.begun for shape in shapes)
        assert rows == sum(shape[0] for shape in SHAPES)
    assert len(orders) == 1


def test_sums_are_of_their_own_gradients_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    sums = sums_of(Recorder(), 1, monkeypatch)
    gradients = sums._gradients
    assert sums.are_of([0, 1, 2, 3], gradients)
    assert not sums.are_of([0, 1, 2, 4], gradients)
    assert not sums.are_of([0, 1, 2, 3], [gradient.copy() for gradient in gradients])
