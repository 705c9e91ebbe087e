"""Time conversions of a large checkpoint against copying it: ``hatch run bench-conversions``.

Each command is a process of its own, and runs twice: as it is, when it ends with the file on the
disk, behind a ``cp`` with ``sync``; and with ``--no-sync``, behind a ``cp`` that promises no more.
The source is in the page cache, the target is new. Seconds are those of the whole process.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from benchmarks.sides import environment, interpreter
from hy_gluon.onnx import export_model
from hy_io import save_ndarrays, save_npz, save_safetensors, save_torch
from hy_symbol import sym

SIDE = 1000
"""Each array is a square of floats: 4 MB."""
HY_IO = ("-c", "from hy_io.cli import main; main()", "convert")
BESIDE = f"""
import sys
from contextlib import nullcontext
from hy_gluon.onnx import export_model
from hy_io import no_sync
files = "net-symbol.json", "net-0000.params"
with no_sync() if "--no-sync" in sys.argv else nullcontext():
    export_model(*files, [(1, {SIDE})], onnx_file_path="out.onnx", external_data=True)
"""
COPY = {True: ["sh", "-c", "cp alone.params out && sync out"], False: ["cp", "alone.params", "out"]}
"""What a conversion is compared with, by whether it waits for the disk."""
Commands = dict[str, list[str]]


def prepare(folder: Path, count: int) -> None:
    """Write one checkpoint alone, with a graph, and in the other formats."""
    values = np.random.default_rng(0).random((SIDE, SIDE), np.float32)
    arrays = {f"arg:dense{index}_weight": values for index in range(count)}
    save_ndarrays(folder / "alone.params", arrays)
    save_ndarrays(folder / "net-0000.params", arrays)
    save_safetensors(folder / "a.safetensors", arrays)
    save_npz(folder / "a.npz", arrays)
    save_torch(folder / "a.pt", {f"dense{index}.weight": values for index in range(count)})
    graph = sym.var("data")
    for index in range(count):
        graph = sym.FullyConnected(graph, num_hidden=SIDE, no_bias=True, name=f"dense{index}")
    (folder / "net-symbol.json").write_text(graph.tojson(), encoding="utf-8")
    for name, beside in {"a.onnx": False, "beside.onnx": True}.items():
        path = str(folder / name)
        export_model(graph, arrays, [(1, SIDE)], onnx_file_path=path, external_data=beside)


def commands() -> Commands:
    """Return the timed commands by title; each writes ``out`` or a file that begins so."""
    ours = interpreter(sys.executable)
    return {
        ".params to .safetensors": [*ours, *HY_IO, "alone.params", "out.safetensors"],
        ".safetensors to .params": [*ours, *HY_IO, "a.safetensors", "out.params"],
        "names of PyTorch": [*ours, *HY_IO, "alone.params", "out.safetensors", "--to", "torch"],
        "with a graph to check": [*ours, *HY_IO, "net-0000.params", "out.safetensors"],
        ".params to .pt": [*ours, *HY_IO, "alone.params", "out.pt"],
        ".pt to .params": [*ours, *HY_IO, "a.pt", "out.params"],
        ".pt to .safetensors": [*ours, *HY_IO, "a.pt", "out.safetensors"],
        ".params to .onnx": [
            *ours,
            *HY_IO,
            "net-0000.params",
            "out.onnx",
            "--input",
            f"data=1,{SIDE}",
        ],
        ".onnx to .params": [*ours, *HY_IO, "a.onnx", "out.params"],
        "export_model, external_data=True": [*ours, "-c", BESIDE],
        ".onnx.data to .params": [*ours, *HY_IO, "beside.onnx", "out.params"],
        ".params to .npz": [*ours, *HY_IO, "alone.params", "out.npz"],
        ".npz to .params": [*ours, *HY_IO, "a.npz", "out.params"],
    }


def measured(command: list[str], folder: Path) -> tuple[float, int]:
    """Seconds and peak bytes of a process, after whatever was written before is on the disk."""
    for path in folder.glob("out*"):
        path.unlink()
    os.sync()
    time.sleep(0.2)
    begin = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603  # our own commands
        command, cwd=folder, env=environment(1), stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} failed")
    return seconds, usage.ru_maxrss * 1024


class Round(NamedTuple):
    """Seconds of a command, and of the copy before it; peak bytes of the command."""

    seconds: float
    copied: float
    memory: int


def _cells(rounds: list[Round], *widths: int) -> str:
    """Return median seconds, and the median ratio to the copies."""
    typical = median(one.seconds for one in rounds)
    ratio = median(one.seconds / one.copied for one in rounds)
    return f"{typical:{widths[0]}.2f}{ratio:{widths[1]}.2f}"


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(prog="hatch run bench-conversions", description=__doc__)
    parser.add_argument("--arrays", type=int, default=250, help="of 4 MB each (250)")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="a word in the names of what is timed")
    options = parser.parse_args()
    selected = {name: command for name, command in commands().items() if options.only in name}
    results: dict[str, dict[bool, list[Round]]] = {}
    with TemporaryDirectory(dir=".") as text:  # the temporary folder may be in memory
        folder = Path(text)
        prepare(folder, options.arrays)
        for _ in range(options.rounds):
            for name, command in selected.items():
                for waits, rounds in results.setdefault(name, {True: [], False: []}).items():
                    copied = measured(COPY[waits], folder)[0]
                    seconds, memory = measured(command + ["--no-sync"] * (not waits), folder)
                    rounds.append(Round(seconds, copied, memory))
    for waits, text in ((True, "cp and sync"), (False, "cp alone")):
        copies = [one.copied for kinds in results.values() for one in kinds[waits]]
        print(f"{text}: best {min(copies):.2f} s, median {median(copies):.2f} s")
    print(f"{'work':32} {'s':>6} {'/ cp and sync':>14} {'--no-sync':>10} {'/ cp':>6} {'MB':>5}")
    for name, kinds in results.items():
        print(f"{name:32}{_cells(kinds[True], 7, 15)}{_cells(kinds[False], 11, 7)}", end="")
        memory = max(one.memory for rounds in kinds.values() for one in rounds)
        print(f" {memory / 1e6:5.0f}")
    output = Path(__file__).parents[1] / "bench-output"
    output.mkdir(exist_ok=True)
    (output / "conversions.json").write_text(json.dumps(results, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
