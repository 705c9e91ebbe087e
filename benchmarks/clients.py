"""Programs of others on hy against MXNet 1.9.1: ``python -m benchmarks.clients [CLIENT ...]``.

For each client one step of training and one prediction: their first call, and then their shortest
one, both sides in turn, each in a process of its own with the environment of the clients' tests.
"""

import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from tests.clients.catalogue import CLIENTS
from tests.clients.environments import FILES, ROOT, Environment

TASKS = "training", "prediction"
ROUNDS = 5
SECONDS = 0.5
"""Length of one measurement."""


def work(client: str, task: str) -> None:
    """The measured process: the first call, then the shortest of some for each line it is sent."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the client prints
    module = importlib.import_module(f"benchmarks.client_steps.{client}")
    call = getattr(module, task)()
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

    def __init__(self, client: str, task: str, side: str) -> None:
        self._name = f"{client} on {side}, {task}"
        environment = Environment(client, CLIENTS[client], side)
        environment.make()
        folder = FILES / f"{client}-{side}-{task}"
        folder.mkdir(parents=True, exist_ok=True)
        paths = os.pathsep.join([str(ROOT), str(ROOT / "tests" / "clients" / "site")])
        home = str(FILES.parent / "home")
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            [
                environment.python,
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
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=folder,
            env=os.environ | {"PYTHONPATH": paths, "KERAS_HOME": home, "MXNET_HOME": home},
        )

    def read(self) -> list[float]:
        """Seconds and KiB."""
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self._name}: the process ended")
        found: list[float] = json.loads(line)
        return found

    def again(self) -> list[float]:
        """Measure once more."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return self.read()

    def end(self) -> None:
        """Let it go."""
        self._process.communicate()


def compare(client: str, task: str) -> dict[str, Any]:
    """First and shortest calls of both sides, and their memory."""
    processes = {}
    row: dict[str, Any] = {"client": client, "task": task}
    for side in ("hy", "mxnet"):  # one after the other: first calls use all cores
        processes[side] = Process(client, task, side)
        row[f"{side}_first"] = processes[side].read()[0]
    for side in ("hy", "mxnet") * ROUNDS:
        seconds, peak = processes[side].again()
        row[side] = min(seconds, row.get(side, seconds))
        row[f"{side}_mib"] = round(peak / 1024)
    for process in processes.values():
        process.end()
    return row


def main() -> None:
    """Compare what was asked for, and print a line for each task."""
    if sys.argv[1:2] == ["--work"]:
        work(*sys.argv[2:])
        return
    present = [path.stem for path in (Path(__file__).parent / "client_steps").glob("*.py")]
    rows = []
    print(f"{'client':12}{'task':12}{'first ms: hy':>13}{'MXNet':>9}{'x':>6}", end="")
    print(f"{'step ms: hy':>13}{'MXNet':>9}{'x':>6}{'MiB: hy':>9}{'MXNet':>7}")
    for client in sys.argv[1:] or [name for name in CLIENTS if name in present]:
        for task in TASKS:
            row = compare(client, task)
            rows.append(row)
            firsts, steps = (
                [row[f"{side}{end}"] * 1e3 for side in ("hy", "mxnet")] for end in ("_first", "")
            )
            print(f"{client:12}{task:12}{firsts[0]:13.1f}{firsts[1]:9.1f}", end="")
            print(f"{firsts[0] / firsts[1]:6.2f}{steps[0]:13.2f}{steps[1]:9.2f}", end="")
            print(f"{steps[0] / steps[1]:6.2f}{row['hy_mib']:9}{row['mxnet_mib']:7}", flush=True)
    folder = ROOT / "bench-output"
    folder.mkdir(exist_ok=True)
    (folder / "clients.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
