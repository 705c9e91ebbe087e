"""The fastest way is measured once for a class of shapes, and kept on disk."""

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from hy_kernels.triton import _tune
from hy_kernels.triton._tune import choose, forget, shape_class

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
            raise RuntimeError("out of shared memory")
        return TIMES[name]

    ways = {name: (lambda name=name: name) for name in TIMES}
    return _tune._chosen(key, ways, "library", file, measures, time)


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
    assert choose("x", "k", {"a": print}, untuned="a", device=cpu) == "a"


def test_an_unknown_mode_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HY_AUTOTUNE", "often")
    with pytest.raises(ValueError, match="'often'; it has to be one of off, cached, full"):
        choose("x", "k", {"a": print}, untuned="a", device=torch.device("cuda"))


def test_shapes_of_a_class_differ_by_a_third_at_most() -> None:
    assert shape_class(1, 32, 33, 48, 49, 65) == "1x32x48x48x64x96"
