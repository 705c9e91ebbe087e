"""Runs the cases of a fuzzer in a child process whose time and memory are bounded."""

import multiprocessing
import resource
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

__all__ = ["Case", "Report", "fuzz", "timed"]

Case = Callable[[int], str]
"""Runs the case of a seed, and tells in a word what became of it; whatever it raises is wrong."""

_MIB = 2**20
# On the clock, against hanging; a case is timed by CPU time, as other processes compute, too.
_PATIENCE_SECONDS = 100.0


class _TooLongError(BaseException):
    """A case takes too long; nothing that catches exceptions catches it."""


@dataclass
class Report:
    """Counts of outcomes, and the seeds of cases that went wrong."""

    outcomes: Counter[str] = field(default_factory=Counter)
    wrong: list[int] = field(default_factory=list)
    """Seeds of the cases that raised, hung, crashed, or took too much."""
    slowest: tuple[float, int] = (0.0, -1)
    """Seconds of computing, and the seed."""

    def add(self, seed: int, outcome: str, taken: float) -> None:
        """Count one case."""
        self.outcomes[outcome] += 1
        self.slowest = max(self.slowest, (taken, seed))
        if outcome == "wrong":
            self.wrong.append(seed)

    def __str__(self) -> str:
        counts = ", ".join(f"{name} {count}" for name, count in sorted(self.outcomes.items()))
        taken, seed = self.slowest
        wrong = f"; wrong: seeds {self.wrong[:20]}" if self.wrong else ""
        return f"{counts}; slowest {taken * 1e3:.0f} ms (seed {seed}){wrong}"


def timed(case: Case, seed: int, seconds: float) -> tuple[str, float]:
    """Run one case for so many seconds of computing at most; what it raises is printed."""
    begin = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        outcome = case(seed)
    except (Exception, _TooLongError):  # that is what is looked for
        signal.setitimer(signal.ITIMER_PROF, 0)
        print(f"seed {seed}\n{traceback.format_exc()}", file=sys.stderr, flush=True)
        outcome = "wrong"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return outcome, time.process_time() - begin


def fuzz(case: Case, first: int, count: int, *, seconds: float, mebibytes: int) -> Report:
    """Run the cases of ``count`` seeds; a child that dies or hangs is replaced.

    Args:
        case: Runs one; must be importable state of this process, which is forked.
        first: The first seed.
        count: How many.
        seconds: What one case may take, in seconds of computing.
        mebibytes: How much more memory than at its beginning the child may have.
    """
    report, seed, last = Report(), first, first + count
    context = multiprocessing.get_context("fork")
    while seed < last:
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_run, args=(case, seed, last, seconds, mebibytes, there))
        child.start()
        there.close()
        seed = _followed(here, seed, report)
        child.kill()
        child.join()
        if seed < last:  # it said nothing more: that seed killed it, or made it hang
            print(f"seed {seed}: no answer", file=sys.stderr, flush=True)
            report.add(seed, "wrong", _PATIENCE_SECONDS)
            seed += 1
    return report


def _followed(pipe: Connection, seed: int, report: Report) -> int:
    """Record a child's answers; return the seed that it has not answered."""
    try:
        while pipe.poll(_PATIENCE_SECONDS):
            report.add(seed, *pipe.recv())
            seed += 1
    except EOFError:
        pass
    return seed


def _run(case: Case, first: int, last: int, seconds: float, mebibytes: int, pipe: Any) -> None:
    def too_long(*_: Any) -> None:
        raise _TooLongError(f"more than {seconds} s")

    signal.signal(signal.SIGPROF, too_long)
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    limit = pages * resource.getpagesize() + mebibytes * _MIB
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    for seed in range(first, last):
        pipe.send(timed(case, seed, seconds))
