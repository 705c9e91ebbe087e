"""Writes docs/assets/speed.svg: the chart of what the first table of docs/performance.md measured.

Run with ``hatch run speed-chart`` after the table was measured anew; a test compares.
"""

from pathlib import Path

from benchmarks.chart import COLORS, chart
from benchmarks.results import LABELS, Row

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "performance.md"
CHART = DOCS / "assets" / "speed.svg"

_SECONDS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
_SIDES = {f"÷ {label}": side for side, label in LABELS.items() if side in COLORS}


def rows(text: str) -> list[Row]:
    """The workloads of the first table: the time that it gives, and others by their ratios."""
    table, _, _ = text[text.index("| Workload |") :].partition("\n\n")
    titles, _, *lines = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    found = []
    for line in lines:
        cells = dict(zip(titles, line, strict=True))
        number, unit = cells["hy"].split()
        seconds = float(number) * _SECONDS[unit]
        ratios = {side: cells.get(title) for title, side in _SIDES.items()}
        sides = {side: [seconds / float(ratio)] for side, ratio in ratios.items() if ratio}
        found.append(Row(cells["Workload"].split("`")[1], {"hy": [seconds], **sides}))
    return found


def picture() -> str:
    """The text of docs/assets/speed.svg."""
    found = rows(PAGE.read_text(encoding="utf-8"))
    sides = [side for side in _SIDES.values() if any(side in row.seconds for row in found)]
    title = "hy's time by that of others: two cores, two threads"
    return chart(found, sides, title)


def main() -> None:
    """Write the chart."""
    CHART.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
