"""Frames: how many of Python's functions usual calls enter, which bounds what they cost."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hy_gluon import SymbolBlock, Trainer
from hy_gluon.loss import L2Loss
from hy_gluon.nn import Dense, HybridSequential
from hy_ndarray import autograd, cpu, device_of, nd

pytestmark = pytest.mark.skipif(
    device_of(cpu()).table.name != "numpy", reason="the limits are those of the numpy table"
)


def frames(call: Callable[[], Any]) -> int:
    """How many Python functions a call enters, itself not counted."""
    count = -1

    def enter(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(before)
    return count


def two_layers() -> HybridSequential:
    net = HybridSequential()
    net.add(Dense(4, in_units=3), Dense(2, in_units=4))
    net.initialize()
    net.hybridize()
    return net


def test_an_operator_takes_five_and_seventeen_where_it_is_recorded() -> None:
    x = nd.ones((2, 3))
    x.attach_grad()

    def recorded() -> None:
        with autograd.record():
            nd.relu(x)

    for call, limit in ((lambda: nd.relu(x), 5), (recorded, 17)):
        call()
        assert frames(call) <= limit


def test_a_hybridized_net_is_made_in_two_calls() -> None:
    x = nd.ones((2, 3))
    other, net = two_layers(), two_layers()
    for _ in range(4):
        other(x)  # operators are looked up for the first time
    counts = [frames(lambda: net(x)) for _ in range(6)]
    assert counts[0] <= 2000
    assert counts[1] <= 400
    assert max(counts[3:]) <= 35


def test_a_training_step_of_two_layers() -> None:
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
    assert frames(step) <= 250


def test_the_import_of_four_parameters(tmp_path: Path) -> None:
    net = two_layers()
    net(nd.ones((2, 3)))
    net.export(str(tmp_path / "net"))
    files = str(tmp_path / "net-symbol.json"), ["data"], str(tmp_path / "net-0000.params")
    SymbolBlock.imports(*files)
    assert frames(lambda: SymbolBlock.imports(*files)) <= 1400
