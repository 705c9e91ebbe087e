"""Python's cyclic collector stands still in the process of `hy-io convert`, and in no other one."""

import gc
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from hy_io import save_ndarrays
from hy_io.cli import main

PROGRAM = """
import atexit, gc, hy_io.cli
begun = gc.get_freeze_count()  # Python 3.12 has some from the start
atexit.register(lambda: print(gc.isenabled(), gc.get_freeze_count() > begun))
hy_io.cli.main()
"""


@pytest.mark.parametrize(
    ("words", "state"),
    [(["convert", "net.params", "net.npz"], "False True"), (["info", "net.params"], "True False")],
    ids=["convert", "info"],
)
def test_a_process_that_converts_collects_nothing(
    words: list[str], state: str, tmp_path: Path
) -> None:
    """Imports and graphs make many objects, all of which stay until it ends."""
    save_ndarrays(tmp_path / "net.params", {"dense0_weight": np.ones((2, 3), np.float32)})
    call = [sys.executable, "-c", PROGRAM, *words]
    done = subprocess.run(call, check=True, capture_output=True, text=True, cwd=tmp_path)  # noqa: S603  # ours
    assert done.stdout.splitlines()[-1] == state


def test_a_process_that_calls_the_command_collects_on(tmp_path: Path) -> None:
    save_ndarrays(tmp_path / "net.params", {"dense0_weight": np.ones((2, 3), np.float32)})
    assert main(["convert", str(tmp_path / "net.params"), str(tmp_path / "net.npz")]) == 0
    assert gc.isenabled()
