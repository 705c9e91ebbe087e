"""The collector stands still while graphs are built, and goes on afterwards, whatever happens."""

import gc
import os
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from hy_gluon.execution.cached_op import CachedOp
from hy_ndarray import cpu, nd
from hy_symbol import Symbol, load_json, sym, without_collections


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    before = gc.isenabled()
    gc.enable()
    yield
    (gc.enable if before else gc.disable)()


@without_collections
def state() -> bool:
    return gc.isenabled()


@without_collections
def fails() -> None:
    raise ValueError("no graph")


def test_it_stands_still_meanwhile() -> None:
    assert not state()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no graph"):
        fails()
    assert gc.isenabled()


def test_calls_inside_each_other_let_it_go_on_once() -> None:
    @without_collections
    def outer() -> tuple[bool, bool]:
        return state(), gc.isenabled()

    assert outer() == (False, False)
    assert gc.isenabled()


def test_a_user_who_disabled_it_finds_it_disabled() -> None:
    gc.disable()
    assert not state()
    assert not gc.isenabled()


def chain(length: int) -> Symbol:
    net = sym.var("x")
    for _ in range(length):
        net = net + 1
    return net


@pytest.mark.parametrize(
    "prepared",
    [
        lambda net: partial(load_json, net.tojson()),
        lambda net: partial(net.bind, cpu(), [nd.zeros((1,))]),
        lambda net: partial(CachedOp(net), nd.zeros((1,))),
    ],
    ids=["read", "bound", "compiled"],
)
def test_large_graphs_are_built_without_collections(
    prepared: Callable[[Symbol], Callable[[], object]],
) -> None:
    """Thousands of objects are made, and the collector runs once in 700 when it may."""
    build, runs = prepared(chain(2000)), 0

    def counted(phase: str, info: object) -> None:  # gc's
        nonlocal runs
        runs += phase == "start"

    gc.callbacks.append(counted)
    try:
        build()
    finally:
        gc.callbacks.remove(counted)
    assert runs <= 5  # before and after
    assert gc.isenabled()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the platform has no fork")
def test_a_child_of_a_paused_process_collects() -> None:
    @without_collections
    def forked() -> int:
        child = os.fork()
        if child == 0:
            os._exit(int(gc.isenabled()))
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

    assert forked() == 1
