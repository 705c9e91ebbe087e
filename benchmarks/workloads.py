"""What is timed. Run by path under any interpreter that has an ``mxnet``: hy's or MXNet's own.

``python benchmarks/workloads.py NAME`` prints one JSON object: seconds per call, best of some
repetitions within this process, every call waited for.
"""

import json
import sys
import time
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

import mxnet as mx
from mxnet import autograd, gluon, nd
from mxnet.gluon import nn

Call: TypeAlias = Callable[[], Any]

SECONDS = 0.4
REPEATS = 5


def _values(*shape: int) -> Any:
    return nd.array(np.random.RandomState(0).standard_normal(shape).astype("float32"))


def add_10x10() -> Call:
    """Eager sum of two 10x10 arrays; waits at the end of each repetition."""
    a, b = _values(10, 10), _values(10, 10)

    def call() -> Any:
        return a + b

    return call


def chain_64() -> Call:
    """Eager dot, relu and softmax of 64x64."""
    a, w = _values(64, 64), _values(64, 64)

    def call() -> Any:
        return nd.softmax(nd.relu(nd.dot(a, w)))

    return call


def _mlp() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    net.initialize()
    return net


def mlp_eager() -> Call:
    """The MLP 512-256-128-2 of the Symbol tutorial, batch 1, operator by operator."""
    net, x = _mlp(), _values(1, 512)
    net(x)
    return lambda: net(x)


def mlp_static() -> Call:
    """The same, hybridized with static_alloc and static_shape; asynchronous where MXNet is."""
    net, x = _mlp(), _values(1, 512)
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    return lambda: net(x)


def mlp_static_asnumpy() -> Call:
    """The same, with the result fetched in every call."""
    net, x = _mlp(), _values(1, 512)
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    return lambda: net(x).asnumpy()


def mlp_training() -> Call:
    """A training step of the MLP, batch 64."""
    net, x = _mlp(), _values(64, 512)
    y = nd.array(np.arange(64) % 2)
    return _training(net, x, y)


def _lenet() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(6, kernel_size=5, activation="relu"),
        nn.MaxPool2D(pool_size=2),
        nn.Conv2D(16, kernel_size=5, activation="relu"),
        nn.MaxPool2D(pool_size=2),
        nn.Dense(120, activation="relu"),
        nn.Dense(84, activation="relu"),
        nn.Dense(10),
    )
    net.initialize()
    return net


def lenet_inference() -> Call:
    """LeNet on 16 images of 28x28, hybridized."""
    net, x = _lenet(), _values(16, 1, 28, 28)
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    return lambda: net(x).wait_to_read()


def lenet_training() -> Call:
    """A training step of LeNet on 64 images of 28x28, hybridized."""
    return _training(_lenet(), _values(64, 1, 28, 28), nd.array(np.arange(64) % 10))


def _training(net: Any, x: Any, y: Any) -> Call:
    net.hybridize(static_alloc=True, static_shape=True)
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    loss_of.hybridize(static_alloc=True, static_shape=True)

    def call() -> Any:
        with autograd.record():
            loss = loss_of(net(x), y)
        loss.backward()
        trainer.step(x.shape[0])
        nd.waitall()

    return call


WORKLOADS = {
    f.__name__: f
    for f in (
        add_10x10,
        chain_64,
        mlp_eager,
        mlp_static,
        mlp_static_asnumpy,
        mlp_training,
        lenet_inference,
        lenet_training,
    )
}


def measure(name: str) -> float:
    """Seconds per call of a workload."""
    mx.random.seed(0)
    call = WORKLOADS[name]()
    call()
    nd.waitall()
    started = time.perf_counter()
    for _ in range(3):
        call()
    nd.waitall()
    each = (time.perf_counter() - started) / 3
    number = max(1, int(SECONDS / REPEATS / max(each, 1e-9)))
    best = float("inf")
    for _ in range(REPEATS):
        started = time.perf_counter()
        for _ in range(number):
            call()
        nd.waitall()
        best = min(best, (time.perf_counter() - started) / number)
    return best


if __name__ == "__main__":
    print(json.dumps({"name": sys.argv[1], "seconds": measure(sys.argv[1])}))
