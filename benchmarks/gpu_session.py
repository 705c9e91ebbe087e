"""Session: what one run on a GPU measures, item by item, in a file from which the next goes on."""

import json
import signal
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Item", "Result", "Session", "table_of"]

Result: TypeAlias = dict[str, Any]
_LENGTH = 300  # of a reason
_LIMIT = 60.0  # seconds of an item
_HIDDEN = ("stage", "took_s", "bytes")
"""Numbers of an item that are no columns of the tables."""


class Item(NamedTuple):
    """One thing to check or to time."""

    stage: str
    """The heading that it stands under."""
    name: str
    run: Callable[[], Result]
    """Returns numbers and words by column; an error is its reason."""
    limit: float = _LIMIT
    """Seconds after which it is cut off, and has failed."""

    @property
    def key(self) -> str:
        """Tells it from all others."""
        return f"{self.stage}: {self.name}"


class _OutOfTimeError(BaseException):
    """Not an Exception: what catches all of these would go on with the item."""


@contextmanager
def _cut_after(seconds: float) -> Iterator[None]:
    """Scope that ends with an error after so many seconds; in a call of C when that returns."""

    def stop(*_: object) -> None:
        raise _OutOfTimeError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Session:
    """Runs items until the time is over, and writes after each what is known.

    Args:
        folder: Where ``gpu.json`` and ``gpu.md`` are written, and results are taken up from.
        machine: The GPU and the versions; results of another machine are not taken up.
        seconds: After which no other item is begun, and one that runs is cut off.
        clock: Tells seconds.
        check: Waits for the device; raises an error where that failed. After an error it tells
            whether the device can go on: some errors of CUDA fail every later call.
    """

    def __init__(
        self,
        folder: Path,
        machine: Mapping[str, str],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
        check: Callable[[], object] = bool,
    ) -> None:
        self._json, self._markdown = folder / "gpu.json", folder / "gpu.md"
        self._machine = dict(machine)
        self._clock = clock
        self._check = check
        self._end = clock() + seconds
        self._items: dict[str, Result] = {}
        self.why_stopped = ""
        """Why the last run ended before all items were run; empty if it did not."""
        folder.mkdir(parents=True, exist_ok=True)
        if self._json.exists():
            before = json.loads(self._json.read_text())
            if before["machine"] == self._machine:
                self._items = before["items"]

    @property
    def items(self) -> Mapping[str, Result]:
        """The results, by stage and name."""
        return self._items

    def run(self, items: Callable[[], Iterable[Item]]) -> bool:
        """Run what has no result yet, then what failed in an earlier run.

        Args:
            items: Returns all items, the most important first; called twice, and asked for an item
                when the one before is done, as each may hold memory.

        Returns:
            Whether nothing is left.
        """
        # Last, so that an item that breaks the device each time does not keep others from running.
        failed = {key for key, result in self._items.items() if "error" in result}
        left = 0
        for is_retry in (False, True):
            for item in items():
                key = item.key
                if key not in failed if is_retry else key in self._items:
                    continue
                if self._clock() >= self._end or not self._ran(item):
                    left += 1
                    self.why_stopped = f"{left} items were not run"
                elif not self._is_usable(key):
                    return False
        return not left

    def _ran(self, item: Item) -> bool:
        """Run an item and store its result; return False if the session's time ended before."""
        begin = self._clock()
        limit = min(item.limit, self._end - begin)
        try:
            with _cut_after(limit):
                result = item.run()
                self._check()
        except _OutOfTimeError:
            if limit < item.limit:
                return False
            result = {"error": f"it takes longer than {limit:.0f} s"}
        except Exception as error:  # one that fails does not cost the others their time
            words = " ".join(f"{type(error).__name__}: {error}".split())
            result = {"error": words[:_LENGTH]}
        shown = ", ".join(f"{name} {_shown(value)}" for name, value in result.items())
        print(f"{item.key}: {shown}", flush=True)
        took = round(self._clock() - begin, 3)
        self._items[item.key] = {"stage": item.stage, "name": item.name, **result, "took_s": took}
        self._write(self._json, json.dumps(self._content(), indent=1))
        return True

    def _is_usable(self, key: str) -> bool:
        """Return whether the device can go on after an item."""
        if "error" not in self._items[key]:
            return True
        try:
            self._check()
        except Exception:
            self.why_stopped = f"the device failed in {key}, and what comes after it was not run"
            return False
        return True

    def _content(self) -> dict[str, Any]:
        return {"machine": self._machine, "items": self._items}

    def write_table(self, lists: Mapping[str, list[str]]) -> None:
        """Write the tables of all results, and lists of lines after them, by heading."""
        machine = ", ".join(f"{name} {value}" for name, value in self._machine.items())
        lines = [f"# {machine}", ""]
        if self.why_stopped:
            lines += [f"Not all: {self.why_stopped}. The next run goes on there.", ""]
        failed = sum("error" in each for each in self._items.values())
        lines += [f"{len(self._items)} items, {failed} of them failed.", ""]
        for stage in dict.fromkeys(each["stage"] for each in self._items.values()):
            rows = [each for each in self._items.values() if each["stage"] == stage]
            lines += [f"## {stage}", "", *table_of(rows), ""]
        for heading, own in lists.items():
            lines += [f"## {heading}", "", *own, ""] if own else []
        self._write(self._markdown, "\n".join(lines))

    @staticmethod
    def _write(path: Path, text: str) -> None:
        """Write a file at once: a run that is cut off leaves the one before."""
        temporary = path.with_suffix(".part")
        temporary.write_text(text)
        temporary.replace(path)


def table_of(rows: list[Result]) -> list[str]:
    """Lines of a Markdown table, a column for each name that a row has."""
    columns = list(dict.fromkeys(name for row in rows for name in row if name not in _HIDDEN))
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = [_shown(row[name]) if name in row else "" for name in columns]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _shown(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "/")
