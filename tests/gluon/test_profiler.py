"""The profiler and blocks: paths, programs and their steps, training; and nothing when off."""

from collections import Counter as Tally
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_gluon import HybridBlock, Trainer, loss, nn
from hy_gluon.optimizer import SGD, Updater
from hy_ndarray import autograd, nd, profiler
from tests.profiles import assert_nested, configure, contains, events, figures, recorded


def net(prefix: str = "net_", *, hybrid: bool = False) -> nn.HybridSequential:
    found = nn.HybridSequential(prefix=prefix)
    with found.name_scope():
        found.add(nn.Dense(8, in_units=4, activation="relu"), nn.Dense(3, in_units=8))
    found.initialize()
    if hybrid:
        found.hybridize()
    return found


def blocks_of(found: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Operator and block of each operator."""
    return [
        (e["name"], e.get("args", {}).get("block", "")) for e in found if e["cat"] == "operator"
    ]


FORWARD = [("FullyConnected", "net.0"), ("Activation", "net.0.act"), ("FullyConnected", "net.1")]
PROGRAM = [("FullyConnected+Activation", "net.0"), ("FullyConnected", "net.1")]
"""The same in a program."""


@pytest.mark.usefixtures("_on_numpy")  # its rules join a layer and what is applied to it
@pytest.mark.parametrize(("hybrid", "steps"), [(False, FORWARD), (True, PROGRAM)])
def test_operators_carry_the_path_of_their_block(
    trace_file: Path, hybrid: bool, steps: list[tuple[str, str]]
) -> None:
    block = net(hybrid=hybrid)
    x = nd.ones((2, 4))
    block(x)
    profiler.set_state("run")
    block(x)
    found = recorded(trace_file)
    assert blocks_of(found) == steps
    assert_nested(found)


def test_blocks_contain_their_children_and_operators(trace_file: Path) -> None:
    block = net()
    profiler.set_state("run")
    block(nd.ones((2, 4)))
    found = [e for e in recorded(trace_file) if e["cat"] == "block"]
    assert [(e["name"], e["args"]["class"]) for e in found] == [
        ("net", "HybridSequential"),
        ("net.0", "Dense"),
        ("net.0.act", "Activation"),
        ("net.1", "Dense"),
    ]
    assert all(contains(found[0], e) for e in found)
    assert contains(found[1], found[2])
    assert not contains(found[1], found[3])


def test_a_hybridized_block_contains_its_program_and_its_steps(trace_file: Path) -> None:
    block = net(hybrid=True)
    x = nd.ones((2, 4))
    block(x)
    profiler.set_state("run")
    block(x)
    found = recorded(trace_file)
    outer, program, *steps = found
    assert (outer["cat"], outer["name"]) == ("block", "net")
    assert (program["cat"], program["name"], program["args"]) == ("program", "net", {"steps": 2})
    assert [step["args"]["node"] for step in steps] == [
        "net_dense0_relu_fwd",
        "net_dense1_fwd",
    ]
    assert contains(outer, program)
    assert all(contains(program, step) for step in steps)


def test_tracing_inside_a_run_records_what_runs_alone(trace_file: Path) -> None:
    block = net(hybrid=True)
    x = nd.ones((2, 4))
    profiler.set_state("run")
    block(x)
    assert blocks_of(recorded(trace_file)) == PROGRAM


def test_blocks_inside_blocks_that_are_not_hybrid(trace_file: Path) -> None:
    outer = nn.Sequential(prefix="outer_")
    outer.add(net("inner_", hybrid=True), nn.Dense(2, in_units=3))
    outer[1].initialize()
    x = nd.ones((2, 4))
    outer(x)
    profiler.set_state("run")
    outer(x)
    found = recorded(trace_file)
    assert [e["name"] for e in found if e["cat"] == "block"] == ["outer", "outer.0", "outer.1"]
    # A graph is traced once, for every place that its block may be called from.
    assert blocks_of(found) == [
        ("FullyConnected+Activation", "inner.0"),
        ("FullyConnected", "inner.1"),
        ("FullyConnected", "outer.1"),
    ]


class Plain(HybridBlock):
    """A block with a plain ``forward``, and a child."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.Dense(2, in_units=4)

    def forward(self, x: Any) -> Any:
        return nd.exp(self.body(x))


@pytest.mark.parametrize("hybrid", [False, True])
def test_plain_forward(trace_file: Path, hybrid: bool) -> None:
    block = Plain(prefix="plain_")
    block.initialize()
    block.hybridize(hybrid)
    x = nd.ones((2, 4))
    block(x)
    profiler.set_state("run")
    block(x)
    assert blocks_of(recorded(trace_file)) == [("FullyConnected", "plain.body"), ("exp", "plain")]


def test_backward_of_a_hybridized_block(trace_file: Path) -> None:
    block = net(hybrid=True)
    x = nd.ones((2, 4))

    def step() -> None:
        with autograd.record():
            y = block(x)
        y.backward()

    step()
    profiler.set_state("run")
    step()
    found = recorded(trace_file)
    assert_nested(found)
    programs = {e["name"]: e for e in found if e["cat"] == "program"}
    assert list(programs) == ["net", "net backward"]
    backward = programs["net backward"]
    steps = [e["args"] for e in found if e["cat"] == "operator" and contains(backward, e)]
    assert len(steps) == backward["args"]["steps"]
    assert {(step["gradient_of"], step["block"]) for step in steps} == {
        ("net_dense0_fwd", "net.0"),
        ("net_dense0_relu_fwd", "net.0.act"),
        ("net_dense1_fwd", "net.1"),
    }
    (whole,) = [e for e in found if (e["cat"], e["name"]) == ("backward", "backward")]
    assert contains(whole, backward)


def test_a_training_loop_is_counted_exactly(trace_file: Path) -> None:
    block = net(hybrid=True)
    trainer = Trainer(block.collect_params(), "sgd", {"learning_rate": 0.1})
    criterion = loss.L2Loss()
    x, y = nd.ones((2, 4)), nd.ones((2, 3))

    def step() -> None:
        with autograd.record():
            value = criterion(block(x), y)
        value.backward()
        trainer.step(2)

    step()
    profiler.set_state("run")
    for _ in range(3):
        step()
    profiler.dump()
    counts = {name: row["Count"] for name, row in figures()["Time"]["operator"].items()}
    assert counts["FullyConnected"] == counts["FullyConnected+Activation"] == 3
    assert counts["_fully_connected_backward_weight"] == 3 * 2
    assert any("sgd" in name for name in counts)
    in_trace = Tally(e["name"] for e in events(trace_file) if e.get("cat") == "operator")
    assert counts == in_trace
    programs = {name: row["Count"] for name, row in figures()["Time"]["program"].items()}
    assert programs == {"net": 3, "net backward": 3}


def test_without_api_there_are_operators_alone(trace_file: Path) -> None:
    block = net(hybrid=True)
    x = nd.ones((2, 4))
    configure(trace_file, profile_api=False)
    profiler.set_state("run")
    block(x)
    found = recorded(trace_file)
    assert blocks_of(found) == PROGRAM
    assert {e["cat"] for e in found} == {"operator"}


@pytest.mark.parametrize("hybrid", [False, True])
def test_outputs_and_gradients_are_the_same_to_the_bit(
    trace_file: Path, rng: np.random.Generator, hybrid: bool
) -> None:
    block = net(hybrid=hybrid)
    x = nd.array(rng.standard_normal((2, 4)))

    def step() -> list[np.ndarray[Any, Any]]:
        with autograd.record():
            y = block(x)
        y.backward()
        gradients = [p.grad().asnumpy() for p in block.collect_params().values()]
        return [y.asnumpy(), *gradients]

    off = step()
    profiler.set_state("run")
    on = step()
    profiler.dump()
    after = step()
    assert trace_file.exists()
    for a, b, c in zip(off, on, after, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(a, c)


def test_steps_that_were_repeated_before_it_started_are_recorded(trace_file: Path) -> None:
    weights, updater = [nd.ones((2,)), nd.ones((3,))], Updater(SGD(momentum=0.9))
    for _ in range(3):  # now bound to the memory of weights and states
        updater([0, 1], weights, weights)
    profiler.set_state("run")
    updater([0, 1], weights, weights)
    names = [each["name"] for each in recorded(trace_file)]
    assert names.count("multi_sgd_mom_update") == 1
