"""The sides of the comparison: workers in interpreters of their own, measured in turn."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import TracebackType
from typing import IO, Any, Self

ROOT = Path(__file__).parents[1]
PAUSE = 0.05
"""Seconds between two measurements: threads that wait for work spin so long, and hold a core."""


@dataclass(frozen=True)
class Side:
    """A library and the interpreter that has it.

    Args:
        name: As `benchmarks.worker` knows it; ``hy_1`` is hy on one thread.
        python: Path of the interpreter.
        threads: Threads that the library may use; None: as many as all others.
        kernels: hy's kernel table for the CPU.
    """

    name: str
    python: str
    threads: int | None = None
    kernels: str = "numpy"


def environment(threads: int) -> dict[str, str]:
    """The variables of measured processes.

    Each library chooses its own kernels: what says to an OpenBLAS which to take, such as
    ``OPENBLAS_CORETYPE``, may suit one side and slow another down, so it is taken away. So is what
    forbids bytecode: installed packages have theirs.
    """
    unwanted = "OPENBLAS_", "PYTHONDONTWRITEBYTECODE"
    inherited = {key: value for key, value in os.environ.items() if not key.startswith(unwanted)}
    return inherited | {"OMP_NUM_THREADS": str(threads)}


def interpreter(python: str) -> list[str]:
    """The beginning of a command: variables such as PYTHONPATH are about the running one only."""
    return [python, *([] if python == sys.executable else ["-E"]), "-W", "ignore"]


class Worker:
    """A process that has a workload ready; see `benchmarks.worker`.

    Args:
        side: Whose process it is.
        workload: Name of the workload.
        seconds: Length of one measurement.
        threads: Threads that the library may use.
    """

    def __init__(self, side: Side, workload: str, seconds: float, threads: int) -> None:
        self.side = side
        self._workload = workload
        self._errors: IO[bytes] = TemporaryFile()  # noqa: SIM115  # closed with the process
        self._process = subprocess.Popen(  # noqa: S603  # our own module
            [
                *interpreter(side.python),
                "-m",
                "benchmarks.worker",
                side.name.removesuffix("_1"),
                workload,
                f"{seconds}",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=ROOT,
            env=environment(side.threads or threads) | {"HY_KERNELS": f"cpu={side.kernels}"},
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.communicate()
        self._errors.close()

    def about(self) -> Mapping[str, Any]:
        """Whether the side knows the workload, and its versions; waits until it is ready."""
        versions: Mapping[str, Any] = self._reply()
        return versions

    def measure(self) -> float:
        """Seconds per call."""
        assert self._process.stdin
        with suppress(BrokenPipeError):  # then there is no reply, which tells more
            self._process.stdin.write(b"\n")
            self._process.stdin.flush()
        return float(self._reply())

    def _reply(self) -> Any:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            self._errors.seek(0)
            text = self._errors.read().decode(errors="replace")
            raise RuntimeError(f"{self._workload} failed under {self.side.python}:\n{text}")
        return json.loads(line)


@contextmanager
def neighbours(count: int) -> Iterator[None]:
    """Keep cores busy with ``count`` other processes meanwhile."""
    loop = [sys.executable, "-c", "while True: pass"]
    with ExitStack() as stack:
        for _ in range(count):
            process = subprocess.Popen(loop)  # noqa: S603  # ourselves
            stack.callback(process.wait)
            stack.callback(process.kill)
        yield


@dataclass(frozen=True)
class Measured:
    """One workload, measured.

    Args:
        seconds: By side, seconds per call of each round.
        versions: By side, the versions of what it ran on.
    """

    seconds: dict[str, list[float]]
    versions: dict[str, dict[str, str]]


def measured(
    workload: str, sides: list[Side], *, rounds: int, seconds: float, threads: int
) -> Measured:
    """Measure a workload, the sides in turn: A B C A B C ...

    Args:
        workload: Name of the workload.
        sides: The sides; those that have no such workload are left out.
        rounds: Measurements of each side.
        seconds: Length of one measurement.
        threads: Threads that each library may use.

    Raises:
        RuntimeError: A process ended early; the message has what it wrote.
    """
    with ExitStack() as stack:
        ready = []
        versions = {}
        for side in sides:
            worker = stack.enter_context(Worker(side, workload, seconds, threads))
            about = worker.about()
            if about["known"]:
                ready.append(worker)
                versions[side.name] = about["versions"]
        times: dict[str, list[float]] = {worker.side.name: [] for worker in ready}
        for _ in range(rounds):
            for worker in ready:
                time.sleep(PAUSE)
                times[worker.side.name].append(worker.measure())
    return Measured(times, versions)
