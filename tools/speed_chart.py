"""Writes docs/assets/speed.svg: the chart of what the first table of docs/performance.md measured.

Run with ``hatch run speed-chart`` after the table was measured anew; a test compares.
"""

import re
from pathlib import Path

from benchmarks.chart import chart
from benchmarks.results import Row

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "performance.md"
CHART = DOCS / "assets" / "speed.svg"

_ROW = re.compile(
    r"^\| `(?P<name>\w+)`[^|]*\| (?P<hy>[\d.]+) (?P<unit>µs|ms|s) \| [^|]* \| (?P<mxnet>[\d.]+) "
    r"\| [^|]*\| (?P<torch>[\d.]+)? ?\|",
    re.MULTILINE,
)
_SECONDS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}


def rows(text: str) -> list[Row]:
    """The workloads of the first table: the time that it gives, and others by their ratios."""
    table, _, _ = text[text.index("| Workload |") :].partition("\n\n")
    found = []
    for row in _ROW.finditer(table):
        seconds = float(row["hy"]) * _SECONDS[row["unit"]]
        sides = {side: [seconds / float(row[side])] for side in ("mxnet", "torch") if row[side]}
        found.append(Row(row["name"], {"hy": [seconds], **sides}))
    return found


def picture() -> str:
    """The text of docs/assets/speed.svg."""
    title = "hy's time by that of MXNet 1.9.1 and of PyTorch: two cores of a Xeon, two threads"
    return chart(rows(PAGE.read_text(encoding="utf-8")), ["mxnet", "torch"], title)


def main() -> None:
    """Write the chart."""
    CHART.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
