"""``hatch run bench``: what is timed, in turn with whom, and what is told of it."""

import ast
import doctest
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

import pytest

import benchmarks.costs
import benchmarks.peak
import benchmarks.results
import mxnet as mx
from benchmarks.__main__ import NAMES, main, processor
from benchmarks.chart import chart
from benchmarks.costs_workloads import FIELDS, LEFT_OUT, NEVER
from benchmarks.first_calls import Chain, Unrolled, first
from benchmarks.onnx_workloads import WORKLOADS as ONNX_WORKLOADS
from benchmarks.peak import NETS, peak, table, work
from benchmarks.results import Row, duration, geometric_means, heading, line, markdown
from benchmarks.sides import Side, environment, measured, neighbours
from benchmarks.targets import TARGETS
from benchmarks.worker import calling
from benchmarks.workloads import WORKLOADS, wait
from hy_kernels.numpy.costs import COSTS

TORCH_WORKLOADS = Path(__file__).parents[1] / "benchmarks" / "torch_workloads.py"
HELPERS = {"compile_nets", "lenet", "mlp", "resnet18", "resnet50", "seed", "wait"}
SVG = "{http://www.w3.org/2000/svg}"
FAST = Row(
    "add_10x10", {"hy": [2e-6, 1e-6, 1e-6], "mxnet": [1e-5, 1e-5, 4e-5], "torch": [1e-6] * 3}
)
SLOW = Row("chain_64", {"hy": [3e-3, 3e-3], "mxnet": [1e-3, 2e-3]})
EXTRA = Row("foreach_loop", {"hy": [1.0], "mxnet": [4.0]})


def results(folder: Path) -> Any:
    return json.loads((folder / "results.json").read_text(encoding="utf-8"))


def texts(svg: str) -> list[str]:
    return [found.text or "" for found in ET.fromstring(svg).iter(f"{SVG}text")]  # noqa: S314


@pytest.mark.slow
def test_one_workload_and_no_other_library(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["add_10x10", "--quick", "--output", str(tmp_path)])
    head, row = capsys.readouterr().out.splitlines()
    assert head.split() == ["workload", "hy"]
    assert row.startswith("add_10x10 ")
    document = results(tmp_path)
    assert document["machine"]["cores"] == document["threads"]
    assert list(document["versions"]) == ["hy"]
    assert document["versions"]["hy"].keys() >= {"python", "numpy", "hy-compat", "hy-ndarray"}
    found = document["workloads"]["add_10x10"]
    assert len(found["seconds"]["hy"]) == document["rounds"] == 3
    assert found["best"]["hy"] == min(found["seconds"]["hy"])
    assert found["best"]["hy"] > 0
    assert "add_10x10" in texts((tmp_path / "chart.svg").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_two_sides_in_turn(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With hy itself in MXNet's place: ratios then tell how noisy the machine is."""
    options = ["--mxnet", sys.executable, "--rounds", "2", "--threads", "1", "--quick"]
    main(["add_10x10", "import_mxnet", *options, "--output", str(tmp_path)])
    head, *rows, means = capsys.readouterr().out.splitlines()
    assert means.startswith("geometric mean: ")
    assert head.split()[:3] == ["workload", "hy", "MXNet"]
    assert [row.split()[0] for row in rows] == ["add_10x10", "import_mxnet"]
    assert all(row.split()[-1] in {"met", "missed"} for row in rows)
    document = results(tmp_path)
    assert (document["threads"], document["rounds"]) == (1, 2)
    for found in document["workloads"].values():
        ours, theirs = found["seconds"]["hy"], found["seconds"]["mxnet"]
        assert len(ours) == len(theirs) == 2
        assert found["ratio"]["mxnet"] == pytest.approx(
            (ours[0] / theirs[0] + ours[1] / theirs[1]) / 2
        )
        assert found["ratio_of_best"]["mxnet"] == pytest.approx(min(ours) / min(theirs))


@pytest.mark.slow
def test_busy_neighbours_and_one_thread(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--busy", "1", "--one-thread", "--rounds", "2", "--threads", "2", "--quick"]
    main(["add_10x10", *options, "--output", str(tmp_path)])
    assert "hy, 1" in capsys.readouterr().out.splitlines()[0]
    document = results(tmp_path)
    assert document["busy"] == 1
    assert list(document["workloads"]["add_10x10"]["seconds"]) == ["hy", "hy_1"]
    picture = texts((tmp_path / "chart.svg").read_text(encoding="utf-8"))
    assert any("busy processes beside: 1" in text for text in picture)


def test_neighbours_end_with_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[subprocess.Popen[bytes]] = []

    def start(command: list[str]) -> subprocess.Popen[bytes]:
        started.append(popen(command))
        return started[-1]

    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", start)
    with neighbours(2):
        assert [process.poll() for process in started] == [None, None]
    assert None not in [process.poll() for process in started]


def test_targets_are_of_workloads() -> None:
    assert set(TARGETS) <= set(NAMES)
    assert all(0 < target <= 1 for target in TARGETS.values())


def test_names_are_unique() -> None:
    assert len(set(NAMES)) == len(NAMES) == len(WORKLOADS) + 1


def test_pytorch_has_no_workloads_of_its_own() -> None:
    """Read, not imported: the tests run without PyTorch."""
    tree = ast.parse(TORCH_WORKLOADS.read_text(encoding="utf-8"))
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in functions if not name.startswith("_")}
    assert public - HELPERS < set(WORKLOADS)
    assert set(TARGETS) - public == {"import_mxnet"}


def test_onnxruntime_has_no_workloads_of_its_own() -> None:
    assert set(ONNX_WORKLOADS) < set(WORKLOADS)


def test_onnxruntime_predicts_what_hy_exports() -> None:
    [scores] = ONNX_WORKLOADS["lenet_inference"]()()
    assert scores.shape == (16, 10)


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(("add", "mlp"))])
def test_seconds_per_call(name: str) -> None:
    calls = []
    call = WORKLOADS[name]()
    measure = calling(lambda: calls.append(call()), wait, seconds=1e-3)
    before = len(calls)
    assert 0 < measure() < 1
    assert len(calls) > before


@pytest.mark.parametrize("module", [benchmarks.peak, benchmarks.results])
def test_examples_of_documentation(module: ModuleType) -> None:
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lenet_inference", 2 * 16 * (150 * 24 * 24 + 2400 * 8 * 8 + 256 * 120 + 120 * 84 + 840)),
        ("transformer_layer", 2 * 1024 * (12 * 768**2 + 2 * 128 * 768)),
        (
            "lstm_language_model",
            3 * 2 * 700 * (2 * 4 * 200 * (200 + 200) + 200 * 10000),
        ),
    ],
)
def test_the_work_of_a_net_is_two_operations_for_each_multiplication(
    name: str, expected: float
) -> None:
    assert work(NETS[name]) == expected


def test_workloads_stand_beside_what_the_processor_can_do() -> None:
    def found(**median: float) -> dict[str, Any]:
        return {"median": median}

    workloads = {
        "add_10x10": found(hy=1e-6),  # no products
        "lenet_training": found(hy=2e-3, mxnet=4e-3),
        "transformer_training": found(hy=0.2, mxnet=0.4, torch=0.1),
    }
    rows = table(workloads, 1e11).splitlines()
    assert rows[2:] == [
        "| `lenet_training` | 0.108 | 54 (54%) | 27 (27%) |  | 39 (39%) |",
        "| `transformer_training` | 44.7 | 223 (223%) | 112 (112%) | 447 (447%) |  |",
    ]
    assert peak(1) > 0


def test_the_ratio_is_the_median_of_pairs() -> None:
    assert FAST.ratio("mxnet") == pytest.approx(0.1)  # of 0.2, 0.1, 0.025
    assert FAST.ratio_of_best("mxnet") == pytest.approx(0.1)
    assert SLOW.ratio("mxnet") == pytest.approx(2.25)  # of 3 and 1.5
    assert SLOW.ratio_of_best("mxnet") == pytest.approx(3)
    assert SLOW.ratio("torch") is None
    assert SLOW.ratio_of_best("torch") is None


def test_targets_are_met_or_missed() -> None:
    assert [row.verdict for row in (FAST, SLOW, EXTRA)] == ["met", "missed", ""]
    assert Row("add_10x10", {"hy": [1.0]}).verdict == ""


def test_the_table_has_ratios_and_targets() -> None:
    sides = ["hy", "mxnet", "torch"]
    assert line(FAST, sides).split() == [
        *("add_10x10", "1", "µs", "10", "µs", "1", "µs"),
        *("0.10", "0.10", "0.15", "met", "1.00", "1.00"),
    ]
    assert line(SLOW, sides).split() == [
        *("chain_64", "3", "ms", "1", "ms"),
        *("2.25", "3.00", "0.50", "missed"),
    ]
    head = heading(sides)
    assert head.index("÷ MXNet") + len("÷ MXNet") == line(SLOW, sides).index("2.25") + len("2.25")
    assert head.index("target") + len("target") == line(SLOW, sides).index("0.50") + len("0.50")


def test_the_table_ends_with_geometric_means() -> None:
    sides = ["hy", "mxnet", "torch"]
    means = geometric_means([FAST, SLOW, EXTRA], sides)
    assert means == "geometric mean: 0.38 ÷ MXNet (3 workloads), 1.00 ÷ PyTorch (1 workloads)"
    assert not geometric_means([FAST], ["hy"])


def test_the_table_in_markdown_says_what_is_missed() -> None:
    assert markdown([FAST, SLOW], ["hy", "mxnet", "torch"]).splitlines() == [
        "| Workload | hy | ÷ MXNet | target | ÷ PyTorch |",
        "|---|--:|--:|--:|--:|",
        "| `add_10x10` | 1 µs | 0.10 | 0.15 | 1.00 |",
        "| `chain_64` | 3 ms | 2.25 | 0.5, missed |  |",
    ]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(2.5, "2.5 s"), (0.0314159, "31.4 ms"), (26.54e-6, "26.5 µs"), (8e-8, "0.08 µs"), (None, "")],
)
def test_durations_are_readable(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_the_chart_has_bars_marks_and_a_line_at_one() -> None:
    svg = chart([FAST, SLOW], ["mxnet", "torch"], "Two & two")
    shown = texts(svg)
    assert {"Two & two", "hy ÷ MXNet", "hy ÷ PyTorch"} <= set(shown)
    assert {"add_10x10", "1 µs", "0.10", "≤ 0.15", "1.00"} <= set(shown)
    assert {"chain_64", "3 ms", "2.25 →", "≤ 0.5"} <= set(shown)  # the bar ends where the axis does
    root = ET.fromstring(svg)  # noqa: S314  # written above
    bars = [
        (found.get("fill"), float(found.attrib["width"]))
        for found in root.iter(f"{SVG}rect")
        if found.get("height") == "13"
    ]
    assert bars == [("#3b6fb6", 27.0), ("#e08a1e", 270.0), ("#3b6fb6", 540.0)]
    [one] = [found for found in root.iter(f"{SVG}line") if found.get("stroke") == "#222"]
    assert one.get("x1") == "520.0"  # 250, where bars begin, + 270
    marks = [found.get("x1") for found in root.iter(f"{SVG}line") if found.get("stroke-width")]
    assert marks == ["290.5", "385.0"]


def test_the_chart_of_one_library_has_its_times() -> None:
    shown = texts(chart([Row("chain_64", {"hy": [26e-6]})], [], "Alone"))
    assert shown == ["Alone", "chain_64", "26 µs"]


def test_libraries_choose_their_own_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.setenv("KEPT", "yes")
    found = environment(threads=2)
    assert "OPENBLAS_CORETYPE" not in found
    assert (found["OMP_NUM_THREADS"], found["KEPT"]) == ("2", "yes")


def test_a_side_that_fails_is_told_of(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho no such library >&2\nexit 1\n", encoding="utf-8")
    python.chmod(0o700)
    with pytest.raises(RuntimeError, match=r"add_10x10 failed under .*\nno such library"):
        measured("add_10x10", [Side("mxnet", str(python))], rounds=1, seconds=0.01, threads=1)


@pytest.mark.slow
def test_a_side_without_the_workload_is_left_out() -> None:
    sides = [Side("hy", sys.executable), Side("torch", sys.executable)]
    found = measured("import_mxnet", sides, rounds=1, seconds=0.01, threads=1)
    assert list(found.seconds) == list(found.versions) == ["hy"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "unknown workload nothing; known: add_10x10, "),
        (["--mxnet", "no/such/python"], "--mxnet: there is no program no/such/python"),
        (["--compiled"], "--compiled needs --torch PYTHON"),
        (["--rounds", "0"], "--rounds and --threads are at least 1"),
    ],
)
def test_wrong_arguments(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(arguments)
    assert message in capsys.readouterr().err


def test_the_processor_is_named(tmp_path: Path) -> None:
    file = tmp_path / "cpuinfo"
    assert processor(file) is None
    file.write_text("processor\t: 0\nmodel name\t: Fast CPU 3000\n\nprocessor\t: 1\n", "utf-8")
    assert processor(file) == "Fast CPU 3000"


def test_each_first_call_traces_the_block_again() -> None:
    traced = []

    class Counted(Chain):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            traced.append(type(x))
            return super().hybrid_forward(F, x)

    net = Counted(4)
    call = first(net, mx.nd.ones((1,)))
    call()
    call()
    assert traced == [mx.sym.Symbol] * 2
    assert net(mx.nd.ones((1,))).asscalar() == 3.0
    assert len(traced) == 2


def test_the_states_of_unrolled_cells_get_the_size_of_the_batch() -> None:
    net = Unrolled(3)
    first(net, mx.nd.ones((3, 2, 40)))()
    assert net(mx.nd.ones((3, 2, 40))).shape == (3, 2, 40)
    assert net(mx.nd.ones((3, 5, 40))).shape == (3, 5, 40)


def test_each_cost_has_workloads_or_a_reason() -> None:
    names = [
        f"{name}.{number}" for name, family in vars(COSTS).items() for number in family._fields
    ]
    assert sorted(names) == sorted([*FIELDS, *LEFT_OUT])
    assert NEVER.keys() <= FIELDS.keys()


def test_costs_are_halved_doubled_and_switched_off(capsys: pytest.CaptureFixture[str]) -> None:
    before = COSTS.memory
    benchmarks.costs.main(["memory.zeros", "convolution.block_windows", "--rounds", "1"])
    benchmarks.costs.main(["memory.zeros", "--off", "--rounds", "1"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines if line.startswith(("memory", "conv"))][:2] == [
        ["memory.zeros", "1024"],
        ["convolution.block_windows", "32"],
    ]
    assert lines[-1].startswith("gains under 5 % everywhere: ")
    assert COSTS.memory is before
