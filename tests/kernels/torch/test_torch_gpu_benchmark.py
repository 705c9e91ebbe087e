"""The benchmark of GPUs does all it does on a GPU on a CPU, too, on tiny shapes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from benchmarks import gpu_checks, gpu_nets
from benchmarks.gpu_session import Item, Result, Session
from mxnet import cpu

MACHINE = {"GPU": "none", "torch": "1"}


class Clock:
    """Seconds that pass when an item says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def items(clock: Clock, ran: list[str], seconds: float = 1.0) -> list[Item]:
    def run(name: str) -> Callable[[], Result]:
        def work() -> Result:
            clock.now += seconds
            ran.append(name)
            if name == "broken":
                raise ValueError("no | such\nkernel")
            return {"ms": 0.123456, "rate": "1 GB/s"}

        return work

    return [Item("Kernels", name, run(name)) for name in ("one", "broken", "three")]


def test_a_run_that_is_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    clock, ran = Clock(), list[str]()
    first = Session(tmp_path, MACHINE, 1.5, clock)
    left = first.run(items(clock, ran))
    assert ([item.name for item in left], ran) == (["three"], ["one", "broken"])
    first.write_table(len(left), {})
    assert "1 items were not run" in (tmp_path / "gpu.md").read_text()
    second = Session(tmp_path, MACHINE, 1.5, clock)
    assert second.run(items(clock, ran)) == []
    assert ran == ["one", "broken", "three"]
    second.write_table(0, {"Marks": ["- reached"]})
    assert (tmp_path / "gpu.md").read_text() == (
        "# GPU none, torch 1\n\n3 items, 1 of them failed.\n\n## Kernels\n\n"
        "| name | ms | rate | error |\n|---|---|---|---|\n"
        "| one | 0.1235 | 1 GB/s |  |\n"
        "| broken |  |  | ValueError: no / such kernel |\n"
        "| three | 0.1235 | 1 GB/s |  |\n\n## Marks\n\n- reached\n"
    )
    assert json.loads((tmp_path / "gpu.json").read_text())["machine"] == MACHINE


def test_results_of_another_machine_are_not_taken_up(tmp_path: Path) -> None:
    clock, ran = Clock(), list[str]()
    Session(tmp_path, MACHINE, 9, clock).run(items(clock, ran))
    Session(tmp_path, {**MACHINE, "torch": "2"}, 9, clock).run(items(clock, ran))
    assert ran == ["one", "broken", "three"] * 2


def once(call: Callable[[], Any]) -> float:
    call()
    return 0.5


def nets() -> list[Any]:
    """Each net and way; to compile one takes seconds."""
    slow = [pytest.mark.slow]
    return [
        pytest.param(item, marks=slow if "compiled" in item.name else [], id=item.key)
        for item in gpu_nets.items(cpu(), "cpu", ("torch",), gpu_nets.TINY, once)
    ]


@pytest.mark.parametrize("item", nets())
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")  # torch's
def test_every_net_runs_by_both(item: Item, monkeypatch: pytest.MonkeyPatch) -> None:
    compile_ = torch.compile
    monkeypatch.setattr(torch, "compile", lambda net: compile_(net, backend="eager"))
    assert item.run()["ms"] == 500


def test_checks_compare_with_the_cpu() -> None:
    names = ("relu", "Dropout", "softmax")
    results = {item.name: item.run() for item in gpu_checks.items(cpu(), ("torch",), names)}
    assert results.pop("torch: Dropout to softmax") == {"operators": 3, "wrong": "none"}
    assert [*results] == [
        f"torch, cpu(0): {name}" for name in ("prediction", "training", "dropout", "two streams")
    ]
    assert all(result["difference"] < 1e-3 for result in results.values())


def test_a_wrong_number_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "softmax", lambda x, *_, **__: x)
    monkeypatch.setattr(torch, "relu", lambda x: x)
    (item,) = [x for x in gpu_checks.items(cpu(), ("torch",), ("relu",)) if x.stage == "Operators"]
    assert item.run()["wrong"] == "relu (AssertionError)"
