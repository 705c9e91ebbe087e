"""Damaged files are read or refused: a few of those that ``hatch run fuzz`` makes."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("PIL")
pytest.importorskip("resource")
from tools.fuzz_formats import corpus
from tools.fuzz_inputs import damaged

ROOT = Path(__file__).parents[1]
BREAKING = """
import os, signal, sys
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
fuzz_child.damaged = lambda _, seed, count: (bytes([s - 40]) for s in range(seed, seed + count))
row = fuzz_child.fuzz("kinds", Format([b"\\0"], read), Path(sys.argv[1]), 40, 6)
del row["slowest_ms"]
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


def test_each_file_comes_again_from_its_seed() -> None:
    wholes = [b"first whole file", b"second"]
    files = list(damaged(wholes, 7, 50))
    assert [next(damaged(wholes, 7 + i, 1)) for i in range(50)] == files
    assert len(set(files)) > 40
