"""Caches by signature: what was used last is kept, and threads may read while one writes."""

from functools import partial
from typing import Any

import pytest

from hy_gluon import HybridBlock
from hy_gluon.execution.cached_op import CachedOp
from hy_ndarray import nd
from hy_symbol import ExecutableCache, setup_lock, sym
from hy_symbol.execution.recent import Recent
from tests.gluon.races import race


def test_the_entry_that_was_not_used_for_longest_goes() -> None:
    recent: Recent[str, int] = Recent(3)
    for i, key in enumerate("abc"):
        recent.add(key, i)
    for key in "aabaa":
        recent.get(key)
    recent.add("d", 3)  # c was added, and never asked for
    assert [recent.get(key) for key in "abcd"] == [0, 1, None, 3]
    recent.get("a")
    recent.add("e", 4)
    assert [recent.get(key) for key in "abde"] == [0, None, 3, 4]
    assert len(recent) == len(list(recent.values())) == 3


def test_an_entry_that_is_put_in_anew_takes_no_other_ones_place() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.add("a", 1)
    recent.add("b", 2)
    recent.add("a", 3)
    assert (recent.get("a"), recent.get("b")) == (3, 2)


class HalfOfTheRows(HybridBlock):
    traced = 0

    def hybrid_forward(self, F: Any, x: Any, *_: Any, **__: Any) -> Any:
        self.traced += 1
        return F.slice_axis(x, axis=0, begin=0, end=x.shape[0] // 2)


def test_a_shape_that_comes_again_and_again_is_traced_once() -> None:
    block = HalfOfTheRows()
    block.hybridize()
    for rows in range(2, 202, 2):
        block(nd.ones((rows, 1)))
        block(nd.ones((2, 1)))
    assert block.traced == 100


def test_programs_of_a_shape_that_comes_again_and_again_are_made_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    op = CachedOp(sym.relu(sym.var("x")))
    made: list[int] = []
    inferred = ExecutableCache._inferred

    def counted(cache: ExecutableCache, known: Any, answers: Any) -> Any:
        made.append(known[0][0][0])
        return inferred(cache, known, answers)

    monkeypatch.setattr(ExecutableCache, "_inferred", counted)
    for rows in range(1, 101):
        op(nd.ones((rows, 1)))
        op(nd.ones((1, 1)))
    assert made == list(range(1, 101))


@pytest.mark.usefixtures("_short_turns")
def test_threads_with_more_shapes_than_are_kept_get_their_results() -> None:
    op = CachedOp(sym.relu(sym.var("x")))

    def call(first: int) -> list[int]:
        return [op(nd.ones((first + n, 1))).shape[0] - first - n for n in range(40)]

    assert race([partial(call, 1 + 20 * k) for k in range(8)]) == [[0] * 40] * 8


@pytest.mark.usefixtures("_short_turns")
def test_readers_take_no_lock() -> None:
    recent: Recent[int, int] = Recent(4)

    def write() -> None:
        for i in range(300):
            with setup_lock():
                recent.add(i % 9, i % 9)

    def read() -> set[bool]:
        return {recent.get(i % 9) in (None, i % 9) for i in range(1000)}

    with setup_lock():
        recent.add(0, 0)
        assert race([read, read]) == [{True}, {True}]
    assert race([write, write, read, read])[2:] == [{True}, {True}]
    assert len(recent) == 4
