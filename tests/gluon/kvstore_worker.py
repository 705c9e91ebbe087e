"""Programs of workers: ``python kvstore_worker.py NAME`` prints what it found, as JSON."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from hy_gluon import ParameterDict, Trainer, TrainStep, kvstore, loss, nn
from hy_gluon.kvstore import WorkerError
from hy_gluon.optimizer import SGD
from hy_ndarray import NDArray, autograd, cpu, nd, random

GRADIENT = [0.3, -0.3, 0.6, -0.6, 1.7, 0, 0.2]


def numbers(array: NDArray) -> list[float]:
    found: list[float] = array.astype("float64").asnumpy().ravel().tolist()
    return found


def net_and_data() -> tuple[nn.HybridSequential, Any, Any]:
    """A net whose shapes are not known yet, and a batch of 8 rows."""
    rng = np.random.default_rng(7)
    net = nn.HybridSequential(prefix="net_")
    with net.name_scope():
        net.add(nn.Dense(5, activation="tanh"), nn.Dense(3))
    return net, rng.normal(size=(8, 4)), rng.integers(0, 3, size=(8,))


def train(
    rows: list[slice], steps: int = 4, *, whole: bool = False, **options: Any
) -> tuple[list[float], Trainer]:
    """Weights after some steps on these rows of the batch, a context for each slice.

    With ``whole``, of the one slice, by a TrainStep.
    """
    net, x, y = net_and_data()
    contexts = [cpu(i) for i in range(len(rows))]
    net.initialize("xavier", ctx=contexts)
    net.hybridize()
    optimizer = options.pop("optimizer", "sgd")
    settings = {"learning_rate": 0.1, **({"momentum": 0.9} if optimizer == "sgd" else {})}
    trainer = Trainer(net.collect_params(), optimizer, settings, **options)
    criterion = loss.SoftmaxCrossEntropyLoss()
    places = zip(rows, contexts, strict=True)
    parts = [(nd.array(x[r], ctx=c), nd.array(y[r], ctx=c)) for r, c in places]
    step = TrainStep(net, criterion, trainer) if whole else None
    for _ in range(steps):
        if step is not None:
            step(*parts[0], batch_size=8)
            continue
        with autograd.record():
            losses = [criterion(net(data), label) for data, label in parts]
        autograd.backward(losses)
        trainer.step(8)
    if step is not None:
        assert "the trainer's own step: a store sums" in step.explain(*parts[0])
        assert "begin after it: a store of type" in step.explain(*parts[0])
    weights = [numbers(p.data(contexts[0])) for p in net.collect_params().values()]
    return [value for row in weights for value in row], trainer


def sums(store: kvstore.KVStore) -> dict[str, Any]:
    """What is initialized, pushed and pulled."""
    rank = store.rank
    out, both = nd.zeros((2,)), [nd.zeros((2,)), nd.zeros((2,), ctx=cpu(1))]
    store.init(3, nd.full((2,), rank + 5))
    store.pull(3, out=out)
    found: dict[str, Any] = {"init": numbers(out)}
    store.push(3, [nd.full((2,), rank + 1), nd.full((2,), 10, ctx=cpu(1))])
    store.pull(3, out=both)
    found["push"] = [numbers(x) for x in both]
    dtypes = ("float16", "float64", "bfloat16", "int8", "int64")
    for k, name in enumerate(dtypes):
        store.init(10 + k, nd.full((3,), 7 + rank, dtype=name))
    values = [nd.full((3,), rank + k, dtype=name) for k, name in enumerate(dtypes)]
    store.pushpull(list(range(10, 15)), values)
    found["dtypes"] = [(str(np.dtype(v.dtype)), numbers(v)) for v in values]
    value = nd.full((2,), rank + 1)
    store.broadcast(20, value, out=out)
    found["broadcast"] = numbers(out)
    found["any"] = store.any_of_workers([rank == 0, False, True])
    store.barrier()
    return found


def rows(store: kvstore.KVStore) -> dict[str, Any]:
    """Rows of a sparse array that is initialized, pushed, updated and pulled."""
    rank = store.rank
    made = nd.full((5, 2), rank + 1).tostype("row_sparse")
    store.init("rows", made)
    grad = nd.sparse.row_sparse_array(([[1, 1], [2, 2]], [1, 2 + rank]), shape=(5, 2))
    out: Any = nd.zeros((5, 2), stype="row_sparse")
    store.push("rows", grad)
    store.pull("rows", out=out, ignore_sparse=False)
    found: dict[str, Any] = {"sum": [out.indices.asnumpy().tolist(), numbers(out.data)]}
    store.init("table", nd.ones((5, 2)).tostype("row_sparse"))
    store.set_optimizer(SGD(learning_rate=0.1, wd=0.5, rescale_grad=1))
    store.push("table", grad)
    store.row_sparse_pull("table", out=out, row_ids=nd.arange(5))
    found["updated"] = numbers(out)[::2]
    return found


def optimizes(store: kvstore.KVStore) -> list[list[float]]:
    """Updates on the store; each worker has another factor of gradients: worker 0's counts."""
    store.init(30, nd.ones((2,)))
    store.set_optimizer(SGD(learning_rate=0.1, momentum=0.9, rescale_grad=1 / (store.rank + 1)))
    found = []
    for _ in range(3):
        value = nd.full((2,), store.rank + 1)
        store.pushpull(30, value)
        found.append(numbers(value))
    return found


def compresses(store: kvstore.KVStore) -> list[list[float]]:
    store.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    store.init(3, nd.zeros((7,)))
    found = []
    for _ in range(3):
        out = nd.array(GRADIENT) * (store.rank + 1)
        store.pushpull(3, out)
        found.append(numbers(out))
    return found


def leaves_out() -> dict[str, list[list[float]]]:
    """Worker 0 uses a parameter, worker 1 does not, and nobody the third."""
    found = {}
    for on_store in (True, False):
        learned = ParameterDict("net_")
        for name in "abc":
            learned.get(name, shape=(1,), init="ones")
        learned.initialize()
        settings = {"learning_rate": 0.1, "wd": 0.5}
        trainer = Trainer(learned, "sgd", settings, "dist_sync", update_on_kvstore=on_store)
        rank = int(os.environ["DMLC_WORKER_ID"])
        with autograd.record():
            value = learned["net_a"].data() * 2
            if rank == 0:
                value = value + learned["net_b"].data()
        value.backward()
        trainer.step(1, ignore_stale_grad=True)
        found[str(on_store)] = [numbers(learned[f"net_{name}"].data()) for name in "abc"]
    return found


def works() -> dict[str, Any]:
    """Everything that goes well, in one process."""
    store = kvstore.create("dist_sync", timeout=60)
    rank = store.rank
    found: dict[str, Any] = {"place": [store.type, rank, store.num_workers], "sums": sums(store)}
    found["rows"] = rows(kvstore.create("dist_sync"))
    found["optimizes"] = optimizes(store)
    found["compresses"] = compresses(kvstore.create("dist_device_sync"))
    half = [slice(0, 4)] if rank == 0 else [slice(4, 8)]
    for name in ("sgd", "adam"):
        for on_store in (True, False):
            random.seed(0)
            weights, trainer = train(
                half, optimizer=name, kvstore="dist_sync", update_on_kvstore=on_store
            )
            assert trainer._distributed
            found[f"{name} {on_store}"] = weights
    for on_store in (True, False):
        random.seed(0)
        found[f"whole {on_store}"] = train(
            half, kvstore="dist_sync", update_on_kvstore=on_store, whole=True
        )[0]
    random.seed(rank)  # other first weights: those of worker 0 are taken
    found["seeds"] = train(half, kvstore="dist_sync")[0]
    found["leaves out"] = leaves_out()
    return found


def fails(action: Callable[[kvstore.KVStore], None], timeout: float = 60) -> list[str]:
    """What a store says when ``action`` cannot work, and when it is called again."""
    store = kvstore.create("dist_sync", timeout=timeout)
    store.init([3, 4], [nd.ones((2,)), nd.ones((2,))])
    messages = []
    for _ in range(2):
        try:
            action(store)
        except WorkerError as error:
            messages.append(str(error))
    return messages


def differs() -> list[str]:
    """Workers push in another order."""

    def push(store: kvstore.KVStore) -> None:
        store.push(3 + store.rank, nd.ones((2,)))

    return fails(push)


def dies() -> list[str]:
    """Worker 1 ends without a word."""

    def push(store: kvstore.KVStore) -> None:
        if store.rank == 1:
            os._exit(3)
        store.push(3, nd.ones((2,)))

    return fails(push)


def hangs() -> list[str]:
    """Worker 1 does something else until it is told to end."""

    def push(store: kvstore.KVStore) -> None:
        if store.rank == 1:
            sys.stdin.read()
            sys.exit(0)
        store.push(3, nd.ones((2,)))

    return fails(push, timeout=2)


def interrupted() -> list[str]:
    """Ctrl-C comes while worker 0 waits; worker 1 does something else until it is told to go on."""

    def interrupt(_: object) -> None:  # it sleeps between two looks
        signal.raise_signal(signal.SIGINT)

    def push(store: kvstore.KVStore) -> None:
        if store.rank == 1:
            sys.stdin.read()
        else:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            time.sleep = interrupt
        try:
            store.push(3, nd.ones((2,)))
        except KeyboardInterrupt as error:
            raise WorkerError(type(error).__name__) from error

    return fails(push, timeout=1000)


def launched() -> list[float]:
    """A program of MXNet, which runs in servers and schedulers as well."""
    mx = __import__("mxnet")
    kv = mx.kv.create("dist_sync")
    kv.init("w", mx.nd.ones((2,)) * kv.rank)
    kv.push("w", mx.nd.ones((2,)) * (kv.rank + 1))
    out = mx.nd.zeros((2,))
    kv.pull("w", out=out)
    return [kv.rank, *numbers(out)]


PROGRAMS: dict[str, Callable[[], Any]] = {
    program.__name__: program for program in (works, differs, dies, hangs, interrupted, launched)
}

if __name__ == "__main__":
    sys.stdout.write(json.dumps(PROGRAMS[sys.argv[1]]()) + "\n")
