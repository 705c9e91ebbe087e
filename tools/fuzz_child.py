"""Reads damaged files in child processes that may take so much memory and time, and no more.

A child goes through the files until one breaks it; the next child goes on after that one.
"""

import mmap
import os
import resource
import signal
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from contextlib import suppress
from pathlib import Path

from tools.fuzz_formats import EXPANSION, REFUSALS, Format

__all__ = ["MEBIBYTES", "OUTCOMES", "SECONDS", "fuzz"]

SECONDS, MEBIBYTES = 2.0, 300
_WAITING = 60.0  # seconds that may pass without work
_MANY = 10_000  # files that a child reads: libtiff loses some bytes with each damaged one
UNREAD, READ, REFUSED, OTHER, SLOW, ENDED = range(6)
OUTCOMES = ("unread", "read", "refused", "other", "slow", "ended")
"""``other``: an exception that no reader may raise, want of memory among them; ``slow``: not done
within `SECONDS` of a processor's time; ``ended``: the process was broken."""
_TIMERS = (signal.SIGPROF, signal.SIGALRM)
_WORST = struct.Struct("2d")
"""The longest time of a file in seconds, and the most memory of a child in bytes."""
_UNREADY = 3  # exit status


def fuzz(name: str, form: Format, folder: Path, seed: int, count: int) -> dict[str, float]:
    """Read ``count`` damaged files; whatever goes wrong is printed with the seed that makes it.

    Returns:
        How often each of `OUTCOMES` came, the time of the slowest in milliseconds, and by how much
        a child grew at most.
    """
    os.environ["HY_MAX_FILE_EXPANSION"] = str(EXPANSION)
    shared = mmap.mmap(-1, _WORST.size + count)
    done = 0
    while done < count:
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                _work(form, folder / "damaged", seed, done, shared)
            except BaseException:  # noqa: BLE001, RUF100  # a child must not go on as its parent
                print(traceback.format_exc(), flush=True)
            os._exit(_UNREADY)
        status = os.waitpid(child, 0)[1]
        if os.WIFEXITED(status) and os.WEXITSTATUS(status) == _UNREADY:
            raise RuntimeError(f"{name}: the whole files cannot be read")
        results = shared[_WORST.size :]
        done = results.find(UNREAD, done)
        done = count if done < 0 else done
        if status and done < count:
            slow = os.WIFSIGNALED(status) and os.WTERMSIG(status) in _TIMERS
            shared[_WORST.size + done] = SLOW if slow else ENDED
            done += 1
    counter = Counter(shared[_WORST.size :])
    for at, code in enumerate(shared[_WORST.size :]):
        if code > REFUSED:
            print(f"{name}: {OUTCOMES[code]}: replay with {name} --seed {seed + at} --count 1")
    slowest, largest = _WORST.unpack(shared[: _WORST.size])
    counts = {outcome: counter[code] for code, outcome in enumerate(OUTCOMES) if code != UNREAD}
    return {**counts, "slowest_ms": round(slowest * 1e3, 1), "largest_mib": round(largest / 2**20)}


def _work(form: Format, path: Path, seed: int, start: int, shared: mmap.mmap) -> None:
    """Go through the files from number ``start`` on, in a process that does not return."""
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # libtiff writes there of every damage
    for whole in form.wholes:  # whatever is loaded once is loaded now
        path.write_bytes(form.seal(whole))
        with suppress(*REFUSALS):
            form.read(path)
    with Path("/proc/self/statm").open() as file:
        mapped, resident = (
            int(pages) * resource.getpagesize() for pages in file.read().split()[:2]
        )
    limit = mapped + (MEBIBYTES << 20)
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for timer in _TIMERS:
        signal.signal(timer, signal.SIG_DFL)  # ends the process, wherever it is
    stop = min(start + _MANY, len(shared) - _WORST.size)
    printed = 0
    for at, content in enumerate(form.parts(seed + start, stop - start), start):
        path.write_bytes(form.seal(content))
        code = READ
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, _WAITING)
        begin = time.process_time()
        try:
            form.read(path)
        except REFUSALS:
            code = REFUSED
        except BaseException:  # noqa: BLE001, RUF100  # that is what is looked for
            code = OTHER
            if printed < 3:  # noqa: PLR2004  # the first are enough to begin with
                print(f"with --seed {seed + at}:\n{traceback.format_exc()}", flush=True)
            printed += 1
        taken = time.process_time() - begin
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        shared[_WORST.size + at] = code
        peak = float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 - resident)
        worst = _WORST.unpack(shared[: _WORST.size])
        shared[: _WORST.size] = _WORST.pack(*map(max, worst, (taken, peak)))
    sys.stdout.flush()
    os._exit(0)
