"""The fastest way is measured once for a class of shapes, and kept on disk."""

import json
import logging
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._subclasses import FakeTensorMode
from triton.runtime.errors import OutOfResources

from hy_kernels.triton.nn import _images
from hy_kernels.triton.nn._convolve import Geometry
from hy_kernels.triton.runtime import _tune
from hy_kernels.triton.runtime._launch import LaunchError, launch, watched
from hy_kernels.triton.runtime._tune import Problem, choose, forget, shape_class

PROBLEM = Problem.of("x", ("k",), ())
TIMES = {"slow": 3.0, "fast": 1.0, "library": 2.0}


@pytest.fixture(autouse=True)
def _afresh() -> Iterator[None]:
    forget()
    yield
    forget()


def chosen(file: Path, measured: list[str], *, measures: bool = True, key: str = "k") -> str:
    def time(call: Callable[[], Any]) -> float:
        name = call()
        measured.append(name)
        if name == "slow":
            raise LaunchError("too large") from OutOfResources(9, 8, "shared memory")
        return TIMES[name]

    ways = {name: (lambda name=name: name) for name in TIMES}
    return _tune._best_config(key, ways, "library", file, measures, time)


def test_the_fastest_is_measured_once_told_and_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file, measured = tmp_path / "hy" / "a.json", list[str]()
    with caplog.at_level(logging.WARNING):
        assert chosen(file, measured) == "fast"
        assert chosen(file, measured) == "fast"
    assert measured == ["slow", "fast", "library"]
    assert [str(file) in record.message for record in caplog.records] == [True]
    forget()
    assert chosen(file, measured) == "fast"  # by the file
    assert len(measured) == 3
    assert json.loads(file.read_text()) == {"version": 1, "ways": {"k": "fast"}}
    assert [each.name for each in file.parent.iterdir()] == ["a.json"]  # and nothing half written


def test_a_way_that_fails_is_told_with_the_reason_and_another_one_taken(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def time(call: Callable[[], Any]) -> float:
        if call() == "fast":
            raise LaunchError("Triton kernel k: no such instruction")
        return TIMES[call()]

    ways = {name: (lambda name=name: name) for name in TIMES}
    with caplog.at_level(logging.WARNING):
        found = _tune._best_config("k", ways, "library", tmp_path / "a.json", True, time)
    assert found == "library"
    assert "k: fast cannot be taken: Triton kernel k: no such instruction" in caplog.messages


def test_if_no_way_but_the_safe_one_can_be_taken_that_is_an_error(tmp_path: Path) -> None:
    def time(call: Callable[[], Any]) -> float:
        if call() != "library":
            raise LaunchError("Triton kernel k: no such instruction")
        return 1.0

    ways = {name: (lambda name=name: name) for name in TIMES}
    file = tmp_path / "a.json"
    with pytest.raises(LaunchError, match="no such instruction"):
        _tune._best_config("k", ways, "library", file, True, time)
    assert not file.exists()


def test_what_others_have_written_meanwhile_stays(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    chosen(file, [], key="one")
    file.write_text(json.dumps({"version": 1, "ways": {"two": "slow"}}))
    chosen(file, [], key="three")
    assert json.loads(file.read_text())["ways"] == {"one": "fast", "two": "slow", "three": "fast"}


def test_unmeasured_it_is_the_safe_one(tmp_path: Path) -> None:
    measured: list[str] = []
    assert chosen(tmp_path / "a.json", measured, measures=False) == "library"
    assert not measured
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"version": 0, "ways": {"k": "slow"}}', '{"version": 1}', "\udc00"]
)
def test_files_that_are_damaged_or_old_are_written_anew(tmp_path: Path, content: str) -> None:
    file = tmp_path / "a.json"
    file.write_bytes(content.encode("utf-8", "surrogatepass"))
    assert chosen(file, []) == "fast"
    assert json.loads(file.read_text())["ways"] == {"k": "fast"}


def test_a_way_that_is_no_more_is_measured_again(tmp_path: Path) -> None:
    file = tmp_path / "a.json"
    file.write_text(json.dumps({"version": 1, "ways": {"k": "gone"}}))
    assert chosen(file, []) == "fast"


def test_without_a_gpu_nothing_is_measured() -> None:
    cpu = torch.device("cpu")
    assert choose(PROBLEM, lambda: {"a": print}, untuned="a", device=cpu) == "a"


@pytest.fixture
def on_a_gpu(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A GPU that need not be there; the folder of its file."""
    monkeypatch.setenv("HY_AUTOTUNE_DIR", str(tmp_path))
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Some GPU")
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    monkeypatch.setattr("triton.testing.do_bench", lambda call: TIMES[call()])
    return tmp_path


def asked() -> str:
    ways = {name: (lambda name=name: name) for name in TIMES}
    return choose(PROBLEM, lambda: ways, untuned="library", device=torch.device("cuda", 0))


def test_the_mode_says_whether_one_measures_and_whether_one_reads(
    on_a_gpu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", "cached")
    forget()
    assert asked() == "library"
    assert not list(on_a_gpu.iterdir())
    monkeypatch.setenv("HY_AUTOTUNE", "full")
    forget()
    assert asked() == "fast"
    (file,) = on_a_gpu.iterdir()
    assert file.name.startswith("autotune-1-Some-GPU-triton-")
    forget()
    monkeypatch.setenv("HY_AUTOTUNE", "cached")
    forget()
    assert asked() == "fast"
    monkeypatch.setenv("HY_AUTOTUNE", "off")
    forget()
    assert asked() == "library"


def test_by_default_nothing_is_measured(on_a_gpu: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HY_AUTOTUNE", raising=False)
    forget()
    assert asked() == "library"
    assert not list(on_a_gpu.iterdir())


@pytest.mark.parametrize("mode", ["cached", "full"])
def test_what_was_chosen_for_a_call_is_found_without_its_ways(
    mode: str, on_a_gpu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", mode)
    forget()
    made = list[str]()

    def ways() -> _tune.Candidates:
        made.append("ways")
        return {name: partial(str, name) for name in TIMES}

    device = torch.device("cuda", 0)
    for sizes in ((4, 5), (4, 5), (5, 5)):
        found = choose(Problem.of("x", ("k",), sizes), ways, untuned="library", device=device)
        assert found == ("fast" if mode == "full" else "library")
    assert len(made) == 2


class Compiled:
    """A kernel that remembers for what it is compiled, and must not be started."""

    def __init__(self) -> None:
        self.compiled: list[dict[str, Any]] = []

    def warmup(self, *_: Any, **how: Any) -> None:
        self.compiled.append(how)


def test_ways_are_compiled_before_the_first_is_measured() -> None:
    kernel, x = Compiled(), torch.ones(1)
    ways: dict[str, Callable[[], Any]] = {
        str(n): partial(launch, kernel, (n,), x, warps=n, BLOCK=n) for n in (1, 2, 4)
    }
    measured: list[int] = []

    def time(call: Callable[[], Any]) -> float:
        measured.append(len(kernel.compiled))
        return float(-len(measured))

    with watched() as launches:
        assert _tune._fastest("k", {**ways, "library": print}, "library", time) == "library"
    assert not launches
    assert measured == [3, 3, 3, 3]
    assert {each["num_warps"] for each in kernel.compiled} == {1, 2, 4}
    assert all(each["grid"] == (each["BLOCK"],) for each in kernel.compiled)


def test_images_whose_channels_are_apart_are_left_to_the_library() -> None:
    """Of a GPU that need not be there; tiles would read them one by one."""

    def fails(*_: Any, **__: Any) -> Any:
        raise AssertionError("it is neither compiled nor measured")

    with FakeTensorMode(), pytest.MonkeyPatch.context() as patch:
        x = torch.empty(2, 8, 4, 4, device="cuda")
        weight = x.new_empty(8, 8, 1, 1)
        geometry = Geometry.of((8, 8, 1, 1, 1), (1, 1), (1, 1), (0, 0), 1)
        library = torch.empty_like(x)
        patch.setattr(_images, "choose", fails)
        shape = (2, 8, 1, 4, 4)
        problem = _images.problem_over("convolution", x, weight, shape, geometry, (None, None))
        assert _images.convolved(problem, x, weight, lambda: library) is library


def test_weights_whose_channels_are_apart_are_copied_for_tiles() -> None:
    x, weight = torch.empty(2, 4, 4, 8, device="meta"), torch.empty(8, 8, 3, 3, device="meta")
    geometry = Geometry.of((8, 8, 1, 3, 3), (1, 1), (1, 1), (1, 1), 1)
    shape, order = (2, 8, 1, 4, 4), ("NHWC", None)
    for back in (False, True):
        problem = _images.problem_over("", x, weight, shape, geometry, order, back=back)
        assert not problem.is_apart
        assert problem.copied == (False, True)
        assert problem.convolution.weight[1][1] == 1
    assert not _images.problem_to_weight("", x, x, weight, geometry, order).is_apart


def test_nothing_is_measured_while_a_graph_is_captured(
    on_a_gpu: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", "full")
    forget()
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    assert asked() == "library"
    assert not list(on_a_gpu.iterdir())
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
    assert asked() == "fast"
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
    assert asked() == "fast"  # it is known


def test_an_unknown_mode_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", "often")
    forget()
    with pytest.raises(ValueError, match="'often'; it has to be one of off, cached, full"):
        choose(
            PROBLEM,
            lambda: {"a": print},
            untuned="a",
            device=torch.device("cuda"),
        )


def test_shapes_of_a_class_differ_by_a_third_at_most() -> None:
    assert shape_class(1, 32, 33, 48, 49, 65) == "1x32x48x48x64x96"
