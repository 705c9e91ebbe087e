"""`hy-io` takes subcommands, and readers of graphs, from other packages, which it does not need."""

import argparse
import json
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hy_io import load_safetensors, save_ndarrays
from hy_io.cli import main
from hy_io.commands import Command, find_command


def add_words(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("words", nargs="+")


def count(options: argparse.Namespace) -> tuple[dict[str, Any], str]:
    if "wrong" in options.words:
        raise ValueError("wrong is no word")
    return {"words": len(options.words)}, f"{len(options.words)} words"


COUNT = Command("Count words.", add_words, count)


def install(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> None:
    """Let these be the only packages that offer something."""

    def find(**wanted: Any) -> EntryPoints:
        return EntryPoints(points).select(**wanted)

    monkeypatch.setattr("importlib.metadata.entry_points", find)


@pytest.fixture
def _counting(monkeypatch: pytest.MonkeyPatch) -> None:
    value = f"{__name__}:COUNT"
    broken = EntryPoint("broken", "hy_io_absent:X", "hy_io.commands")
    install(monkeypatch, EntryPoint("count", value, "hy_io.commands"), broken)
    load = EntryPoint.load
    monkeypatch.setattr(
        EntryPoint, "load", lambda self: COUNT if self.value == value else load(self)
    )


@pytest.mark.usefixtures("_counting")
def test_a_package_adds_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["count", "a", "b"]) == 0
    assert capsys.readouterr().out == "2 words\n"
    assert main(["count", "a", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"ok": True, "words": 1}
    assert main(["count", "wrong"]) == 1
    assert capsys.readouterr().err == "hy-io: wrong is no word\n"


@pytest.mark.usefixtures("_counting")
def test_a_command_that_cannot_load_says_why_and_spoils_no_other(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["broken", "-x", "y"]) == 1
    assert "hy-io: cannot load: No module named 'hy_io_absent'" in capsys.readouterr().err
    assert main(["broken", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["ok"] is False
    with pytest.raises(SystemExit):
        main(["--help"])
    lines = [line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines()]
    assert ["count", "Count words."] in lines
    assert ["broken", "cannot load: No module named 'hy_io_absent'"] in lines


def test_an_entry_point_that_is_no_command_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    install(monkeypatch, EntryPoint("pi", "math:pi", "hy_io.commands"))
    with pytest.raises(TypeError, match=r"'pi' .* must be a hy_io\.commands\.Command, and math:pi"):
        find_command("pi")
    with pytest.raises(LookupError, match="no installed package adds the command 'count'"):
        find_command("count")


@pytest.mark.parametrize(("word", "package"), [("info", "hy-symbol"), ("verify", "hy-gluon")])
def test_commands_of_graphs_name_the_package_that_has_them(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], word: str, package: str
) -> None:
    install(monkeypatch)
    assert main([word, "--input", "data=1,3", "net-symbol.json"]) == 1
    assert f"{word} of a graph needs {package}, which is not installed" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["draw", "net-symbol.json"])
    assert "invalid choice: 'draw'" in capsys.readouterr().err


def test_what_writes_models_of_onnx_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("hy_io.formats._others", [])
    install(monkeypatch)
    save_ndarrays(tmp_path / "a.params", {"w": np.ones(2)})
    assert main(["convert", str(tmp_path / "a.params"), str(tmp_path / "a.onnx")]) == 1
    assert "`pip install 'hy-onnx[onnx]'` adds .onnx" in capsys.readouterr().err


def test_a_graph_goes_along_unread_where_nothing_reads_graphs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch)
    (tmp_path / "net-symbol.json").write_text("no graph", encoding="utf-8")
    source, target = tmp_path / "net-0000.params", tmp_path / "net.safetensors"
    save_ndarrays(source, {"arg:w": np.ones(2)})
    assert main(["convert", str(source), str(target)]) == 0
    assert load_safetensors(target).symbol == "no graph"
