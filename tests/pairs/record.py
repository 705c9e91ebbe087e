"""Records what MXNet 1.9.1 gives for each call, in a process each, and writes the answers.

``python -m tests.pairs.record < calls`` runs under MXNet 1.9.1 and numpy 1.23.5 alone, with the
lines of ``python -m tests.pairs.generate``. A call whose usual form names what MXNet lacks is left
out, and one that never ends. What differs by the state of freed memory is marked as undefined, by
the seed as random.
"""

import ctypes
import gzip
import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Iterable
from functools import reduce
from pathlib import Path

os.environ.setdefault(
    "MXNET_ENGINE_TYPE", "NaiveEngine"
)  # errors at the call, forks without threads
os.environ.setdefault("OMP_NUM_THREADS", "1")

import mxnet as mx
from tests.pairs.outcome import Outcome, outcome
from tests.pairs.vocabulary import SEED, evaluate, is_numpy

ANSWERS = Path(__file__).parent / "answers"
_SECONDS = 20
_SEEDS = tuple(range(SEED + 1, SEED + 7))
_FILL = -6
"""glibc's option M_PERTURB: what freed and fresh memory is filled with."""


def _answer(family: str, text: str) -> Outcome:
    """What a call gives; more than once, with other memory and other seeds, if it gives a value."""

    def given(seed: int, fill: int) -> Outcome:
        ctypes.CDLL(None).mallopt(_FILL, fill)
        return outcome(lambda: evaluate(mx, text, numpy=is_numpy(family), seed=seed))

    first = given(SEED, 0x55)
    first.pop("says", None)
    if "v" not in first:
        return first
    if "empty" in text or given(SEED, 0xAA).get("v") != first["v"]:
        return {**first, "how": "undefined"}
    seeds = (
        _SEEDS if re.search("random|rand_|dropout|jitter|Det", text, re.IGNORECASE) else _SEEDS[:1]
    )
    if any(given(seed, 0x55).get("v") != first["v"] for seed in seeds):
        return {**first, "how": "random"}
    return first


def _child(family: str, text: str, pipe: int) -> None:
    signal.alarm(_SECONDS)
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    answer = json.dumps(_answer(family, text))
    with os.fdopen(pipe, "w") as stream:
        stream.write(answer)
    os._exit(0)


def _run(family: str, text: str) -> Outcome:
    """What a call gives in a process of its own, or how that ended."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        try:
            _child(family, text, write)
        finally:
            os._exit(1)
    os.close(write)
    with os.fdopen(read) as stream:
        told = stream.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        return {"ends": "hangs" if number == signal.SIGALRM else signal.Signals(number).name}
    return json.loads(told) if told else {"ends": "exits"}


def _exists(text: str) -> bool:
    """Whether MXNet has the function that a call begins with."""
    path = re.match(r"(?:infer\(|trained\(lambda: )?([a-z]\w*(?:\.\w+)+)\(", text)
    try:
        return path is None or reduce(getattr, path[1].split("."), mx) is not None
    except AttributeError:
        return False


def _write(answers: Iterable[tuple[str, str, Outcome]]) -> None:
    families: dict[str, list[str]] = {}
    for family, text, answer in answers:
        lacks = answer.get("e") == ["AttributeError"] and not _exists(text)
        if lacks or answer.get("ends") == "hangs":
            continue
        line = json.dumps([text, answer], separators=(",", ":"))
        families.setdefault(family, []).append(line)
    ANSWERS.mkdir(exist_ok=True)
    for family, lines in families.items():
        data = "\n".join(lines).encode()
        (ANSWERS / f"{family}.jsonl.gz").write_bytes(gzip.compress(data, 9, mtime=0))


def main(lines: list[tuple[str, str]]) -> None:
    """Record all lines."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        answers = []
        for family, text in lines:
            answers.append((family, text, _run(family, text)))
        os.chdir("/")
    _write(answers)


if __name__ == "__main__":
    main([tuple(line.rstrip("\n").split("\t", 1)) for line in sys.stdin])
