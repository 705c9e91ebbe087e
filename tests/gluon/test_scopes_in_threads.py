"""One scope object entered by two threads at once: each leaves what it entered itself."""

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import Any

import pytest

from hy_gluon import nn
from hy_symbol import AttrScope, NameManager, Prefix, sym
from hy_symbol.graph import name

SCOPES: list[tuple[str, AbstractContextManager[Any]]] = [
    ("block", nn.HybridSequential(prefix="net_").name_scope()),
    ("prefix", Prefix("net_")),
    ("attributes", AttrScope(a="1")),
]
OUTER = nn.HybridSequential(prefix="outer_")


def state() -> tuple[Any, ...]:
    """What a thread sees of scopes; an outermost name manager is its own."""
    node = (name.innermost().get(None, "relu")).rstrip("0123456789")
    return node, AttrScope.current.get(None), nn.Activation("relu").prefix.rstrip("0123456789_")


@pytest.mark.parametrize("scope", [row[1] for row in SCOPES], ids=[row[0] for row in SCOPES])
def test_a_scope_entered_by_two_threads_is_left_by_each_on_its_own(
    scope: AbstractContextManager[Any],
) -> None:
    with ThreadPoolExecutor(1) as pool, AttrScope(b="2"), OUTER.name_scope():
        outside = state(), pool.submit(state).result()
        pool.submit(scope.__enter__).result()
        scope.__enter__()
        inside = state(), pool.submit(state).result()
        pool.submit(scope.__exit__, None, None, None).result()
        assert pool.submit(state).result() == outside[1]
        assert state() == inside[0]
        scope.__exit__(None, None, None)
        assert state() == outside[0]
        assert inside[0] != outside[0]
        assert inside[1] != outside[1]


def test_attributes_of_one_thread_do_not_come_to_another_one_by_a_shared_scope() -> None:
    shared = AttrScope(a="1")

    def elsewhere() -> dict[str, str]:
        with shared:
            return sym.var("x").attr_dict()["x"]

    with ThreadPoolExecutor(1) as pool, AttrScope(b="2"), shared:
        assert sym.var("x").attr_dict()["x"] == {"a": "1", "b": "2"}
        assert pool.submit(elsewhere).result() == {"a": "1"}


@pytest.mark.usefixtures("_short_turns")
def test_names_of_one_manager_differ_whoever_asks() -> None:
    manager, net = NameManager(), nn.HybridSequential(prefix="net_")

    def names(_: int) -> list[str]:
        with net.name_scope():
            blocks = [nn.Dense(1).name for _ in range(20)]
        return [*blocks, *(manager.get(None, "conv") for _ in range(200))]

    with ThreadPoolExecutor(8) as pool:
        found = [name for row in pool.map(names, range(8)) for name in row]
    assert len(set(found)) == len(found)


def test_copies_of_a_block_go_on_counting_where_it_was() -> None:
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        nn.Dense(1)
    for again in (copy.deepcopy(net), pickle.loads(pickle.dumps(net))):  # noqa: S301  # our own
        with again.name_scope():
            assert nn.Dense(1).name == "net_dense1"
    with net.name_scope():
        assert nn.Dense(1).name == "net_dense1"


def test_a_scope_may_be_entered_inside_itself() -> None:
    scope = Prefix("net_")
    before = name.innermost()
    with scope, scope:
        assert name.innermost() is scope
    assert name.innermost() is before
