"""The fuzzers find what is wrong; what they draw first, all of it is right."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from hy_ndarray import limits
from tools import fuzz_graphs, fuzz_onnx_grammar, fuzz_symbols, onnx_grammar
from tools.fuzz_cases import fuzz
from tools.fuzz_formats import EXPANSION

pytestmark = pytest.mark.filterwarnings(
    "ignore:.*multi-threaded, use of fork.*:DeprecationWarning"  # the child runs these lines alone
)


@pytest.mark.parametrize("part", range(10))
def test_a_damaged_symbol_file_works_or_is_refused(
    part: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hy_ndarray.custom._REGISTRY", {"same": fuzz_symbols.SameProp})
    monkeypatch.setattr(limits, "most", limits.most)  # the fuzzer sets it for its own process
    outcomes = {fuzz_symbols.check(seed) for seed in range(20 * part, 20 * part + 20)}
    assert outcomes <= {"refused", "not run", "large", "run"}


@pytest.mark.parametrize("part", range(10))
def test_inference_agrees_with_what_is_known_of_a_random_graph(part: int) -> None:
    outcomes = {fuzz_graphs.check(seed).split(",")[0] for seed in range(20 * part, 20 * part + 20)}
    assert outcomes <= {"differentiated", "not differentiated", "not run", "empty"}


def test_most_random_graphs_are_differentiated() -> None:
    outcomes = [fuzz_graphs.check(seed).split(",")[0] for seed in range(40)]
    assert outcomes.count("differentiated") > 20


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", str(EXPANSION))
    return fuzz_onnx_grammar.prepared(tmp_path)


@pytest.mark.parametrize("part", range(10))
def test_a_drawn_onnx_file_is_read_or_refused(part: int, model: Path) -> None:
    seeds = range(20 * part, 20 * part + 20)
    outcomes = {fuzz_onnx_grammar.check(seed, model) for seed in seeds}
    assert outcomes <= {"read", "refused"}


def test_some_drawn_onnx_files_are_read(model: Path) -> None:
    outcomes = [fuzz_onnx_grammar.check(seed, model) for seed in range(100)]
    assert outcomes.count("read") > 5


def test_drawn_onnx_files_have_most_operators_and_what_asks_for_too_much() -> None:
    models = [onnx_grammar.model_of(seed) for seed in range(1200)]
    operators = {node.op_type for model in models for node in model.graph.node}
    assert len(operators) > 180
    assert operators > {"ConstantOfShape", "If", "Loop", "RegexFullMatch", "Scan", "StringConcat"}
    weights = [weight for model in models for weight in model.graph.initializer]
    assert any(entry.value == "../w.bin" for w in weights for entry in w.external_data)
    assert any(max(w.int64_data or w.dims, default=0) > 2**30 for w in weights)
    assert any(model.functions for model in models)


def recurse() -> None:
    recurse()


WRONG: dict[str, Callable[[], object]] = {
    "raises": [].pop,
    "computes for ever": lambda: next(x for x in iter(int, 1) if x),
    "takes memory": lambda: bytearray(10**9),
    "ends the process": lambda: os._exit(1),
    "recurses": recurse,
}


@pytest.mark.parametrize("what", WRONG)
def test_a_fuzzer_counts_what_is_wrong_and_goes_on(
    what: str, capfd: pytest.CaptureFixture[str]
) -> None:
    def case(seed: int) -> str:
        if seed == 3:
            WRONG[what]()
        return "right"

    report = fuzz(case, 0, 6, seconds=0.2, mebibytes=200)
    assert report.wrong == [3]
    assert report.outcomes == {"right": 5, "wrong": 1}
    assert "seed 3" in capfd.readouterr().err
    assert "right 5, wrong 1; slowest" in str(report)


def test_a_fuzzer_gives_up_on_a_case_that_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tools.fuzz_cases._PATIENCE_SECONDS", 0.3)

    def case(seed: int) -> str:
        if seed == 1:
            signal.pause()
        return "right"

    assert fuzz(case, 0, 3, seconds=1.0, mebibytes=200).wrong == [1]


def test_the_fuzzers_can_be_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hy_ndarray.custom._REGISTRY", {})
    monkeypatch.setenv("HY_MAX_FILE_EXPANSION", "")  # which a fuzzer sets for its own process
    for tool in (fuzz_symbols, fuzz_graphs, fuzz_onnx_grammar):
        monkeypatch.setattr("sys.argv", ["fuzz", "--count", "5"])
        assert tool.main() == 0
