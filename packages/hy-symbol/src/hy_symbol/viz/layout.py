"""Layered layout of directed graphs: layers, order within layers, coordinates."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["Layout", "arrange"]

_GAP = 28.0  # pixels between boxes of a layer
_SWEEPS = 4  # over the layers, which order boxes by their neighbours

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Layout:
    """Positions of boxes and edges as points ``(x, y)``; ``y`` is the number of the layer."""

    positions: list[Point]
    """Centre of each box."""
    routes: list[list[Point]]
    """For each edge its points, one per layer, both ends included."""
    width: float
    layers: int


def arrange(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Arrange the nodes of a directed acyclic graph in layers; every edge points to a later layer.

    Layers are assigned by the longest path; then a few sweeps order each layer by the mean position
    of the neighbours (Sugiyama, Tagawa, Toda 1981). Edges over several layers get a position in
    each.

    Args:
        widths: Width of each box in pixels, in topological order.
        edges: Pairs of indices: from box, to box.

    Example:
        >>> arrange([10, 10, 10], [(0, 1), (1, 2)]).positions
        [(5.0, 0), (5.0, 1), (5.0, 2)]
    """
    depth = [0] * len(widths)
    # Longest path: a node lies below all its inputs.
    for source, target in sorted(edges, key=lambda edge: edge[1]):
        depth[target] = max(depth[target], depth[source] + 1)
    sizes = list(widths)
    layer_of = list(depth)
    links: list[tuple[int, int]] = []
    chains: list[list[int]] = []
    for source, target in edges:
        chain = [source]
        # Long edges get a point in each layer, so that they pass between boxes.
        for layer in range(depth[source] + 1, depth[target]):
            sizes.append(0.0)
            layer_of.append(layer)
            chain.append(len(sizes) - 1)
        chain.append(target)
        chains.append(chain)
        links += pairwise(chain)
    layers: list[list[int]] = [[] for _ in range(max(depth, default=-1) + 1)]
    for box, layer in enumerate(layer_of):
        layers[layer].append(box)
    xs = _coordinates(layers, sizes, links)
    left = min((x - size / 2 for x, size in zip(xs, sizes, strict=True)), default=0.0)
    xs = [x - left for x in xs]
    right = max((x + size / 2 for x, size in zip(xs, sizes, strict=True)), default=0.0)
    return Layout(
        positions=[(xs[i], layer_of[i]) for i in range(len(widths))],
        routes=[[(xs[i], layer_of[i]) for i in chain] for chain in chains],
        width=right,
        layers=len(layers),
    )


def _coordinates(
    layers: list[list[int]], sizes: Sequence[float], links: Sequence[tuple[int, int]]
) -> list[float]:
    above: list[list[int]] = [[] for _ in sizes]
    below: list[list[int]] = [[] for _ in sizes]
    for source, target in links:
        above[target].append(source)
        below[source].append(target)
    xs = [0.0] * len(sizes)
    for layer in layers:
        _position_layer(layer, [float(i) for i in range(len(layer))], sizes, xs)
    # Alternately down, ordered by the neighbours above, and up, by those below.
    for sweep in range(2 * _SWEEPS):
        down = sweep % 2 == 0
        neighbours = above if down else below
        for layer in layers if down else reversed(layers):
            wanted = [
                sum(xs[i] for i in neighbours[box]) / len(neighbours[box])
                if neighbours[box]
                else xs[box]
                for box in layer
            ]
            _position_layer(layer, wanted, sizes, xs)
    return xs


def _position_layer(
    layer: list[int], wanted: Sequence[float], sizes: Sequence[float], xs: list[float]
) -> None:
    """Place the boxes of a layer close to their wanted positions, without overlap."""
    # By the mean of neighbours, then pushed apart; the layer's mean stays.
    order = sorted(range(len(layer)), key=lambda k: wanted[k])
    end = float("-inf")
    shift = 0.0
    for k in order:
        box = layer[k]
        xs[box] = max(wanted[k], end + sizes[box] / 2)
        end = xs[box] + sizes[box] / 2 + _GAP
        shift += wanted[k] - xs[box]
    for box in layer:
        xs[box] += shift / len(layer)
    layer[:] = [layer[k] for k in order]
