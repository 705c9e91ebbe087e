"""A process that is killed while it saves leaves the old files or the new ones, never a part."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from hy_io import FileFormatError, load_checkpoint, load_ndarrays, load_safetensors

SAVING = """
import os
import sys
from pathlib import Path
import numpy as np
from hy_io import save_checkpoint, save_ndarrays, save_safetensors
folder = Path(sys.argv[1])
for line in sys.stdin:  # each from a process of its own, which has everything imported already
    value = int(line)
    child = os.fork()
    if not child:
        break
    print(child, flush=True)
    os.waitpid(child, 0)
    print("gone", flush=True)
while not child:
    value += 1
    arrays = {f"w{i}": np.full(30_000, value, np.float32) for i in range(4)}
    save_ndarrays(folder / "net.params", arrays)
    save_safetensors(folder / "net.safetensors", arrays)
    graph = '{"nodes": [%d]}' % value
    save_checkpoint(folder / "net", 0, graph, arrays, {}, manifest=value % 2 == 0)
"""


def one_value(arrays: object) -> int:
    assert isinstance(arrays, dict)
    values = {float(value) for array in arrays.values() for value in np.unique(array)}
    assert len(arrays) == 4
    assert len(values) == 1, "arrays of two saves"
    return int(values.pop())


def check(folder: Path, at_least: int) -> int:
    """Read everything that is there; each file has one value, and none went back."""
    found = [at_least]
    if (folder / "net.params").exists():
        found.append(one_value(load_ndarrays(folder / "net.params")))
    if (folder / "net.safetensors").exists():
        found.append(one_value(load_safetensors(folder / "net.safetensors").arrays))
    try:
        graph, arg, _ = load_checkpoint(folder / "net", 0)
    except FileNotFoundError:
        return max(found)
    value = one_value(arg)
    assert graph == f'{{"nodes": [{value}]}}'
    if (folder / "net-symbol.json").exists():  # as a program without our list finds the pair
        by_name = one_value(load_ndarrays(folder / "net-0000.params"))
        assert (folder / "net-symbol.json").read_text() == f'{{"nodes": [{by_name}]}}'
    return max(*found, value)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no SIGKILL")
@pytest.mark.parametrize("kills", [8, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_saves_leave_whole_files(tmp_path: Path, kills: int) -> None:
    chance = random.Random(kills)  # noqa: S311  # no secrets
    value = 0
    with subprocess.Popen(  # noqa: S603  # our own script
        [sys.executable, "-c", SAVING, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for _ in range(kills):
            process.stdin.write(f"{value}\n")
            process.stdin.flush()
            child = int(process.stdout.readline())
            time.sleep(chance.random() * 0.06)
            os.kill(child, signal.SIGKILL)
            assert process.stdout.readline() == "gone\n"
            value = check(tmp_path, value)
    assert value >= kills // 8
    assert len(list(tmp_path.glob(".*.tmp"))) <= 5  # at most one for each file that is saved
    assert os.listdir(tmp_path)  # noqa: PTH208  # names are enough


def test_check_finds_a_part(tmp_path: Path) -> None:
    (tmp_path / "net.params").write_bytes(b"half")
    with pytest.raises(FileFormatError):
        check(tmp_path, 0)
