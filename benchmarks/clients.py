"""Programs of others on hy against MXNet 1.9.1: ``python -m benchmarks.clients [CLIENT ...]``.

For each client one step of training and one prediction: their first call, the shortest of some
processes, then their shortest call, both sides in turn, and the most memory that a process had.
Each has the environment of the clients' tests; ``HY_KERNELS`` chooses hy's kernel table.
"""

import argparse
import gc
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from benchmarks.sides import PAUSE, environment
from tests.clients.catalogue import CLIENTS
from tests.clients.environments import FILES, ROOT, Environment

TASKS = "training", "prediction"
SIDES = "hy", "mxnet"
PROCESSES = 3
"""For first calls, of each side."""
ROUNDS = 5  # the sides take turns
SECONDS = 0.5
"""Length of one measurement."""

LAST = 2000
"""Characters of what a process said that are shown if it fails."""


def work(client: str, task: str) -> None:
    """Measure in this process: the first call, then for each line read the shortest of some."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the client prints
    module = importlib.import_module(f"benchmarks.client_steps.{client}")
    call = getattr(module, task)()
    gc.collect()  # else a full pass over what was imported falls into the first call, by chance
    answer(out, measured(call))
    for _ in sys.stdin:
        shortest, end = measured(call), time.perf_counter() + SECONDS
        while time.perf_counter() < end:
            shortest = min(shortest, measured(call))
        answer(out, shortest)


def measured(call: Callable[[], Any]) -> float:
    """Seconds that a call takes, until everything is computed."""
    import mxnet as mx  # noqa: PLC0415  # not in the process that compares

    mx.nd.waitall()
    start = time.perf_counter()
    call()
    mx.nd.waitall()
    return time.perf_counter() - start


def answer(out: IO[str], seconds: float) -> None:
    """Tell the time, and the most memory that the process had, in KiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([seconds, peak]), file=out, flush=True)


class Process:
    """One side of one task."""

    def __init__(self, client: str, task: str, side: str, threads: int) -> None:
        self._name = f"{client} on {side}, {task}"
        client_environment = Environment(client, CLIENTS[client], side)
        client_environment.make()
        folder = FILES / f"{client}-{side}-{task}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "clients" / "site")])
        home = str(FILES.parent / "home")
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115  # closed with the process
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            [
                client_environment.python,
                "-W",
                "ignore",
                "-m",
                "benchmarks.clients",
                "--work",
                client,
                task,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            cwd=folder,
            env=environment(threads)
            | {"PYTHONPATH": paths, "KERAS_HOME": home, "MXNET_HOME": home},
        )

    def read(self) -> list[float]:
        """Seconds and KiB."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            text = self._errors.read().decode(errors="replace")
            raise RuntimeError(f"{self._name}: the process ended:\n{text[-LAST:]}")
        seconds: list[float] = json.loads(line)
        return seconds

    def again(self) -> list[float]:
        """Measure once more."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return self.read()

    def end(self) -> None:
        """Let it go."""
        self._process.communicate()
        self._errors.close()


def compare(client: str, task: str, threads: int) -> dict[str, Any]:
    """First and shortest calls of both sides, and their memory."""
    processes = {}
    row: dict[str, Any] = {"client": client, "task": task}
    for turn in range(PROCESSES):
        for side in SIDES:  # one after the other: first calls use all cores
            process = Process(client, task, side, threads)
            seconds, peak = process.read()
            note(row, f"{side}_first", seconds, min)
            note(row, f"{side}_mib", peak / 1024, max)
            if turn + 1 < PROCESSES:
                process.end()
            else:
                processes[side] = process
    for side in SIDES * ROUNDS:
        time.sleep(PAUSE)
        seconds, peak = processes[side].again()
        note(row, side, seconds, min)
        note(row, f"{side}_mib", peak / 1024, max)
    for process in processes.values():
        process.end()
    return row


def note(row: dict[str, Any], name: str, value: float, better: Callable[..., float]) -> None:
    """Keep a value if there is none, or else the one to be told."""
    row[name] = better(value, row.get(name, value))


COLUMNS = {"first ms": ("_first", 1e3), "step ms": ("", 1e3), "MiB": ("_mib", 1.0)}
"""What of each side is printed, and in which unit."""


def main() -> None:
    """Compare the selected clients, and print a line for each task."""
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
        return
    present = [path.stem for path in (Path(__file__).parent / "client_steps").glob("*.py")]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.clients")
    parser.add_argument("clients", nargs="*", default=[name for name in CLIENTS if name in present])
    default = os.cpu_count() or 1
    parser.add_argument("--threads", type=int, default=default, help="default: one per core")
    options = parser.parse_args()
    rows = []
    print(f"{'client':12}{'task':11}", end="")
    print("".join(f"{f'{name}: hy':>13}{'MXNet':>9}{'x':>6}" for name in COLUMNS))
    for client in options.clients:
        for task in TASKS:
            row = compare(client, task, options.threads)
            rows.append(row)
            print(f"{client:12}{task:11}", end="")
            for end, unit in COLUMNS.values():
                hy, mxnet = (row[f"{side}{end}"] * unit for side in SIDES)
                print(f"{hy:13.1f}{mxnet:9.1f}{hy / mxnet:6.2f}", end="")
            print(flush=True)
    folder = ROOT / "bench-output"
    folder.mkdir(exist_ok=True)
    (folder / "clients.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
