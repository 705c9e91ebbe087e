"""Recorded pairs, where hy differs from them, and hy's outcomes."""

import gzip
import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.pairs.outcome import Outcome, agrees, outcome
from tests.pairs.vocabulary import evaluate, is_numpy

__all__ = ["FAMILIES", "KINDS", "Difference", "Kind", "differences", "kinds", "pairs"]

HERE = Path(__file__).parent
ANSWERS = HERE / "answers"
KINDS = HERE / "differences"
FAMILIES = tuple(sorted(file.name.removesuffix(".jsonl.gz") for file in ANSWERS.glob("*.gz")))


class Difference(NamedTuple):
    """A call whose outcome is another than MXNet's."""

    call: str
    want: Outcome
    have: Outcome


class Kind(NamedTuple):
    """Calls that differ for one reason."""

    name: str
    reason: str
    calls: frozenset[tuple[str, str]]
    """Families and calls."""


def pairs(family: str) -> Iterator[tuple[str, Outcome]]:
    """Calls of a family and what MXNet 1.9.1 gave."""
    with gzip.open(ANSWERS / f"{family}.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            call, want = json.loads(line)
            yield call, want


def differences(mx: Any, family: str) -> Iterator[Difference]:
    """Calls of a family in which this ``mxnet`` differs; in the current directory files appear."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        for call, want in pairs(family):
            have = outcome(lambda: evaluate(mx, call, numpy=is_numpy(family)))  # noqa: B023
            if not agrees(want, json.loads(json.dumps(have))):
                yield Difference(call, want, have)
    finally:
        logging.disable(level)


def kinds() -> list[Kind]:
    """Where hy is known to differ: a file a kind, its first line the reason, then the calls."""
    found = []
    for file in sorted(KINDS.glob("*.txt")):
        reason, *lines = file.read_text(encoding="utf-8").splitlines()
        calls = (tuple(line.split("\t", 1)) for line in lines)
        found.append(Kind(file.stem, reason.removeprefix("# "), frozenset(calls)))  # type: ignore[arg-type]
    return found
