"""Writes docs/assets/speed.svg: a chart of rows of the first table of benchmarks/results.md.

Run with ``hatch run speed-chart`` after the table was measured again; a test compares.
"""

from html import escape
from pathlib import Path

from benchmarks.results import LABELS, Row

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "benchmarks" / "results.md"
CHART = ROOT / "docs" / "assets" / "speed.svg"
SHOWN = {
    "add_10x10": "Adding two small arrays",
    "mlp_static": "MLP, prediction",
    "mlp_training": "MLP, training",
    "lenet_training": "LeNet, training",
    "resnet18_b1": "ResNet-18, 1 image",
    "resnet18_b16": "ResNet-18, 16 images",
    "resnet50_b1": "ResNet-50, 1 image",
    "transformer_layer": "Transformer layer",
    "lstm_language_model": "LSTM, training",
    "resnet18_training": "ResNet-18, training",
}
"""The workloads of the chart, and their titles in it."""

_SECONDS = {"µs": 1e-6, "ms": 1e-3, "s": 1.0}
_COLORS = {"mxnet": "#00897b", "torch": "#e08a1e"}
_SIDES = {f"÷ {LABELS[side]}": side for side in _COLORS}
_WIDTH, _LEFT, _RIGHT, _TOP, _BAR, _ROW = 460, 150, 34, 46, 10, 28  # pixels
_MAX_RATIO = 1.5


def rows(text: str) -> list[Row]:
    """Return the workloads of the first table: hy's time, and that of others by their ratios."""
    table, _, _ = text[text.index("| Workload |") :].partition("\n\n")
    titles, _, *lines = ([cell.strip() for cell in line.split("|")] for line in table.splitlines())
    workloads = []
    for line in lines:
        cells = dict(zip(titles, line, strict=True))
        number, unit = cells["hy"].split()
        seconds = float(number) * _SECONDS[unit]
        ratios = {side: cells.get(title) for title, side in _SIDES.items()}
        sides = {side: [seconds / float(ratio)] for side, ratio in ratios.items() if ratio}
        workloads.append(Row(cells["Workload"].split("`")[1], {"hy": [seconds], **sides}))
    return workloads


def _x(ratio: float) -> float:
    return _LEFT + min(ratio, _MAX_RATIO) / _MAX_RATIO * (_WIDTH - _LEFT - _RIGHT)


def _text(x: float, y: float, text: str, anchor: str = "start", style: str = "") -> str:
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{style}>{escape(text)}</text>'


def _bars(row: Row, top: float) -> list[str]:
    parts = [_text(_LEFT - 8, top + _BAR + 4, SHOWN[row.name], "end")]
    for index, (side, color) in enumerate(_COLORS.items()):
        ratio = row.ratio(side)
        if ratio is not None:
            y = top + index * _BAR
            size = f'width="{_x(ratio) - _LEFT:.1f}" height="{_BAR - 1}"'
            parts += [
                f'<rect x="{_LEFT}" y="{y:.0f}" {size} fill="{color}"/>',
                _text(_x(ratio) + 4, y + 8, f"{ratio:.2f}", style=' font-size="9"'),
            ]
    return parts


def picture() -> str:
    """Return the text of docs/assets/speed.svg."""
    measured = {row.name: row for row in rows(PAGE.read_text(encoding="utf-8"))}
    bottom = _TOP + _ROW * len(SHOWN)
    title = "hy's time divided by that of MXNet and PyTorch; shorter is faster"
    size = f'viewBox="0 0 {_WIDTH} {bottom + 8}" width="{_WIDTH}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif" font-size="11">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, (side, color) in enumerate(_COLORS.items()):
        x = float(_LEFT + 110 * index)
        parts += [
            f'<rect x="{x:.0f}" y="6" width="10" height="10" fill="{color}"/>',
            _text(x + 15, 15, f"hy ÷ {LABELS[side]}"),
        ]
    for ratio in (0, 0.5, 1, 1.5):
        color = "#222" if ratio == 1 else "#ccc"
        x = _x(ratio)
        parts += [
            f'<line x1="{x:.0f}" x2="{x:.0f}" y1="{_TOP - 6}" y2="{bottom}" stroke="{color}"/>',
            _text(x, _TOP - 10, f"{ratio:g}", "middle", ' fill="#555"'),
        ]
    for index, name in enumerate(SHOWN):
        parts += _bars(measured[name], _TOP + index * _ROW)
    return "\n".join([*parts, "</svg>", ""])


def main() -> None:
    """Write the chart."""
    CHART.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
