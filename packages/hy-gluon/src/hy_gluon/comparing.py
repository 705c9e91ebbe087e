"""Comparison of two models, or of a model and a recording, layer by layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_gluon._errors import BlockError
from hy_symbol import Symbol

__all__ = ["LayerDifference", "compared_layers", "difference_table", "layer_outputs"]

Array = npt.NDArray[Any]

_TOLERANCE = 1e-4
"""Relative to the largest element of a layer's output; float32 sums in another order stay below."""


@dataclass(frozen=True, slots=True)
class LayerDifference:
    """Difference between a layer's outputs in two models.

    Args:
        layer: Name of the layer in the new model.
        operator: Operator of the layer in the new model.
        shape: Shape of the output in the new model.
        largest: Largest absolute difference; None if the shapes differ.
        scale: Largest magnitude of the old output.
    """

    layer: str
    operator: str
    shape: tuple[int, ...]
    largest: float | None
    scale: float

    @property
    def agrees(self) -> bool:
        """Return whether the difference is within float32 rounding errors."""
        # Outputs that are almost zero everywhere are compared absolutely.
        return self.largest is not None and self.largest <= _TOLERANCE * max(self.scale, 1e-3)


def layer_outputs(symbol: Symbol) -> tuple[list[Symbol], list[tuple[str, str]]]:
    """Return a symbol for each operator's output in graph order, and (name, operator) pairs."""
    nodes = [(node, node.op) for node in symbol.graph.nodes if node.op is not None]
    entries = [(node, op, i) for node, op in nodes for i in range(node.num_visible)]
    outputs = [Symbol.of((node, i)) for node, _, i in entries]
    return outputs, [
        (node.output_name(i).removesuffix("_output"), op.name) for node, op, i in entries
    ]


def compared_layers(
    old: Mapping[str, Array],
    new: Mapping[str, Array],
    operators: Mapping[str, str],
    old_operators: Sequence[str] | None = None,
) -> list[LayerDifference]:
    """Return the differences of all layers in both models, in the new model's order.

    Layers are matched by name; if no name is common, by position, provided the operators agree.

    Args:
        old: Outputs by layer.
        new: Outputs by layer.
        operators: The operator of each layer of ``new``.
        old_operators: Operators of the layers of ``old``, if known.

    Raises:
        BlockError: No layer can be matched.
    """
    pairs = {name: name for name in new if name in old}
    if not pairs and old_operators == [operators[name] for name in new]:
        pairs = dict(zip(new, old, strict=True))
    if not pairs:
        raise BlockError(
            f"compare: no layer of the two has the same name: {', '.join([*old][:4])} ...; "
            f"{', '.join([*new][:4])} ..."
        )
    return [
        _difference(name, operators[name], old[source], new[name]) for name, source in pairs.items()
    ]


def _difference(name: str, operator: str, old: Array, new: Array) -> LayerDifference:
    scale = float(np.abs(old.astype(np.float64)).max(initial=0))
    largest = None
    if old.shape == new.shape:
        distance = np.abs(old.astype(np.float64) - new.astype(np.float64))
        # Where both have nan, they agree.
        both_nan = np.isnan(old.astype(np.float64)) & np.isnan(new.astype(np.float64))
        largest = float(np.where(both_nan, 0, distance).max(initial=0))
    return LayerDifference(name, operator, shape=new.shape, largest=largest, scale=scale)


def difference_table(layers: Sequence[LayerDifference]) -> str:
    """Return a text with a table of the differences, and the first layer that differs."""
    cells = [("layer", "operator", "shape", "largest difference", "largest element")]
    for each in layers:
        largest = "shapes differ" if each.largest is None else f"{each.largest:.2g}"
        shape = "x".join(map(str, each.shape)) or "()"
        cells.append((each.layer, each.operator, shape, largest, f"{each.scale:.3g}"))
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    ]
    first = next((each for each in layers if not each.agrees), None)
    lines.append(
        f"all {len(layers)} layers agree"
        if first is None
        else f"the first layer that differs is {first.layer} ({first.operator})"
    )
    return "\n".join(lines)
