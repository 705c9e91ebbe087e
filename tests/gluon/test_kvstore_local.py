"""Stores of one process: what is pushed, pulled, updated, compressed and saved."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import kvstore
from hy_gluon.kvstore import KVStore, KVStoreBase, KVStoreError
from hy_gluon.optimizer import SGD, Adam, OptimizerError, StatesError, Updater
from hy_ndarray import ArgumentError, NDArray, ShapeError, autograd, cpu, nd, np as mnp


def filled(value: float, context: int = 0) -> NDArray:
    array: NDArray = nd.full((2,), value, ctx=cpu(context))
    return array


def made(name: str = "local", key: Any = 3, value: float = 1.0) -> KVStore:
    store = kvstore.create(name)
    assert isinstance(store, KVStore)
    store.init(key, filled(value))
    return store


def kept(store: KVStore, key: Any = 3) -> float:
    out = filled(-9)
    store.pull(key, out=out)
    first, second = out.asnumpy().tolist()
    assert first == second
    return float(first)


@pytest.mark.parametrize("name", kvstore.kvstore.LOCAL)
def test_a_store_of_one_process_is_the_only_worker(name: str) -> None:
    store = kvstore.create(name.upper())
    assert (store.type, store.rank, store.num_workers) == (name, 0, 1)


@pytest.mark.parametrize("name", ["local", "device"])
def test_the_sum_of_what_is_pushed_replaces_what_is_kept(name: str) -> None:
    store = made(name)
    assert kept(store) == 1
    store.push(3, filled(5))
    assert kept(store) == 5
    store.push(3, [filled(5), filled(7, context=1)])
    assert kept(store) == 12
    store.push(3, [filled(1), filled(2, 1), filled(4, 2), filled(8, 3)])
    assert kept(store) == 15


def test_arrays_stay_on_the_cpu_or_go_where_values_first_come_from() -> None:
    found = {}
    for name in ("local", "device"):
        store = made(name)
        store.set_optimizer(SGD(learning_rate=0.5, momentum=0.5))
        store.push(3, filled(1, context=2))
        store.push(3, filled(1, context=1))
        found[name] = str(store._stored[3].context), kept(store)
    assert found == {"local": ("cpu(0)", -0.25), "device": ("cpu(2)", -0.25)}


def test_several_keys_at_once() -> None:
    store = KVStore("local")
    store.init([5, 6], [filled(5), filled(6)])
    assert (kept(store, 5), kept(store, 6)) == (5, 6)
    store.push([5, 6], [[filled(50), filled(1)], [filled(60), filled(1)]])
    assert (kept(store, 5), kept(store, 6)) == (51, 61)
    store.push([5, 5], [filled(50), filled(60)])  # one key twice: summed
    assert kept(store, 5) == 110
    both, one = [filled(0), filled(0, 1)], filled(0)
    store.pull((5, 6), out=[both, one])
    assert [x.asnumpy()[0] for x in (*both, one)] == [110, 110, 61]


def test_a_store_has_arrays_of_its_own() -> None:
    store = KVStore("device")
    start, pushed = filled(1), filled(2)
    store.init(3, start)
    start[:] = 7
    assert kept(store) == 1
    store.push(3, pushed)
    pushed[:] = 7
    out = filled(0)
    store.pull(3, out=out)
    out += 1
    assert kept(store) == 2


def test_what_is_pulled_has_the_dtype_of_the_target() -> None:
    store = made()
    store.push(3, filled(1.5).astype("float64"))
    out = nd.zeros((2,), dtype="float16")
    store.pull(3, out=out)
    assert out.dtype == np.float16
    assert out.asnumpy().tolist() == [1.5, 1.5]


def test_pushpull_writes_sums_into_values_or_targets() -> None:
    store = made()
    values = [filled(4), filled(5, 1)]
    store.pushpull(3, values)
    assert [x.asnumpy()[0] for x in values] == [9, 9]
    values, out = [filled(4), filled(5)], filled(0)
    store.pushpull(3, values, out=out)
    assert [x.asnumpy()[0] for x in (*values, out)] == [4, 5, 9]
    assert kept(store) == 9


def test_broadcast_initializes_and_pulls() -> None:
    store = KVStore("local")
    outs = [filled(0), filled(0, 1)]
    store.broadcast(10, filled(3), out=outs)
    assert [x.asnumpy()[0] for x in outs] == [3, 3]
    assert kept(store, 10) == 3
    with pytest.raises(KVStoreError, match="duplicate init of key 10"):
        store.broadcast(10, filled(4), out=outs)


def test_arrays_of_mx_np_are_values_too() -> None:
    store = KVStore("device")
    store.init(3, mnp.ones((2,)))
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    values = [mnp.array([4.0, 0.1]), mnp.array([4.0, 0.1])]
    store.pushpull(3, values)
    assert isinstance(values[0], mnp.ndarray)
    assert values[0].asnumpy().tolist() == [1, 0]


def test_what_a_store_does_is_not_recorded() -> None:
    store, weight = made(), filled(2)
    weight.attach_grad()
    with autograd.record():
        loss = weight * 3
        store.pushpull(3, weight * 2, out=filled(0))
    loss.backward()
    assert weight.grad is not None
    assert weight.grad.asnumpy().tolist() == [3, 3]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda s: s.init(3, filled(1)), KVStoreError, "duplicate init of key 3"),
        (lambda s: s.init([7, 7], [filled(1)] * 2), KVStoreError, "duplicate init of key 7"),
        (lambda s: s.init([8, 3], [filled(1)] * 2), KVStoreError, "duplicate init of key 3"),
        (lambda s: s.init("a", filled(1)), KVStoreError, "Mixed key types are not allowed: 'a'"),
        (lambda s: s.init([8, "a"], [filled(1)] * 2), KVStoreError, "Mixed key types"),
        (lambda s: s.init(8, [filled(1)] * 2), ArgumentError, "key 8 has 2 values"),
        (lambda s: s.init([8, 9], [filled(1)]), ArgumentError, "2 keys need as many values, not 1"),
        (lambda s: s.init([8], filled(1)), ArgumentError, "1 keys need a list of values"),
        (lambda s: s.init(2.5, filled(1)), ArgumentError, "a number or a text, not 2.5"),
        (lambda s: s.init(8, np.ones(2)), ArgumentError, "key 8: a value is an NDArray"),
        (lambda s: s.push("a", filled(1)), KVStoreError, "Mixed key types"),
        (lambda s: s.push(4, filled(1)), KVStoreError, "key 4 has not been inited"),
        (lambda s: s.pushpull(4, filled(1)), KVStoreError, "key 4 has not been inited"),
        (lambda s: s.push([3, 4], [filled(5)] * 2), KVStoreError, "key 4 has not been inited"),
        (lambda s: s.pull(4, out=filled(1)), KVStoreError, "key 4 has not been inited"),
        (lambda s: s.pull(3), ArgumentError, "pull needs out"),
        (lambda s: s.broadcast(4, filled(1), None), ArgumentError, "broadcast needs out"),
        (lambda s: s.push(3, nd.ones((3,))), ShapeError, r"push: key 3 holds an array \(2,\)"),
        (lambda s: s.pull(3, out=nd.ones((1, 2))), ShapeError, r"pull: .*got \(1, 2\)"),
        (lambda s: s.set_optimizer("sgd"), OptimizerError, "takes an Optimizer, not a str"),
        (lambda s: s.is_capable("foo"), KVStoreError, "Unknown capability: foo"),
        (lambda s: s.save_optimizer_states("x"), KVStoreError, "save optimizer states: the store"),
        (lambda s: s.load_optimizer_states("x"), KVStoreError, "load optimizer states: the store"),
        (lambda s: s.row_sparse_pull(3, out=filled(1)), ArgumentError, "needs out and row_ids"),
        (lambda s: s.set_gradient_compression({"type": "2bit"}), KVStoreError, "not supported"),
    ],
)
def test_a_wrong_call_is_named_and_changes_nothing(call: Any, error: Any, message: str) -> None:
    store = made()
    with pytest.raises(error, match=message):
        call(store)
    assert kept(store) == 1
    assert list(store._stored) == [3]


def test_an_updater_is_given_key_sum_and_what_is_kept() -> None:
    store, seen = made(), []
    store.init(9, filled(1))

    def update(key: Any, value: NDArray, array: NDArray) -> None:
        seen.append((key, value.asnumpy()[0], array.asnumpy()[0]))
        array += value * 2

    store._set_updater(update)
    store.push(3, [filled(1), filled(2, 1)])
    store.push([9, 3], [filled(1), filled(1)])
    assert seen == [(3, 3, 1), (9, 1, 1), (3, 1, 7)]
    value = filled(1)
    store.pushpull(3, value)
    assert value.asnumpy()[0] == kept(store) == 11


def test_names_reach_an_updater_as_text() -> None:
    store, seen = made(key="w"), []
    store._set_updater(lambda key, value, array: seen.append(key))
    store.push("w", filled(1))
    assert seen == ["w"]


@pytest.mark.parametrize("name", ["local", "device"])
def test_an_optimizer_on_the_store_gives_mxnets_numbers(name: str) -> None:
    store = made(name, key=0)
    store.set_optimizer(SGD(learning_rate=0.1, momentum=0.9))
    found = []
    for _ in range(3):
        store.push(0, [filled(1), filled(2, 1)])
        found.append(kept(store, 0))
    np.testing.assert_allclose(found, [0.7, 0.13, -0.683], rtol=1e-5)
    values = [filled(1), filled(2, 1)]
    store.pushpull(0, values)
    np.testing.assert_allclose([x.asnumpy()[0] for x in values], [-1.7147] * 2, rtol=1e-5)
    assert isinstance(store._updater, Updater)
    assert list(store._updater.states) == [0]


def test_an_optimizer_knows_parameters_by_name() -> None:
    store = made(key="w")
    optimizer = SGD(learning_rate=0.5)
    optimizer.set_lr_mult({"w": 0.5})
    store.set_optimizer(optimizer)
    store.push("w", filled(1))
    assert kept(store, "w") == 0.75


COMPRESSED = [[0, 0, 0.5, -0.5, 0.5, 0], [0.5, -0.5, 0.5, -0.5, 0.5, 0]]
"""What MXNet 1.9.1 gives for the gradient below, by step: which of the two."""


@pytest.mark.parametrize("contexts", [1, 2])
def test_compressed_gradients_are_mxnets(contexts: int) -> None:
    store = KVStore("device")
    store.init(3, nd.zeros((6,)))
    store.set_gradient_compression({"type": "2bit", "threshold": "0.5"})
    out = nd.zeros((6,))
    for which in (0, 1, 0, 1, 1):
        values = [nd.array([0.3, -0.3, 0.6, -0.6, 1.7, 0], ctx=cpu(i)) for i in range(contexts)]
        store.push(3, values)
        store.pull(3, out=out)
        assert out.asnumpy().tolist() == (contexts * np.array(COMPRESSED[which])).tolist()


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (None, ArgumentError, "a dictionary, not a NoneType"),
        ("2bit", ArgumentError, "a dictionary, not a str"),
        ({}, KVStoreError, "no type None"),
        ({"type": "1bit"}, KVStoreError, "no type '1bit'"),
        ({"type": "2bit", "speed": 1}, KVStoreError, "no parameter 'speed'"),
        ({"type": "2bit", "threshold": 0}, KVStoreError, "must be greater than 0, not 0"),
        ({"type": "2bit", "threshold": -1}, KVStoreError, "must be greater than 0, not -1"),
        ({"type": "2bit", "threshold": "x"}, KVStoreError, "must be greater than 0, not 'x'"),
    ],
)
def test_wrong_compression_is_named(params: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        KVStore("device").set_gradient_compression(params)


def test_rows_are_pulled_into_row_sparse_arrays_from_such_alone() -> None:
    store = KVStore("local")
    store.init("emb", nd.arange(8).reshape((4, 2)).tostype("row_sparse"))
    outs: list[Any] = [nd.full((4, 2), 9, ctx=c).tostype("row_sparse") for c in (cpu(0), cpu(1))]
    store.row_sparse_pull("emb", out=outs, row_ids=nd.array([3, 1, 3]))
    for out in outs:
        assert out.asnumpy().tolist() == [[0, 0], [2, 3], [0, 0], [6, 7]]
    store.row_sparse_pull("emb", out=outs, row_ids=[nd.array([0]), nd.array([2], ctx=cpu(1))])
    assert [out.asnumpy()[:, 1].tolist() for out in outs] == [[1, 0, 0, 0], [0, 0, 5, 0]]
    with pytest.raises(ArgumentError, match="3 arrays of row_ids for 2 of out"):
        store.row_sparse_pull("emb", out=outs, row_ids=[nd.array([0])] * 3)
    with pytest.raises(KVStoreError, match="'emb' keeps a row_sparse array, and out is default"):
        store.row_sparse_pull("emb", out=nd.zeros((4, 2)), row_ids=nd.array([1]))
    store.init("dense", nd.ones((4, 2)))
    with pytest.raises(KVStoreError, match="'dense' keeps a default array"):
        store.row_sparse_pull("dense", out=outs, row_ids=nd.array([1]))


@pytest.mark.parametrize("kept", ["default", "row_sparse"])
def test_pulls_leave_sparse_arrays_as_they_are_and_fill_dense_ones(kept: str) -> None:
    for out, value in (("default", 1), ("row_sparse", 2)):
        store = KVStore("local")
        target: Any = nd.full((3, 2), 2).tostype(out)
        store.init(3, nd.ones((3, 2)).tostype(kept))
        store.pull(3, out=target)
        assert target.asnumpy().tolist() == [[value, value]] * 3
        store.pushpull(3, nd.ones((3, 2)).tostype(kept), out=target)
        assert target.asnumpy().tolist() == [[value, value]] * 3
        store.pull(3, out=target, ignore_sparse=False)
        assert target.asnumpy().tolist() == [[1, 1]] * 3


@pytest.mark.parametrize("dumped", [False, True])
def test_saved_states_of_a_store_continue_the_trajectory(dumped: bool, tmp_path: Path) -> None:
    file = str(tmp_path / "store.states")
    first = made()
    first.set_optimizer(SGD(learning_rate=0.1, momentum=0.9))
    first.push(3, filled(1))
    first.save_optimizer_states(file, dump_optimizer=dumped)
    second = made(value=kept(first))
    second.set_optimizer(SGD(learning_rate=0.1 if not dumped else 9.0, momentum=0.9))
    second.load_optimizer_states(file)
    for store in (first, second):
        store.push(3, filled(1))
    assert kept(first) == kept(second) == pytest.approx(0.71)


def test_damaged_states_of_a_store_name_the_file(tmp_path: Path) -> None:
    file = tmp_path / "store.states"
    store = made()
    store.set_optimizer(Adam())
    file.write_bytes(b"nothing")
    with pytest.raises(StatesError) as caught:
        store.load_optimizer_states(str(file))
    assert f"in file {file}" in caught.value.__notes__


def test_a_store_alone_waits_for_nobody() -> None:
    store = made()
    store.barrier()
    store._barrier()
    store._send_command_to_servers(0, "stop")
    assert store.is_capable("optimizer")


def test_a_name_without_a_store_is_named() -> None:
    with pytest.raises(KVStoreError, match=r"no kvstore 'devise'; known are device, .*register"):
        kvstore.create("devise")
    create: Any = kvstore.create
    for wrong in (3, None):
        with pytest.raises(ArgumentError, match="the name of a store is a text"):
            create(wrong)


@pytest.fixture
def registered() -> Any:
    before = dict(KVStoreBase.kv_registry)
    yield KVStoreBase.kv_registry
    KVStoreBase.kv_registry.clear()
    KVStoreBase.kv_registry.update(before)


def test_stores_of_others_are_found_by_name(registered: dict[str, Any]) -> None:
    first: Any = type("Mine", (KVStoreBase,), {})
    second: Any = type("Mine", (KVStoreBase,), {})
    register: Any = KVStoreBase.register
    assert register(first) is first
    assert type(kvstore.create("MINE")) is first
    with pytest.warns(UserWarning, match="store 'mine' is now"):
        register(second)
    assert type(kvstore.create("mine")) is second
    with pytest.raises(ArgumentError, match="takes a class of stores, not a int"):
        register(3)


def test_a_store_without_a_method_says_which() -> None:
    store: Any = KVStoreBase()
    calls = {
        "broadcast": (0, 0, 0),
        "pushpull": (0, 0),
        "is_capable": ("optimizer",),
        "set_optimizer": (SGD(),),
        "save_optimizer_states": ("x",),
        "load_optimizer_states": ("x",),
    }
    for name, arguments in calls.items():
        with pytest.raises(NotImplementedError):
            getattr(store, name)(*arguments)
    for name in ("type", "rank", "num_workers"):
        with pytest.raises(NotImplementedError, match=f"KVStoreBase must define {name}"):
            getattr(store, name)


def test_the_smallest_store_sums_and_keeps_nothing() -> None:
    store = kvstore.create("teststore")
    assert (store.type, store.rank, store.num_workers) == ("teststore", 0, 1)
    values, out = [filled(1), filled(2, 1)], filled(0)
    store.pushpull(0, values)
    store.broadcast(0, filled(4), out=out)
    assert [x.asnumpy()[0] for x in (*values, out)] == [3, 3, 4]
    assert not store.is_capable("optimizer")
