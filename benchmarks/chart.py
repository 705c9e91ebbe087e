"""The bar chart: what hy takes of the time of the others, as SVG."""

from collections.abc import Sequence
from html import escape

from benchmarks.results import LABELS, Row, duration, number

COLORS = {
    "hy_1": "#7a7a7a",
    "mxnet": "#3b6fb6",
    "torch": "#e08a1e",
    "compiled": "#a0522d",
    "onnxruntime": "#4c9a5b",
}
_WIDTH, _LEFT, _RIGHT = 900, 250, 110
_TOP, _BAR, _GAP = 74, 15, 10
_HALO = ' stroke="white" stroke-width="3" paint-order="stroke"'
_MAX_RATIO = 2.0
"""Where the axis ends: longer bars are cut off there, and their number says how long they are."""


def _text(x: float, y: float, text: str, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _line(x: float, y0: float, y1: float, style: str) -> str:
    return f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y0:.1f}" y2="{y1:.1f}" {style}/>'


class _Axis:
    """Ratios to x."""

    def __init__(self, rows: Sequence[Row], sides: Sequence[str]) -> None:
        ratios = [ratio for row in rows for side in sides if (ratio := row.ratio(side)) is not None]
        self.end = min(_MAX_RATIO, max([1.2, *ratios]))

    def __call__(self, ratio: float) -> float:
        return _LEFT + min(ratio, self.end) / self.end * (_WIDTH - _LEFT - _RIGHT)

    def lines(self, bottom: float) -> list[str]:
        """The scale, whose 1 is heavier: there both take the same time."""
        parts = []
        for tick in range(int(self.end * 4 + 1e-9) + 1):
            ratio = tick / 4
            style = 'stroke="#222"' if ratio == 1 else 'stroke="#ddd"'
            parts += [
                _line(self(ratio), _TOP - 6, bottom, style),
                _text(self(ratio), _TOP - 12, f"{ratio:g}", "middle", ' fill="#555"'),
            ]
        return parts


def _bars(row: Row, sides: Sequence[str], top: float, axis: _Axis) -> list[str]:
    """Name, time, one bar for each side, and the target across the bar of MXNet."""
    middle = top + _BAR * max(1, len(sides)) / 2 + 4
    parts = [
        _text(_LEFT - 80, middle, row.name, "end"),
        _text(_LEFT - 10, middle, duration(row.best("hy")), "end", ' fill="#777"'),
    ]
    for index, side in enumerate(sides):
        y = top + index * _BAR
        ratio = row.ratio(side)
        if ratio is not None:
            x = axis(ratio)
            size = f'width="{x - _LEFT:.1f}" height="{_BAR - 2}"'
            parts += [
                f'<rect x="{_LEFT}" y="{y:.1f}" {size} fill="{COLORS[side]}"/>',
                _text(
                    x + 5, y + 11, number(ratio) + (" →" if ratio > axis.end else ""), style=_HALO
                ),
            ]
        if side == "mxnet" and row.target is not None:
            parts += [
                _line(axis(row.target), y - 3, y + _BAR + 1, 'stroke="#b00020" stroke-width="2.5"'),
                _text(_WIDTH - 12, y + 11, f"≤ {row.target:g}", "end", ' fill="#b00020"'),
            ]
    return parts


def _legend(sides: Sequence[str]) -> list[str]:
    parts = []
    for index, side in enumerate(sides):
        x = _LEFT + 150 * index
        parts += [
            f'<rect x="{x}" y="32" width="12" height="12" fill="{COLORS[side]}"/>',
            _text(x + 18, 42, f"hy ÷ {LABELS[side]}"),
        ]
    if "mxnet" in sides:
        parts += [_text(_WIDTH - 12, 42, "target, hy ÷ MXNet", "end", ' fill="#b00020"')]
    return parts


def chart(rows: Sequence[Row], sides: Sequence[str], title: str) -> str:
    """A bar for each ratio: shorter is better, and at 1 both are equally fast.

    Args:
        rows: The workloads; hy's best time stands beside each name.
        sides: What hy is compared with: ``mxnet``, ``torch``, both or nothing.
        title: What stands above.

    Returns:
        The text of an SVG file.
    """
    step = _BAR * max(1, len(sides)) + _GAP
    bottom = _TOP + step * len(rows)
    axis = _Axis(rows, sides)
    size = f'viewBox="0 0 {_WIDTH} {bottom + 12}" width="{_WIDTH}" height="{bottom + 12}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="12">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
        _text(12, 20, title, style=' font-size="14" font-weight="bold"'),
        *_legend(sides),
    ]
    if sides:
        parts += axis.lines(bottom)
    for index, row in enumerate(rows):
        parts += _bars(row, sides, _TOP + index * step + _GAP / 2, axis)
    return "\n".join([*parts, "</svg>", ""])
