"""A Trainer with a store: where weights are updated, what the store is given, stores of others."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import ParameterDict, Trainer, amp, kvstore, nn
from hy_gluon.kvstore import KVStore, KVStoreBase, KVStoreError
from hy_ndarray import ArgumentError, NDArray, autograd, cpu, nd

SETTINGS = {"learning_rate": 0.1, "momentum": 0.9}


def made(contexts: int = 2, **options: Any) -> tuple[ParameterDict, Trainer]:
    learned = ParameterDict("net_")
    for name in ("w", "b"):
        learned.get(name, shape=(2,), init="ones")
    learned.initialize(ctx=[cpu(i) for i in range(contexts)])
    return learned, Trainer(learned, "sgd", SETTINGS, **options)


def backward(learned: ParameterDict, names: str = "wb", contexts: Any = None) -> None:
    """Gradients of 1 on the first context, 2 on the second."""
    every = learned["net_w"].list_ctx() if contexts is None else contexts
    with autograd.record():
        losses = [
            (ctx.device_id + 1) * sum(learned[f"net_{name}"].data(ctx).sum() for name in names)
            for ctx in every
        ]
    autograd.backward(losses)


def values(learned: ParameterDict, name: str = "w") -> list[float]:
    """The weight on each context."""
    return [float(x.asnumpy()[0]) for x in learned[f"net_{name}"].list_data()]


@pytest.mark.parametrize("store", ["local", "device", "local_allreduce_cpu"])
@pytest.mark.parametrize("on_store", [None, True, False])
def test_weights_are_updated_on_the_store_or_beside_it(store: str, on_store: bool | None) -> None:
    learned, trainer = made(kvstore=store, update_on_kvstore=on_store)
    for _ in range(3):
        backward(learned)
        trainer.step(1)
    assert values(learned) == pytest.approx([-0.683, -0.683], rel=1e-5)  # MXNet 1.9.1's
    assert trainer._kvstore is not None
    assert trainer._kvstore.type == store
    on = on_store is not False
    assert trainer._update_on_kvstore == on
    gradients = [g.asnumpy()[0] for g in learned["net_w"].list_grad()]
    assert gradients == ([1, 2] if on else [3, 3])
    assert [len(updater.states) for updater in trainer._updaters] == ([2] if on else [2, 2])
    counts = trainer.optimizer._all_index_update_counts
    assert {d: c for d, c in counts.items() if c} == dict.fromkeys(
        (0,) if on else (0, 1), counts[0]
    )


@pytest.mark.parametrize("store", ["local", "device", None])
def test_one_context_needs_no_store(store: str | None) -> None:
    learned, trainer = made(1, kvstore=store)
    backward(learned)
    trainer.step(1)
    assert trainer._kvstore is None
    assert not trainer._update_on_kvstore


@pytest.mark.parametrize(("value", "expected"), [("0", False), ("1", True)])
def test_the_environment_says_where_by_default(
    value: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MXNET_UPDATE_ON_KVSTORE", value)
    learned, trainer = made()
    backward(learned)
    trainer.step(1)
    assert trainer._update_on_kvstore is expected


def test_a_store_object_is_used_with_one_context_too() -> None:
    store = kvstore.create("local")
    learned, trainer = made(1, kvstore=store)
    backward(learned)
    trainer.step(1)
    assert trainer._kvstore is store
    out = nd.zeros((2,))
    store.pull(1, out=out)
    assert out.asnumpy()[0] == values(learned)[0]


@pytest.mark.parametrize("on_store", [True, False])
def test_a_store_serves_one_trainer(on_store: bool) -> None:
    store = kvstore.create("device")
    first, trainer = made(kvstore=store, update_on_kvstore=on_store)
    backward(first)
    trainer.step(1)
    learned, trainer = made(kvstore=store, update_on_kvstore=on_store)
    backward(learned)
    with pytest.raises(KVStoreError, match="duplicate init of key 0: a store serves one trainer"):
        trainer.step(1)
    assert values(learned) == [1, 1]


@pytest.mark.parametrize("call", ["allreduce_grads", "update"])
def test_gradients_cannot_be_changed_in_between_on_the_store(call: str) -> None:
    learned, trainer = made()
    backward(learned)
    arguments = [1] if call == "update" else []
    with pytest.raises(KVStoreError, match=rf"{call}\(\) when parameters .*`update_on_kvstore` to"):
        getattr(trainer, call)(*arguments)
    assert values(learned) == [1, 1]


@pytest.mark.parametrize("on_store", [True, False])
def test_weights_that_the_user_changes_are_those_that_are_updated(on_store: bool) -> None:
    learned, trainer = made(update_on_kvstore=on_store)
    backward(learned)
    trainer.step(1)
    learned["net_w"].set_data(nd.full((2,), 5))
    backward(learned)
    trainer.step(1)
    assert values(learned) == pytest.approx([4.43, 4.43])


@pytest.mark.parametrize("on_store", [True, False])
def test_copies_are_equal_after_the_first_step(on_store: bool) -> None:
    learned, trainer = made(update_on_kvstore=on_store)
    learned["net_w"].data(cpu(1))[:] = 7
    backward(learned)
    trainer.step(1)
    assert values(learned) == pytest.approx([0.7, 0.7])


def test_a_rate_that_is_set_counts_on_the_store() -> None:
    learned, trainer = made()
    backward(learned)
    trainer.step(1)
    trainer.set_learning_rate(1.0)
    backward(learned)
    trainer.step(1)
    assert values(learned) == pytest.approx([-2.57, -2.57])


def test_stale_gradients_are_left_out_on_the_store() -> None:
    learned, trainer = made()
    backward(learned)
    trainer.step(1)
    backward(learned, "w")
    with pytest.raises(UserWarning, match="`net_b` on context cpu"):
        trainer.step(1)
    assert values(learned) == pytest.approx([0.7, 0.7])
    trainer.step(1, ignore_stale_grad=True)
    assert values(learned) == pytest.approx([0.13, 0.13])
    assert values(learned, "b") == pytest.approx([0.7, 0.7])
    backward(learned, "w", [cpu(1)])  # its sum is 2
    trainer.step(1, ignore_stale_grad=True)
    assert values(learned) == pytest.approx([-0.583, -0.583])


@pytest.mark.parametrize("on_store", [None, True, False])
def test_a_trainer_compresses_gradients_as_mxnet_does(on_store: bool | None) -> None:
    learned, trainer = made(
        compression_params={"type": "2bit", "threshold": 0.5}, update_on_kvstore=on_store
    )
    for _ in range(3):
        backward(learned)
        trainer.step(1)
    assert values(learned) == pytest.approx([0.439, 0.439])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"kvstore": "devise"}, KVStoreError, "no kvstore 'devise'"),
        ({"kvstore": 3}, ArgumentError, "a store, its name, or None, not a int"),
        ({"kvstore": nn.Dense}, ArgumentError, "base a store of your own on KVStoreBase"),
        ({"compression_params": {"type": "3bit"}}, KVStoreError, "no type '3bit'"),
        (
            {"kvstore": "local", "compression_params": {"type": "2bit"}},
            KVStoreError,
            "not supported for this type of kvstore, 'local'",
        ),
        (
            {"kvstore": "teststore", "compression_params": {"type": "2bit"}},
            KVStoreError,
            "'teststore' does not compress",
        ),
        (
            {"kvstore": "teststore", "update_on_kvstore": True},
            KVStoreError,
            "Please set update_on_kvstore=False when training with TestStore",
        ),
    ],
)
def test_what_a_trainer_cannot_do_with_a_store_is_named(
    options: dict[str, Any], error: Any, message: str
) -> None:
    with pytest.raises(error, match=message):
        made(**options)[1]._init_kvstore()


def test_a_net_whose_shapes_come_later_joins_the_store_later() -> None:
    contexts = [cpu(0), cpu(1)]
    net = nn.HybridSequential()
    net.add(nn.Dense(3, activation="relu"), nn.BatchNorm(), nn.Dense(1))
    net.initialize(ctx=contexts)
    trainer = Trainer(net.collect_params(), "sgd", SETTINGS)
    trainer._init_kvstore()
    for _ in range(2):
        with autograd.record():
            losses = [net(nd.ones((2, 4), ctx=ctx)).sum() for ctx in contexts]
        autograd.backward(losses)
        trainer.step(4)
    for parameter in net.collect_params().values():
        first, second = (array.asnumpy() for array in parameter.list_data())
        np.testing.assert_array_equal(first, second)


class Recording(KVStoreBase):
    """A store of someone else; it writes down what it is asked, and may hold an optimizer."""

    def __init__(self, capable: bool = False, kind: str = "recording") -> None:
        self.kind = kind
        self.calls: list[Any] = []
        self.capable = capable
        self.inner = KVStore("device")

    @property
    def type(self) -> str:
        return self.kind

    def is_capable(self, capability: str) -> bool:
        return capability == "optimizer" and self.capable

    def set_optimizer(self, optimizer: Any) -> None:
        self.inner.set_optimizer(optimizer)

    def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
        self.calls.append(("broadcast", key, isinstance(value, NDArray), len(out), priority))
        self.inner.broadcast(key, value, out)

    def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
        self.calls.append(("pushpull", key, len(value), out and len(out), priority))
        self.inner.pushpull(key, value, out)

    def save_optimizer_states(self, fname: str, dump_optimizer: bool = False) -> None:
        self.inner.save_optimizer_states(fname, dump_optimizer)

    def load_optimizer_states(self, fname: str) -> None:
        self.inner.load_optimizer_states(fname)


@pytest.mark.parametrize("contexts", [1, 2])
@pytest.mark.parametrize("capable", [False, True])
def test_a_store_of_someone_else_gets_mxnets_calls(contexts: int, capable: bool) -> None:
    store = Recording(capable)
    learned, trainer = made(contexts, kvstore=store)
    for _ in range(2):
        backward(learned)
        trainer.step(1)
    started = [("broadcast", key, True, contexts, 0) for key in (0, 1)]
    out = contexts if capable else None
    stepped = [("pushpull", key, contexts, out, -key) for key in (0, 1)]
    assert store.calls == started + stepped * 2
    assert values(learned) == pytest.approx([0.71] if contexts == 1 else [0.13, 0.13])


def test_scaled_losses_of_workers_are_not_for_updates_on_the_store() -> None:
    learned, trainer = made(kvstore=Recording(capable=True, kind="dist_mine"))
    backward(learned)
    trainer.step(1)
    assert trainer._distributed
    with amp.autocast("bfloat16"):
        amp.init_trainer(trainer)
    backward(learned)
    with pytest.raises(KVStoreError, match="the trainer with update_on_kvstore=False"):
        trainer.step(1)
    _, other = made(kvstore=Recording(capable=True, kind="dist_mine"))
    with amp.autocast("bfloat16"):
        amp.init_trainer(other)
    other._init_kvstore()
    assert not other._update_on_kvstore


def test_the_examples_of_the_page_run(capsys: pytest.CaptureFixture[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "distributed.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {}
    registered = dict(KVStoreBase.kv_registry)
    try:
        for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            exec(compile(block, "docs/distributed.md", "exec"), names)  # noqa: S102
        assert capsys.readouterr().out == "2 device\n"
        net, contexts = names["net"], names["devices"]
        with autograd.record():
            losses = [net(names["x"].as_in_context(c)).sum() for c in contexts]
        autograd.backward(losses)
        names["trainer"].step(1)
        assert [g.asnumpy().tolist() for g in net.bias.list_grad()] == [[4], [4]]  # the mean
    finally:
        KVStoreBase.kv_registry.clear()
        KVStoreBase.kv_registry.update(registered)


def test_a_trainer_that_sums_by_itself_is_asked_to() -> None:
    class Halving(Trainer):  # as Horovod's trainer, which sums over its own workers
        def _allreduce_grads(self) -> None:
            for parameter in self._params:
                for gradient in parameter.list_grad():
                    gradient[:] = gradient / 2

    learned, _ = made(1)
    trainer = Halving(learned, "sgd", SETTINGS, kvstore=None)
    backward(learned)
    trainer.step(1)
    assert values(learned) == pytest.approx([0.95])


def test_states_on_a_store_of_someone_else_are_saved_by_it(tmp_path: Path) -> None:
    file = str(tmp_path / "trainer.states")
    nets = [made(kvstore=Recording(capable=True)) for _ in range(2)]
    learned, trainer = nets[0]
    backward(learned)
    trainer.step(1)
    trainer.save_states(file)
    twin, other = nets[1]
    for name in twin:
        twin[name].set_data(learned[name].data(cpu(0)))
    other.load_states(file)
    for net, steps in nets:
        backward(net)
        steps.step(1)
    assert values(twin) == values(learned) == pytest.approx([0.13, 0.13])
