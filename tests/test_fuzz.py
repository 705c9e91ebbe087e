"""Damaged files are read or refused: a few of those that ``hatch run fuzz`` makes."""

import json
import pickletools
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest

pytest.importorskip("PIL")
pytest.importorskip("resource")
from tools import fuzz_pickles
from tools.fuzz_formats import REFUSALS, corpus
from tools.fuzz_inputs import damaged

ROOT = Path(__file__).parents[1]
BREAKING = """
import os, random, signal, sys
from pathlib import Path
import numpy as np
from hy_io import FileFormatError
from tools import fuzz_child
from tools.fuzz_formats import Format

def read(path):
    kind = path.read_bytes()[0]
    if kind == 1:
        raise FileFormatError(None, 0, "byte", "0", "1")
    if kind == 2:
        raise KeyError("raw")
    if kind == 3:
        np.zeros(1 << 30, np.uint8)
    if kind == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    while kind == 5:
        pass

fuzz_child.SECONDS = 0.1
form = Format([b"\\0"], read, draw=lambda chance: bytes([KINDS[chance.random()]]))
KINDS = {random.Random(seed).random(): seed - 40 for seed in range(40, 46)}
row = fuzz_child.fuzz("kinds", form, Path(sys.argv[1]), 40, 6)
del row["slowest_ms"], row["largest_mib"]
print(row)
"""


def run(*arguments: str) -> tuple[int, str]:
    """A program in a process of its own: forks want one without threads."""
    done = subprocess.run(  # noqa: S603  # our own
        [sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.mark.slow
def test_damaged_files_of_every_format_are_read_or_refused(tmp_path: Path) -> None:
    code, text = run("-m", "tools.fuzz_io", "--count", "200")
    assert code == 0, text
    rows = {line.split()[0]: json.loads(line[line.index("{") :]) for line in text.splitlines()}
    assert rows.keys() == corpus(tmp_path).keys()
    for name, row in rows.items():
        assert row["read"] + row["refused"] == 200, name
        assert row["refused"] > 0, name


@pytest.mark.slow
def test_whatever_goes_wrong_is_counted_and_can_be_replayed(tmp_path: Path) -> None:
    _, text = run("-c", BREAKING, str(tmp_path))
    assert "{'read': 1, 'refused': 1, 'other': 2, 'slow': 1, 'ended': 1}" in text
    for seed, outcome in ((42, "other"), (43, "other"), (44, "ended"), (45, "slow")):
        assert f"kinds: {outcome}: replay with kinds --seed {seed} --count 1" in text
    assert re.search(r"with --seed 42:[^$]*KeyError: 'raw'", text)
    assert re.search(r"with --seed 43:[^$]*MemoryError", text)


@pytest.mark.parametrize("draw", [fuzz_pickles.states, fuzz_pickles.tensors])
def test_drawn_pickles_come_again_from_their_seeds(draw: Callable[[Random], bytes]) -> None:
    files = [draw(Random(seed)) for seed in range(200)]
    assert [draw(Random(seed)) for seed in range(200)] == files
    assert len(set(files)) > 190


@pytest.mark.parametrize("name", ["states-drawn", "pickle-drawn", "torch-drawn"])
def test_some_drawn_pickles_are_read_and_others_refused(name: str, tmp_path: Path) -> None:
    form = corpus(tmp_path)[name]
    outcomes = set()
    for part in form.parts(0, 60):
        (tmp_path / "part").write_bytes(form.seal(part))
        try:
            form.read(tmp_path / "part")
            outcomes.add("read")
        except REFUSALS:
            outcomes.add("refused")
    assert outcomes == {"read", "refused"}


@pytest.mark.filterwarnings("ignore:.*invalid escape sequence:DeprecationWarning")  # of pickletools
def test_drawn_pickles_take_every_step_there_is() -> None:
    taken = set[str]()
    for seed in range(2000):
        with suppress(ValueError):  # where it is damaged
            content = fuzz_pickles.states(Random(seed))
            taken.update(code.name for code, _, _ in pickletools.genops(content))
    assert {code.name for code in pickletools.opcodes} - taken == set()


def test_each_file_comes_again_from_its_seed() -> None:
    wholes = [b"first whole file", b"second"]
    files = list(damaged(wholes, 7, 50))
    assert [next(damaged(wholes, 7 + i, 1)) for i in range(50)] == files
    assert len(set(files)) > 40
