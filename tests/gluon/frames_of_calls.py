"""Prints how many Python functions usual calls enter, in a process where nothing else was done."""

import json
import sys
import tempfile
from collections.abc import Callable
from typing import Any

from hy_gluon import SymbolBlock, Trainer
from hy_gluon.loss import L2Loss
from hy_gluon.nn import Dense, HybridSequential
from hy_ndarray import autograd, nd


def frames(call: Callable[[], Any]) -> int:
    """How many Python functions a call enters, itself not counted."""
    count = -1

    def enter(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return count


def two_layers() -> HybridSequential:
    net = HybridSequential()
    net.add(Dense(4, in_units=3), Dense(2, in_units=4))
    net.initialize()
    net.hybridize()
    return net


def layers_of_any_size() -> HybridSequential:
    net = HybridSequential()
    net.add(Dense(4, activation="relu"), Dense(2))
    net.initialize()
    net.hybridize()
    return net


def operator() -> dict[str, int]:
    x = nd.ones((2, 3))
    x.attach_grad()

    def recorded() -> None:
        with autograd.record():
            nd.relu(x)

    recorded()
    return {"relu": frames(lambda: nd.relu(x)), "recorded relu": frames(recorded)}


def prediction() -> dict[str, int]:
    x = nd.ones((2, 3))
    other, net = two_layers(), two_layers()
    for _ in range(4):
        other(x)  # operators are looked up for the first time
    counts = [frames(lambda: net(x)) for _ in range(6)]
    layers_of_any_size()(x)
    inferring = layers_of_any_size()
    return {
        "first call": counts[0],
        "first call, inferred sizes": frames(lambda: inferring(x)),
        "second call": counts[1],
        "from the fourth": max(counts[3:]),
    }


def training() -> dict[str, int]:
    net, loss = two_layers(), L2Loss()
    loss.hybridize()
    trainer = Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    x, label = nd.ones((2, 3)), nd.ones((2, 2))

    def step() -> None:
        with autograd.record():
            error = loss(net(x), label)
        error.backward()
        trainer.step(2)

    for _ in range(4):
        step()
    return {"training step": frames(step)}


def imports() -> dict[str, int]:
    net = two_layers()
    net(nd.ones((2, 3)))
    with tempfile.TemporaryDirectory() as folder:
        net.export(f"{folder}/net")
        files = f"{folder}/net-symbol.json", ["data"], f"{folder}/net-0000.params"
        SymbolBlock.imports(*files)
        return {"import": frames(lambda: SymbolBlock.imports(*files))}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(operator() | prediction() | training() | imports()))
