"""Profiles: recording a part of a test, and reading what was recorded."""

import json
import os
from pathlib import Path
from typing import Any

from hy_ndarray import profiler

__all__ = [
    "assert_nested",
    "configure",
    "contains",
    "events",
    "figures",
    "finish",
    "names",
    "recorded",
]


def configure(file: Path, **options: Any) -> None:
    """Record everything, or what ``options`` say, into ``file``."""
    given = {"aggregate_stats": True, "continuous_dump": False, "filename": str(file), **options}
    profiler.set_config(**given)


def finish() -> None:
    """End the trace and forget the figures: nothing of what was recorded so far is left."""
    configure(Path(os.devnull))
    profiler.set_state("run")
    profiler.dump()
    profiler.dumps(reset=True)


def events(file: Path) -> list[dict[str, Any]]:
    """All rows of a trace."""
    found: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))["traceEvents"]
    return found


def recorded(file: Path) -> list[dict[str, Any]]:
    """Events of the run that this ends, without counters and names of threads."""
    profiler.dump()
    return [event for event in events(file) if event["ph"] not in "MC"]


def names(file: Path, category: str = "operator") -> list[str]:
    """Names of the events of a category of the run that this ends."""
    return [event["name"] for event in recorded(file) if event["cat"] == category]


def figures(**options: Any) -> dict[str, Any]:
    """The aggregate figures."""
    found: dict[str, Any] = json.loads(profiler.dumps(format="json", **options))
    return found


def contains(outer: dict[str, Any], inner: dict[str, Any]) -> bool:
    """Whether one event happened within another."""
    end = inner["ts"] + inner["dur"]
    return bool(outer["ts"] <= inner["ts"] and end <= outer["ts"] + outer["dur"])


def assert_nested(found: list[dict[str, Any]]) -> None:
    """Of two events on a thread that overlap, one contains the other."""
    timed = [event for event in found if event["ph"] == "X"]
    for i, a in enumerate(timed):
        for b in timed[i + 1 :]:
            if a["tid"] == b["tid"] and b["ts"] < a["ts"] + a["dur"]:
                assert contains(a, b), (a, b)
