"""The benchmark of GPUs does all it does on a GPU on a CPU, too, on tiny shapes."""

import json
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from benchmarks import gpu_checks, gpu_nets
from benchmarks.gpu_session import Item, Result, Session
from benchmarks.gpu_targets import lines
from hy_kernels.torch.nn import softmax
from mxnet import cpu

MACHINE = {"GPU": "none", "torch": "1"}


class Clock:
    """Seconds that pass when an item says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def items(clock: Clock, ran: list[str], seconds: float = 1.0) -> Callable[[], Iterator[Item]]:
    def run(name: str) -> Callable[[], Result]:
        def work() -> Result:
            clock.now += seconds
            ran.append(name)
            if name == "broken":
                raise ValueError("no | such\nkernel")
            return {"ms": 0.123456, "rate": "1 GB/s"}

        return work

    return lambda: (Item("Kernels", name, run(name)) for name in ("one", "broken", "three"))


def test_a_run_that_is_cut_off_goes_on_where_it_was(tmp_path: Path) -> None:
    clock, ran = Clock(), list[str]()
    first = Session(tmp_path, MACHINE, 1.5, clock)
    assert not first.run(items(clock, ran))
    assert ran == ["one", "broken"]
    first.write_table({})
    assert "Not all: 1 items were not run." in (tmp_path / "gpu.md").read_text()
    second = Session(tmp_path, MACHINE, 0.5, clock)
    assert not second.run(items(clock, ran))
    assert ran == ["one", "broken", "three"]
    third = Session(tmp_path, MACHINE, 1.5, clock)
    assert third.run(items(clock, ran))
    assert ran == ["one", "broken", "three", "broken"]  # what failed is tried again
    third.write_table({"Marks": ["- reached"]})
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


def test_an_item_is_made_when_the_one_before_is_done(tmp_path: Path) -> None:
    clock, ran = Clock(), list[str]()

    def noted() -> Iterator[Item]:
        for item in items(clock, ran)():
            ran.append(f"{item.name} made")
            yield item

    Session(tmp_path, MACHINE, 9, clock).run(noted)
    assert ran[:4] == ["one made", "one", "broken made", "broken"]


class Device:
    """Fails for good once an item has failed."""

    def __init__(self, ran: list[str]) -> None:
        self.ran = ran

    def check(self) -> None:
        if "broken" in self.ran:
            raise RuntimeError("an illegal memory access was encountered")


def test_a_device_that_fails_ends_the_run_and_the_next_one_goes_on(tmp_path: Path) -> None:
    clock, ran = Clock(), list[str]()
    first = Session(tmp_path, MACHINE, 9, clock, Device(ran).check)
    assert not first.run(items(clock, ran))
    assert ran == ["one", "broken"]
    first.write_table({})
    assert "the device failed in Kernels: broken" in (tmp_path / "gpu.md").read_text()
    ran.clear()
    second = Session(tmp_path, MACHINE, 9, clock, Device(ran).check)
    assert not second.run(items(clock, ran))
    assert ran == ["three", "broken"]
    assert "error" not in second.items["Kernels: three"]


def test_an_error_that_comes_late_is_of_the_item_that_made_it(tmp_path: Path) -> None:
    def fail() -> None:
        raise RuntimeError("device-side assert triggered")

    session = Session(tmp_path, MACHINE, 9, Clock(), fail)
    session.run(items(Clock(), []))
    assert session.items["Kernels: one"]["error"].startswith("RuntimeError: device-side assert")


@pytest.mark.parametrize(("seconds", "is_failure"), [(100.0, True), (5.0, False)])
def test_an_item_is_cut_off_at_its_limit_or_when_the_time_is_over(
    seconds: float, is_failure: bool, tmp_path: Path
) -> None:
    limits: list[float] = []

    def run() -> Result:
        limits.append(signal.getitimer(signal.ITIMER_REAL)[0])
        with suppress(Exception):
            signal.raise_signal(signal.SIGALRM)  # as the timer does when it is over
        return {"ms": 1.0}

    before = signal.getsignal(signal.SIGALRM)
    session = Session(tmp_path, MACHINE, seconds, Clock())
    assert session.run(lambda: [Item("Nets", "long", run, limit=20.0)]) is is_failure
    assert [round(limit) for limit in limits] == [min(seconds, 20)]
    errors = [result["error"] for result in session.items.values()]
    assert errors == (["it takes longer than 20 s"] if is_failure else [])
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    assert signal.getsignal(signal.SIGALRM) is before


def nets_of(results: dict[str, float]) -> dict[str, Result]:
    return {
        f"MLP, {mode}: {way}": {"stage": f"MLP, {mode}", "name": way, "ms": ms}
        for mode in ("prediction", "training")
        for way, ms in results.items()
    }


def test_a_small_net_is_to_take_a_fifth_of_pytorch_s_time() -> None:
    ways = {"PyTorch, eager": 1.0, "hy, torch, plain": 0.01, "hy, torch, captured": 0.5}
    told = "- MLP, training: PyTorch, eager / replay 2.00 of 5.00, missed"
    assert told in lines(nets_of(ways))
    told = "- MLP, training: PyTorch, eager / replay 8.00 of 5.00, reached"
    assert told in lines(nets_of({**ways, "hy, triton, one step": 0.125}))
    del ways["PyTorch, eager"]
    assert "- MLP, training: nothing was measured" in lines(nets_of(ways))
    small = {item.stage for item in gpu_nets.items(cpu(), "cpu", ("torch",), gpu_nets.TINY, once)}
    assert {f"{name}, training" for name in gpu_nets.SMALL} < small


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


@pytest.mark.parametrize("table", ["PyTorch", "hy"])
def test_large_nets_run_in_mixed_precision_too(table: str) -> None:
    """Matrices are multiplied in 16 bits, and those of the other net in 32."""
    kinds: list[set[torch.dtype]] = []

    def seconds(call: Callable[[], Any]) -> float:
        with Products() as products:
            call()
        kinds.append(products.dtypes)
        return 0.5

    way = "PyTorch, eager" if table == "PyTorch" else "hy, torch, plain"
    for item in gpu_nets.items(cpu(), "cpu", ("torch",), gpu_nets.TINY, seconds):
        if item.name == way and item.stage.startswith("BERT") and "prediction" in item.stage:
            item.run()
    assert kinds == [{torch.float32}, {torch.bfloat16}]


class Products(TorchDispatchMode):  # type: ignore[misc,unused-ignore]  # Any without torch
    """Notes in which dtypes matrices are multiplied."""

    def __init__(self) -> None:
        super().__init__()
        self.dtypes: set[torch.dtype] = set()

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        if function.__name__.split(".")[0] in ("mm", "addmm", "linear"):
            self.dtypes.add(args[1].dtype)
        return function(*args, **(kwargs or {}))


def test_checks_compare_with_the_cpu() -> None:
    names = ("relu", "Dropout", "softmax")
    results = {item.name: item.run() for item in gpu_checks.items(cpu(), ("torch",), names)}
    assert results.pop("torch: Dropout to softmax") == {
        "operators": 3,
        "gradients": 3,
        "wrong": "none",
    }
    assert [*results] == [
        f"torch, cpu(0): {name}" for name in ("prediction", "training", "dropout", "two streams")
    ]
    assert all(result["difference"] < 1e-3 for result in results.values())


def test_a_wrong_number_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "softmax", lambda x, *_, **__: x)
    monkeypatch.setattr(torch, "relu", lambda x: x)
    (item,) = [x for x in gpu_checks.items(cpu(), ("torch",), ("relu",)) if x.stage == "Operators"]
    assert item.run()["wrong"] == "relu (AssertionError)"


def test_a_wrong_gradient_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    item, *_ = gpu_checks.items(cpu(), ("torch",), ("log_softmax",))
    assert item.run() == {"operators": 1, "gradients": 1, "wrong": "none"}
    monkeypatch.setattr(softmax, "_gradient", lambda _, dy, *__: dy.clone())
    assert item.run()["wrong"] == "log_softmax (AssertionError)"


@pytest.mark.parametrize("op", ["gamma", "_minimum", "broadcast_greater"])
def test_the_gradient_is_checked_where_the_first_case_has_none(op: str) -> None:
    item, *_ = gpu_checks.items(cpu(), ("torch",), (op,))
    assert item.run() == {"operators": 1, "gradients": 1, "wrong": "none"}


def test_the_operator_that_breaks_the_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise RuntimeError("device-side assert triggered")

    monkeypatch.setattr(softmax, "_gradient", lambda *_: fail())
    item, *_ = gpu_checks.items(cpu(), ("torch",), ("log_softmax", "relu"), fail)
    with pytest.raises(RuntimeError, match="log_softmax failed, and the device with it"):
        item.run()
