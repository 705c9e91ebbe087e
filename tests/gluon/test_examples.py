"""The examples of transformers: they run, go on where they were killed, and stream."""

import json
import signal
import subprocess
import sys
import threading
from argparse import Namespace
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import pytest

from examples.decoder_text import decoder, server

ROOT = Path(__file__).parents[2]
SMALL = [
    *("--units", "16", "--layers", "1", "--heads", "2", "--length", "16"),
    *("--batch", "2", "--steps", "24", "--every", "5"),
]
KILLED = """
import os, signal, sys
from examples import decoder_text
from hy_gluon import Trainer
_, name, limit, *rest = sys.argv
sys.argv[1:] = rest
owner = {"step": Trainer, "save_states": Trainer}[name]
whole, calls = getattr(owner, name), []
def called(self, *args):
    calls.append(args)
    if len(calls) == int(limit):
        os.kill(os.getpid(), signal.SIGKILL)
    return whole(self, *args)
setattr(owner, name, called)
decoder_text.main()
"""
"""Trains, and is killed in a call of a method of the trainer: between checkpoints, or in one."""


def command(name: str, folder: Path, *more: str) -> list[str]:
    return [sys.executable, "-m", f"examples.{name}", "--output", str(folder), *more]


def run(name: str, folder: Path, *more: str) -> str:
    made = subprocess.run(  # noqa: S603
        command(name, folder, *more), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr
    return made.stdout


def losses(folder: Path) -> Any:
    return json.loads((folder / "step-24" / "losses.json").read_text())


@pytest.mark.slow
def test_the_decoder_goes_on_where_it_was_killed_to_the_same_numbers(tmp_path: Path) -> None:
    text = run("decoder_text", tmp_path / "whole", *SMALL)
    assert "largest difference 0.0e+00" in text
    assert (tmp_path / "whole" / "curve.png").stat().st_size > 1000
    for method, limit in (("step", "13"), ("save_states", "2")):
        folder = tmp_path / method
        arguments = [method, limit, "--output", str(folder), *SMALL]
        made = subprocess.run(  # noqa: S603
            [sys.executable, "-c", KILLED, *arguments], cwd=ROOT, capture_output=True, check=False
        )
        assert made.returncode == -signal.SIGKILL, made.stderr
        assert [x.name for x in sorted(folder.glob("step-*")) if x.suffix != ".new"] != []
        run("decoder_text", folder, *SMALL)
        assert losses(folder) == losses(tmp_path / "whole")
    adapted = run("lora_text", tmp_path / "lora", *SMALL, "--base", str(tmp_path / "whole"))
    assert "the merged net writes the same: True" in adapted


@pytest.mark.slow
def test_the_vision_transformer_learns_and_is_saved(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    small = ["--units", "16", "--layers", "1", "--steps", "60"]
    text = run("vit_digits", tmp_path, *small)
    first, last = (float(x) for x in text.splitlines()[0].split() if x[0].isdigit())
    assert last < first * 0.9
    assert "largest difference when loaded again: 0.0e+00" in text


def test_the_server_answers_byte_by_byte() -> None:
    net = decoder(Namespace(units=8, layers=1, heads=2, length=8))
    with server(net, 0) as made:
        thread = threading.Thread(target=made.serve_forever)
        thread.start()
        try:
            with urlopen(f"http://localhost:{made.server_port}/?text=ab") as answer:
                assert answer.headers["Content-Type"] == "text/plain; charset=utf-8"
                assert len(answer.read()) == 8
        finally:
            made.shutdown()
            thread.join()
