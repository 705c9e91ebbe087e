"""Trace files of recorded events, for Perfetto and about:tracing."""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from hy_io import atomic_write, no_sync
from hy_ndarray.devices.instrumentation import Details

__all__ = ["Event", "chrome_trace", "write"]

_PROCESS = 1  # its number in the trace


class Event(NamedTuple):
    """Recorded event; times are in nanoseconds of a common clock."""

    phase: str
    """Event type of Chrome's format: ``X``, a span on its thread; ``b``, a span across threads;
    ``i``, an instant; ``C``, a new value of a counter."""
    name: str
    category: str
    begin: int
    duration: int
    thread: int
    details: Details | None
    """Further attributes; for ``C`` the value, for ``i`` the scope, for ``b`` the number."""


def chrome_trace(events: Iterable[Event], threads: Mapping[int, str], origin: int) -> str:
    """Return the text of a trace in Chrome's JSON format.

    Args:
        events: The events, in any order.
        threads: Names of the threads by number.
        origin: The time that is 0 in the trace, in nanoseconds.
    """
    rows: list[dict[str, Any]] = [_meta("process_name", 0, "hy")]
    rows += [_meta("thread_name", number, name) for number, name in threads.items()]
    # What begins first comes first, and of what begins together, the longest, which is outside.
    for event in sorted(events, key=lambda e: (e.begin, -e.duration)):
        rows += _trace_events(event, origin)
    return json.dumps({"traceEvents": rows, "displayTimeUnit": "ms"})


def _meta(kind: str, thread: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "name": kind, "pid": _PROCESS, "tid": thread, "args": {"name": name}}


def _trace_events(event: Event, origin: int) -> list[dict[str, Any]]:
    details = dict(event.details or {})
    row: dict[str, Any] = {
        "name": event.name,
        "cat": event.category,
        "ph": event.phase,
        "ts": (event.begin - origin) / 1e3,  # microseconds
        "pid": _PROCESS,
        "tid": event.thread,
    }
    if event.phase == "X":
        row["dur"] = event.duration / 1e3
    elif event.phase == "i":
        row["s"] = details.pop("scope")
    elif event.phase == "b":
        row["id"] = details.pop("id")
        end = {**row, "ph": "e", "ts": (event.begin + event.duration - origin) / 1e3}
        return [row, end]
    if details:
        row["args"] = details
    return [row]


def write(filename: str, text: str) -> None:
    """Replace the contents of a file atomically.

    Device files and pipes are written to directly.
    """
    with no_sync(), atomic_write(filename) as file:
        file.write(text.encode())
