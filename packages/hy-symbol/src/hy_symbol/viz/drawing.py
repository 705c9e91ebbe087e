"""Drawings of graphs as SVG, without other packages."""

from collections.abc import Mapping, Sequence
from html import escape

from hy_symbol.graph.node import Node
from hy_symbol.infer.outputs import Outputs
from hy_symbol.viz.layout import Layout, arrange
from hy_symbol.viz.look import edges, fill, inferred_types, is_weight, label, shape_text

__all__ = ["Drawing", "svg"]

# Pixels.
_MARGIN = 12.0
_HEIGHT = 40.0
_STEP = 78.0
# Without a renderer the width of a text can only be estimated, by its number of letters.
_LETTER = 7.2
_LINE = 14.0


class Drawing(str):
    """String of SVG, which notebooks display as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def svg(
    symbol: Outputs,
    shape: Mapping[str, Sequence[int]] | None = None,
    hide_weights: bool = True,
) -> Drawing:
    """Draw a graph as SVG, with inputs at the top.

    Args:
        symbol: The graph.
        shape: Shapes of inputs by name; if given, edges are labelled with shapes without the batch
            axis.
        hide_weights: Whether to omit variables whose names end like those of parameters.

    Returns:
        The text of an SVG file, which notebooks display as a picture.

    Raises:
        GraphError: A shape cannot be inferred from ``shape``.

    Example:
        >>> from hy_symbol import sym
        >>> svg(sym.var("x") + sym.var("y"))[:40]
        '<svg xmlns="http://www.w3.org/2000/svg" '
    """
    types = inferred_types(symbol, shape)
    nodes = [n for n in symbol.graph.nodes if not (hide_weights and is_weight(n))]
    position = {node: i for i, node in enumerate(nodes)}
    texts = [label(node).split("\n") for node in nodes]
    widths = [max(map(len, lines)) * _LETTER + 2 * _MARGIN for lines in texts]
    uses = list(edges(symbol.graph, weights=not hide_weights))
    layout = arrange(widths, [(position[entry[0]], position[node]) for node, entry in uses])
    width = layout.width + 2 * _MARGIN
    height = layout.layers * _STEP - (_STEP - _HEIGHT) + 2 * _MARGIN
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" font-family="Helvetica, Arial, sans-serif" '
        'font-size="12" text-anchor="middle">\n'
        '<defs><marker id="end" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>'
    )
    parts = [head]
    for k, (_, entry) in enumerate(uses):
        parts += _edge(layout, k, shape_text(types, entry))
    for node, lines, box, center in zip(nodes, texts, widths, layout.positions, strict=True):
        parts += _box(node, lines, box, center)
    return Drawing("\n".join([*parts, "</svg>"]) + "\n")


def _edge(layout: Layout, k: int, text: str) -> list[str]:
    points = [(x + _MARGIN, _MARGIN + y * _STEP) for x, y in layout.routes[k]]
    x, y = points[0]
    path = f"M{x:.1f} {y + _HEIGHT:.1f}"
    for number, (next_x, next_y) in enumerate(points[1:]):
        top = y + _HEIGHT
        middle = (top + next_y) / 2
        path += f"C{x:.1f} {middle:.1f} {next_x:.1f} {middle:.1f} {next_x:.1f} {next_y:.1f}"
        if number < len(points) - 2:
            path += f"V{next_y + _HEIGHT:.1f}"
        x, y = next_x, next_y
    parts = [f'<path d="{path}" fill="none" stroke="#555" marker-end="url(#end)"/>']
    if text:
        (x0, y0), (x1, _) = points[0], points[1]
        at_x, at_y = (x0 + x1) / 2 + 4, y0 + _HEIGHT + (_STEP - _HEIGHT) / 2 + 4
        parts.append(
            f'<text x="{at_x:.1f}" y="{at_y:.1f}" text-anchor="start" fill="#333" '
            f'font-size="10">{escape(text)}</text>'
        )
    return parts


def _box(
    node: Node, lines: Sequence[str], width: float, position: tuple[float, float]
) -> list[str]:
    x, y = position[0] + _MARGIN, _MARGIN + position[1] * _STEP
    kind = "variable" if node.op is None else node.op.name
    about = "\n".join([f"{node.name} ({kind})", *(f"{k}={v}" for k, v in node.attrs.items())])
    radius = _HEIGHT / 2 if node.op is None else 4
    first = y + _HEIGHT / 2 + 4 - (len(lines) - 1) * _LINE / 2
    rect = (
        f'<rect x="{x - width / 2:.1f}" y="{y:.1f}" width="{width:.1f}" height="{_HEIGHT:.0f}" '
        f'rx="{radius:.0f}" fill="{fill(node)}" stroke="#555"/>'
    )
    text = [
        f'<text x="{x:.1f}" y="{first + i * _LINE:.1f}">{escape(line)}</text>'
        for i, line in enumerate(lines)
    ]
    return [f"<g><title>{escape(about)}</title>", rect, *text, "</g>"]
