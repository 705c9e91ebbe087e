"""Ratios and verdicts of measured workloads, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import geometric_mean, median
from typing import Any

from benchmarks.targets import TARGETS

LABELS = {
    "hy": "hy",
    "hy_1": "hy, 1",
    "mxnet": "MXNet",
    "torch": "PyTorch",
    "compiled": "compiled",
    "onnxruntime": "ONNX RT",
}
"""Of the sides; ``hy_1`` is hy on one thread, ``compiled`` PyTorch by ``torch.compile``."""


@dataclass(frozen=True)
class Row:
    """A workload in the table.

    Args:
        name: Name of the workload.
        seconds: By side, seconds per call of each round; ``hy`` is always there.

    Example:
        >>> row = Row("add_10x10", {"hy": [1.0, 2.0, 1.0], "mxnet": [8.0, 8.0, 16.0]})
        >>> row.ratio("mxnet"), row.verdict, row.ratio("torch")
        (0.125, 'met', None)
    """

    name: str
    seconds: dict[str, list[float]]

    @property
    def target(self) -> float | None:
        """Target of the ratio to MXNet, at most; None for extra workloads."""
        return TARGETS.get(self.name)

    @property
    def verdict(self) -> str:
        """Whether the target is met; empty where there is none, or no MXNet."""
        ratio = self.ratio("mxnet")
        if self.target is None or ratio is None:
            return ""
        return "met" if ratio <= self.target else "missed"

    def best(self, side: str) -> float | None:
        """Seconds per call of the fastest round."""
        return min(self.seconds[side]) if side in self.seconds else None

    def ratio(self, side: str) -> float | None:
        """Median over the rounds of hy ÷ ``side``, measured one right after the other."""
        if side not in self.seconds:
            return None
        pairs = zip(self.seconds["hy"], self.seconds[side], strict=True)
        return median(ours / theirs for ours, theirs in pairs)

    def ratio_of_best(self, side: str) -> float | None:
        """Fastest round of hy ÷ that of ``side``: nearest to a machine without other work."""
        ours, theirs = self.best("hy"), self.best(side)
        return None if ours is None or theirs is None else ours / theirs

    def document(self) -> dict[str, Any]:
        """Everything about the workload, for JSON."""
        others = [side for side in self.seconds if side != "hy"]
        return {
            "median": {side: median(times) for side, times in self.seconds.items()},
            "best": {side: min(times) for side, times in self.seconds.items()},
            "ratio": {side: self.ratio(side) for side in others},
            "ratio_of_best": {side: self.ratio_of_best(side) for side in others},
            "target": self.target,
            "seconds": self.seconds,
        }


def duration(seconds: float | None) -> str:
    """Seconds in a readable unit.

    Example:
        >>> duration(0.00123), duration(26.5e-6), duration(None)
        ('1.23 ms', '26.5 µs', '')
    """
    if seconds is None:
        return ""
    for unit, scale in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e6:.3g} µs"


def number(value: float | None) -> str:
    """Return a number with two decimals; empty for None."""
    return "" if value is None else f"{value:.2f}"


def heading(sides: Sequence[str]) -> str:
    """The first line of the table."""
    cells = [f"{'workload':20}", *(f"{LABELS[side]:>9}" for side in sides)]
    for side in sides[1:]:
        cells += [f"{'÷ ' + LABELS[side]:>10} {'of best':>8}"]
        cells += [f"{'target':>6} {'':6}"] if side == "mxnet" else []
    return " ".join(cells).rstrip()


def line(row: Row, sides: Sequence[str]) -> str:
    """The best times of a workload, and ratios to each of ``sides`` but the first, which is hy."""
    cells = [f"{row.name:20}", *(f"{duration(row.best(side)):>9}" for side in sides)]
    for side in sides[1:]:
        cells += [f"{number(row.ratio(side)):>10} {number(row.ratio_of_best(side)):>8}"]
        cells += [f"{number(row.target):>6} {row.verdict:6}"] if side == "mxnet" else []
    return " ".join(cells).rstrip()


def geometric_means(rows: Sequence[Row], sides: Sequence[str]) -> str:
    """The last line of the table: the geometric mean of the ratios to each side but hy's own.

    Example:
        >>> rows = [Row(name, {"hy": [1.0], "mxnet": [m]}) for name, m in (("a", 2.0), ("b", 8.0))]
        >>> geometric_means(rows, ["hy", "mxnet"])
        'geometric mean: 0.25 ÷ MXNet (2 workloads)'
    """
    parts = []
    for side in sides[1:]:
        ratios = [ratio for row in rows if (ratio := row.ratio(side)) is not None]
        if ratios:
            mean = number(geometric_mean(ratios))
            parts.append(f"{mean} ÷ {LABELS[side]} ({len(ratios)} workloads)")
    return f"geometric mean: {', '.join(parts)}" if parts else ""


def markdown(rows: Sequence[Row], sides: Sequence[str]) -> str:
    """The table as Markdown: hy's best times, and ratios to the other sides.

    Example:
        >>> print(markdown([Row("add_10x10", {"hy": [1e-6], "mxnet": [8e-6]})], ["hy", "mxnet"]))
        | Workload | hy | ÷ MXNet | target |
        |---|--:|--:|--:|
        | `add_10x10` | 1 µs | 0.12 | 0.15 |
    """
    titles = ["Workload", "hy"]
    for side in sides[1:]:
        titles += [f"÷ {LABELS[side]}", *(["target"] if side == "mxnet" else [])]
    lines = [_cells(titles), "|---|" + "--:|" * (len(titles) - 1)]
    for row in rows:
        cells = [f"`{row.name}`", duration(row.best("hy"))]
        for side in sides[1:]:
            missed = ", missed" if row.verdict == "missed" else ""
            cells.append(number(row.ratio(side)))
            if side == "mxnet":
                cells.append("" if row.target is None else f"{row.target:g}{missed}")
        lines.append(_cells(cells))
    return "\n".join(lines)


def _cells(texts: Sequence[str]) -> str:
    return "| " + " | ".join(texts) + " |"
