"""What MXNet 1.9.1 computed, kept in ``records/``, and what hy computes beside it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.fingerprints import difference

__all__ = ["Comparison", "compared", "record_file"]

ROUNDING = 2e-4
"""Relative to an array's largest magnitude: some thousand float32 roundings, each of 6e-8."""

Outcomes = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Comparison:
    """How hy's results stand to the recorded ones.

    Args:
        same: How many checks agree.
        seconds: What all checks took.
        wrong: By check, what is wrong.
    """

    same: int
    seconds: float
    wrong: dict[str, str]


def record_file(client: str) -> Path:
    """Where the numbers of one client are kept."""
    return Path(__file__).parent / "records" / f"{client}.json"


def compared(got: Outcomes, wanted: Outcomes, files: bool = True) -> Comparison:
    """Compare all recorded checks; a check that MXNet fails has only to run without error.

    Args:
        got: What hy computed.
        wanted: What is recorded.
        files: Whether MXNet's files are kept; else what reads files need not run.
    """
    wrong: dict[str, str] = {}
    for name in {name for name in wanted if files or "/reads " not in name} | got.keys():
        text = reason(got.get(name), wanted.get(name))
        if text:
            wrong[name] = text
    seconds = sum(float(outcome["seconds"]) for outcome in got.values())
    same = sum(name not in wrong for name in got)
    return Comparison(same, seconds, dict(sorted(wrong.items())))


def reason(got: dict[str, Any] | None, wanted: dict[str, Any] | None) -> str:
    """What is wrong with one check; empty if nothing is."""
    if got is None or "error" in got:
        return "did not run" if got is None else str(got["error"])
    if wanted is None:
        return "was not recorded"
    if "error" in wanted:
        return ""
    return first_difference(got["values"], wanted["values"], wanted.get("tolerance", ROUNDING))


def first_difference(got: list[Any], wanted: list[Any], tolerance: float) -> str:
    """Where two lists of fingerprints differ by more than a tolerance."""
    if len(got) != len(wanted):
        return f"gives {len(got)} arrays, MXNet {len(wanted)}"
    for i, (ours, theirs) in enumerate(zip(got, wanted, strict=True)):
        if difference(ours, theirs) > tolerance:
            return f"array {i} is\n{json.dumps(ours)}\nMXNet's\n{json.dumps(theirs)}"
    return ""
