"""Statistics of events: counts and times, as a table or as JSON."""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hy_ndarray._errors import ArgumentError

__all__ = ["MEMORY", "Statistics"]

MEMORY = "Device Storage"
"""Category of the memory counters."""

_TIME_COLUMNS = ("Time (ms)", "Min Time (ms)", "Max Time (ms)", "Avg Time (ms)")
_SIZE_COLUMNS = ("Min Use (kB)", "Max Use (kB)", "Avg Use (kB)")
_VALUE_COLUMNS = ("Last Value", "Min Value", "Max Value", "Avg Value")
_ORDERS = ("total", "avg", "min", "max", "count")
_FORMATS = ("table", "json")


@dataclass(slots=True)
class _Row:
    count: int = 0
    total: float = 0.0
    minimum: float = float("inf")
    maximum: float = float("-inf")
    last: float = 0.0

    def add(self, value: float) -> None:
        self.count += 1
        self.total += value
        self.minimum = min(self.minimum, value)
        self.maximum = max(self.maximum, value)
        self.last = value

    @property
    def mean(self) -> float:
        return self.total / self.count

    def scaled(self, unit: float) -> dict[str, float]:
        """Return the statistics converted to ``unit``, by their names in JSON."""
        return {
            "Count": self.count,
            "Total": self.total / unit,
            "Last": self.last / unit,
            "Min": self.minimum / unit,
            "Max": self.maximum / unit,
            "Avg": self.mean / unit,
        }


_Rows = dict[str, dict[str, _Row]]


def _statistics_row(rows: _Rows, category: str, name: str) -> _Row:
    by_name = rows.get(category)
    if by_name is None:
        by_name = rows[category] = {}
    row = by_name.get(name)
    if row is None:
        row = by_name[name] = _Row()
    return row


_ORDER_OF: Mapping[str, Callable[[_Row], float]] = {
    "total": lambda row: row.total,
    "avg": lambda row: row.mean,
    "min": lambda row: row.minimum,
    "max": lambda row: row.maximum,
    "count": lambda row: row.count,
}


class Statistics:
    """Statistics by category and name: times, memory sizes, and counter values."""

    def __init__(self) -> None:
        self._times: _Rows = {}
        self._sizes: _Rows = {}
        self._values: _Rows = {}

    def time(self, category: str, name: str, nanoseconds: int) -> None:
        """Record a duration in nanoseconds."""
        _statistics_row(self._times, category, name).add(nanoseconds)

    def counter(self, category: str, name: str, value: float) -> None:
        """Record a new value of a counter; of memory counters, in bytes."""
        rows = self._sizes if category == MEMORY else self._values
        _statistics_row(rows, category, name).add(value)

    def text(self, form: str, sort_by: str, ascending: bool) -> str:
        """Return the statistics as text; arguments as for :func:`hy_ndarray.profiler.dumps`.

        Raises:
            ArgumentError: ``form`` or ``sort_by`` is invalid.
        """
        for name, value, known in (("format", form, _FORMATS), ("sort_by", sort_by, _ORDERS)):
            if value not in known:
                shown = ", ".join(map(repr, known))
                raise ArgumentError(f"dumps: {name}={value!r} is not one of {shown}")
        if not isinstance(ascending, bool):
            raise ArgumentError(f"dumps: ascending={ascending!r} is neither True nor False")

        def ordered(rows: Mapping[str, _Row]) -> list[tuple[str, _Row]]:
            key = _ORDER_OF[sort_by]
            return sorted(rows.items(), key=lambda item: key(item[1]), reverse=not ascending)

        return self._table(ordered) if form == "table" else self._json(ordered)

    def _table(self, ordered: Callable[[Mapping[str, _Row]], list[tuple[str, _Row]]]) -> str:
        lines = ["", "Profile Statistics:", "\tTime in milliseconds, memory in kB of 1000 bytes."]
        parts: list[tuple[_Rows, tuple[str, ...], tuple[str, ...], float]] = [
            (self._sizes, _SIZE_COLUMNS, ("Min", "Max", "Avg"), 1e3),
            (self._times, _TIME_COLUMNS, ("Total", "Min", "Max", "Avg"), 1e6),
            (self._values, _VALUE_COLUMNS, ("Last", "Min", "Max", "Avg"), 1.0),
        ]
        for rows, columns, keys, unit in parts:
            for category in sorted(rows):
                width = max(25, *map(len, rows[category]))
                lines += [
                    category,
                    "=================",
                    _line("Name", "Total Count", columns, width),
                ]
                lines.append(_line("----", "-----------", ["-" * len(x) for x in columns], width))
                for name, row in ordered(rows[category]):
                    figures = row.scaled(unit)
                    values = [f"{figures[k]:.4f}" for k in keys]
                    lines.append(_line(name, str(row.count), values, width))
                lines.append("")
        return "\n".join(lines) + "\n"

    def _json(self, ordered: Callable[[Mapping[str, _Row]], list[tuple[str, _Row]]]) -> str:
        def shown(rows: _Rows, without: str, unit: float) -> dict[str, Any]:
            return {
                category: {
                    name: {k: v for k, v in row.scaled(unit).items() if k not in without.split()}
                    for name, row in ordered(rows[category])
                }
                for category in sorted(rows)
            }

        document = {
            "Time": shown(self._times, "Last", 1e6),
            "Memory": shown(self._sizes, "Total Last", 1e3),
            "Counter": shown(self._values, "Total", 1.0),
            "Unit": {"Time": "ms", "Memory": "kB"},
        }
        return json.dumps(document, indent=4) + "\n"


def _line(name: str, count: str, figures: Iterable[str], width: int) -> str:
    return f"{name:<{width}} {count:>15}" + "".join(f" {x:>16}" for x in figures)
