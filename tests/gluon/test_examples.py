"""The examples of transformers: they run, go on where they were killed, and stream."""

import json
import signal
import subprocess
import sys
import threading
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from examples import decoder_text
from examples.decoder_text import decoder, server
from hy_gluon.model_zoo.transformer import stream

ROOT = Path(__file__).parents[2]
SMALL = [
    *("--units", "16", "--layers", "1", "--heads", "2", "--length", "16"),
    *("--batch", "2", "--steps", "24", "--every", "5"),
]
KILLED = """
import functools, importlib, os, shutil, signal, sys
from hy_gluon import Trainer, TrainStep
_, example, name, limit, *rest = sys.argv
main = importlib.import_module(f"examples.{example}").main
sys.argv[1:] = rest
owner = {"__call__": TrainStep, "save_states": Trainer, "rmtree": shutil}[name]
whole, calls = getattr(owner, name), []
@functools.wraps(whole)
def called(*args, **kwargs):
    calls.append(args)
    if len(calls) == int(limit):
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(*args, **kwargs)
setattr(owner, name, called)
main()
"""
"""Trains, and is killed in a call of a function."""
MOMENTS = {
    "before the first": ("__call__", "3"),
    "between two": ("__call__", "13"),
    "in one": ("save_states", "2"),
    "behind one": ("rmtree", "3"),
}
"""When it is killed, beside its checkpoints: in which call of which function."""


def command(name: str, folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", f"examples.{name}", "--output", str(folder), *more]


def run(name: str, folder: Path, *more: str) -> str:
    made = subprocess.run(  # noqa: S603
        command(name, folder, *more), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def losses(folder: Path) -> Any:
    (last,) = folder.glob("step-*")
    return json.loads((last / "losses.json").read_text())


def check_goes_on(name: str, folder: Path, whole: Path, moment: str, *arguments: str) -> None:
    """Kill an example, start it again, and compare its losses with those of a run that was not."""
    made = subprocess.run(  # noqa: S603
        [sys.executable, "-c", KILLED, name, *MOMENTS[moment], "--output", str(folder), *arguments],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    assert made.returncode == -signal.SIGKILL, made.stderr
    begun = [x.name for x in folder.glob("step-*") if x.suffix != ".new"]
    assert (begun == []) == (moment == "before the first")
    run(name, folder, *arguments)
    assert losses(folder) == losses(whole)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The decoder, trained without a break."""
    folder = tmp_path_factory.mktemp("decoder") / "whole"
    text = run("decoder_text", folder, *SMALL)
    assert "largest difference 0.0e+00" in text
    assert (folder / "curve.png").stat().st_size > 1000
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("moment", MOMENTS)
def test_the_decoder_goes_on_where_it_was_killed_to_the_same_numbers(
    moment: str, trained: Path, tmp_path: Path
) -> None:
    check_goes_on("decoder_text", tmp_path, trained, moment, *SMALL)


@pytest.mark.slow
def test_lora_goes_on_where_it_was_killed_to_the_same_numbers(
    trained: Path, tmp_path: Path
) -> None:
    arguments = [*SMALL, "--base", str(trained)]
    adapted = run("lora_text", tmp_path / "whole", *arguments)
    assert "the merged net writes the same: True" in adapted
    for moment in ("between two", "in one"):
        check_goes_on("lora_text", tmp_path / moment, tmp_path / "whole", moment, *arguments)


@pytest.mark.slow
def test_the_vision_transformer_learns_is_saved_and_goes_on(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    small = ["--units", "16", "--layers", "1", "--steps", "60", "--every", "5"]
    text = run("vit_digits", tmp_path / "whole", *small)
    first, last = (float(x) for x in text.splitlines()[0].split() if x[0].isdigit())
    assert last < first * 0.9
    assert "largest difference when loaded again: 0.0e+00" in text
    assert (tmp_path / "whole" / "curve.png").stat().st_size > 1000
    for moment in ("between two", "in one"):
        check_goes_on("vit_digits", tmp_path / moment, tmp_path / "whole", moment, *small)


def test_the_server_answers_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    net = decoder(Namespace(units=8, layers=1, heads=2, length=8))
    has_first = threading.Event()

    def slowly(*arguments: Any, **options: Any) -> Iterator[int]:
        """The tokens, the second one when the first has arrived."""
        for k, token in enumerate(stream(*arguments, **options)):
            if k == 1 and not has_first.wait(60):
                return
            yield token

    monkeypatch.setattr(decoder_text, "stream", slowly)
    with server(net, 0) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        try:
            with urlopen(f"http://localhost:{made.server_port}/?text=ab") as answer:
                assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
                assert len(answer.read(1)) == 1
                has_first.set()
                assert len(answer.read()) == 7
        finally:
            made.shutdown()
            thread.join()
