"""Session: what one run on a GPU measures, item by item, in a file from which the next goes on."""

import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

__all__ = ["Item", "Session", "table_of"]

Result: TypeAlias = dict[str, Any]
_LENGTH = 300  # of a reason


class Item(NamedTuple):
    """One thing to check or to time."""

    stage: str
    """The heading that it stands under."""
    name: str
    run: Callable[[], Result]
    """Returns numbers and words by column; an error is its reason."""

    @property
    def key(self) -> str:
        """Tells it from all others."""
        return f"{self.stage}: {self.name}"


class Session:
    """Runs items until the time is over, and writes after each what is known.

    Args:
        folder: Where ``gpu.json`` and ``gpu.md`` are written, and results are taken up from.
        machine: The GPU and the versions; results of another machine are not taken up.
        seconds: After which no other item is begun.
        clock: Tells seconds.
    """

    def __init__(
        self,
        folder: Path,
        machine: Mapping[str, str],
        seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._json, self._markdown = folder / "gpu.json", folder / "gpu.md"
        self._machine = dict(machine)
        self._clock = clock
        self._end = clock() + seconds
        self._items: dict[str, Result] = {}
        folder.mkdir(parents=True, exist_ok=True)
        if self._json.exists():
            before = json.loads(self._json.read_text())
            if before["machine"] == self._machine:
                self._items = before["items"]

    @property
    def items(self) -> Mapping[str, Result]:
        """The results, by stage and name."""
        return self._items

    def run(self, items: list[Item]) -> list[Item]:
        """Run what has no result yet; the items that there was no time for."""
        for k, item in enumerate(items):
            key = item.key
            if key in self._items:
                continue
            if self._clock() >= self._end:
                return [each for each in items[k:] if each.key not in self._items]
            begin = self._clock()
            try:
                result = item.run()
            except Exception as error:  # one that fails does not cost the others their time
                words = " ".join(f"{type(error).__name__}: {error}".split())
                result = {"error": words[:_LENGTH]}
            shown = ", ".join(f"{name} {_shown(value)}" for name, value in result.items())
            print(f"{key}: {shown}", flush=True)
            took = round(self._clock() - begin, 3)
            self._items[key] = {"stage": item.stage, "name": item.name, **result, "took_s": took}
            self._write(self._json, json.dumps(self._content(), indent=1))
        return []

    def _content(self) -> dict[str, Any]:
        return {"machine": self._machine, "items": self._items}

    def write_table(self, left: int, lists: Mapping[str, list[str]]) -> None:
        """Write the tables of all results, and lists after them.

        Args:
            left: How many items have no result.
            lists: Lines by heading.
        """
        machine = ", ".join(f"{name} {value}" for name, value in self._machine.items())
        lines = [f"# {machine}", ""]
        if left:
            lines += [f"{left} items were not run: run it again, and it goes on there.", ""]
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
    hidden = ("stage", "took_s")
    columns = list(dict.fromkeys(name for row in rows for name in row if name not in hidden))
    lines = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    for row in rows:
        cells = [_shown(row[name]) if name in row else "" for name in columns]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def _shown(value: Any) -> str:
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return text.replace("|", "/")
