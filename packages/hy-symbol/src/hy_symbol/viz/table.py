"""Table of a graph's layers: output shapes, parameters and previous layers."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from math import prod

from hy_symbol.graph.node import Node
from hy_symbol.infer.engine import Types, infer_types
from hy_symbol.infer.outputs import Outputs
from hy_symbol.infer.shapes import declared_shape
from hy_symbol.viz.look import inferred_types, shape_text

__all__ = ["print_summary", "summary"]

_HEADER = ("Layer (type)", "Output Shape", "Param #", "Previous Layer")


def print_summary(
    symbol: Outputs,
    shape: Mapping[str, Sequence[int]] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> None:
    """Print :func:`summary`."""
    sys.stdout.write(summary(symbol, shape, line_length, positions))


def summary(
    symbol: Outputs,
    shape: Mapping[str, Sequence[int]] | None = None,
    line_length: int = 120,
    positions: Sequence[float] = (0.44, 0.64, 0.74, 1.0),
) -> str:
    """Return a table of a net's layers, with output shapes and numbers of parameters.

    Parameters are the arguments that are neither named in ``shape`` nor labels. A parameter that
    several layers share is counted once, at the first layer.

    Args:
        symbol: The graph.
        shape: Shapes of inputs by name; without them many shapes are unknown, and parameters of
            unknown size are not counted.
        line_length: Number of characters in a line.
        positions: Ends of the columns, as fractions of the line.

    Raises:
        ArgumentError: ``symbol`` is not a symbol.
        GraphError: A shape cannot be inferred from ``shape``.

    Example:
        >>> from hy_symbol import sym
        >>> net = sym.FullyConnected(sym.var("data"), num_hidden=10, name="fc1")
        >>> summary(net, {"data": (1, 5)}).splitlines()[-2]
        'Total params: 60'
    """
    types = inferred_types(symbol, shape)
    shown = types is not None
    if types is None:
        known = {node: declared_shape(node) for node in symbol.graph.variables}
        types = infer_types(symbol.graph, known, None)
    ends = [int(line_length * p) if p <= 1 else int(p) for p in positions]
    data = _data_variables(symbol, shape)
    lines = ["_" * line_length, _table_row(_HEADER, ends), "=" * line_length]
    total = 0
    rows = [node for node in symbol.graph.nodes if node.op is not None or node in data]
    counted = set(data)
    for i, node in enumerate(rows):
        count = sum(_parameter_count(types, v) for v in _parameters(symbol, node, counted))
        total += count
        before = [
            source.name for source, _ in node.inputs if source.op is not None or source in data
        ] or [""]
        kind = "null" if node.op is None else node.op.name
        text = shape_text(types, (node, 0)) if shown else ""
        lines.append(_table_row((f"{node.name}({kind})", text, str(count), before[0]), ends))
        lines += [_table_row(("", "", "", name), ends) for name in before[1:]]
        lines.append(("=" if i == len(rows) - 1 else "_") * line_length)
    lines += [f"Total params: {total}", "_" * line_length]
    return "\n".join(lines) + "\n"


def _table_row(fields: Sequence[str], ends: Sequence[int]) -> str:
    line = ""
    for field, end in zip(fields, ends, strict=True):
        line = (line + field)[:end].ljust(end)
    return line


def _data_variables(symbol: Outputs, shape: Mapping[str, Sequence[int]] | None) -> set[Node]:
    """Return the input variables of a net: those named in ``shape``, else the first argument."""
    arguments = symbol.graph.arguments
    named = {node for node in arguments if node.name in (shape or {})}
    return named or set(arguments[:1])


def _parameters(symbol: Outputs, node: Node, counted: set[Node]) -> Iterator[Node]:
    """Yield the parameters of a node that are not in ``counted``, and add them to it."""
    for source, _ in node.inputs:
        known = source.op is not None or source in counted
        if known or source in symbol.graph.auxiliary or source.name.endswith("label"):
            continue
        counted.add(source)
        yield source


def _parameter_count(types: Types, variable: Node) -> int:
    shape = types.shape((variable, 0))
    return 0 if shape is None or None in shape else prod(n for n in shape if n is not None)
