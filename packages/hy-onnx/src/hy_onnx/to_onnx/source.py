"""Source of an export: a graph with its weights and its inputs in order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hy_ndarray import NDArray, dtype_name, numpy_type
from hy_onnx.model import Array, Dim
from hy_onnx.to_onnx.heads import without_heads
from hy_symbol import Graph, Node, Symbol, infer_types, inlined
from hy_symbol.exchange import Arrays, ExportError

_FLOATING = ("float16", "bfloat16", "float32", "float64")

__all__ = ["Source", "dtype_names", "source_of"]

_MANY = 64
"""Test value of open sizes after the first axis, large enough for images."""


@dataclass(frozen=True, slots=True)
class Source:
    """Graph to export, with weights by name and inputs in order."""

    graph: Graph
    weights: Mapping[str, Array]
    inputs: tuple[Node, ...]

    def typed(self, dtypes: Sequence[str]) -> "Source":
        """Return the source with weights converted to the dtypes inferred from input dtypes.

        For example, float32 weights become float16 if the inputs are float16.
        """
        by_input = dict(zip(self.inputs, dtypes, strict=True))
        types = infer_types(self.graph, None, by_input)
        weights = dict(self.weights)
        for node in self.graph.variables:
            wanted = types.dtype((node, 0))
            weight = weights.get(node.name)
            if weight is None or wanted is None or wanted == weight.dtype.name:
                continue
            if wanted in _FLOATING and weight.dtype.name in _FLOATING:
                weights[node.name] = weight.astype(numpy_type(wanted))
        return Source(self.graph, weights, self.inputs)

    def shapes(self, in_shapes: Sequence[Sequence[Dim]]) -> dict[Node, tuple[int, ...]]:
        """Return the shapes of all variables, with test sizes for open ones."""
        shapes = {
            node: self.weights[node.name].shape
            for node in self.graph.variables
            if node.name in self.weights
        }
        for node, dims in zip(self.inputs, in_shapes, strict=True):
            shapes[node] = tuple(
                n if isinstance(n, int) else _MANY if axis else 1 for axis, n in enumerate(dims)
            )
        return shapes

    def dtypes(self, in_types: Sequence[str]) -> dict[Node, str | None]:
        """Return the dtypes of all variables."""
        dtypes: dict[Node, str | None] = {
            node: self.weights[node.name].dtype.name
            for node in self.graph.variables
            if node.name in self.weights
        }
        dtypes.update(zip(self.inputs, in_types, strict=True))
        return dtypes


def source_of(graph: Symbol | Graph, arrays: Arrays, inputs: Sequence[str] | None = None) -> Source:
    """Validate the arguments of an export, and return them as a :class:`Source`.

    Args:
        graph: The graph.
        arrays: The weights by name.
        inputs: Names of the inputs in order, which the graph need not all use; None: the variables
            without an array.

    Raises:
        ExportError: ``graph`` is not a graph, or ``arrays`` are not arrays by name.
    """
    if not isinstance(graph, Symbol | Graph):
        raise ExportError(
            f"a Symbol or a Graph of hy-symbol is exported, not {type(graph).__name__}"
        )
    weights = _untagged(arrays)
    inner = without_heads(inlined(graph.graph if isinstance(graph, Symbol) else graph))
    used = {node.name: node for node in inner.variables}
    names = [name for name in used if name not in weights] if inputs is None else inputs
    used_weights = {name: value for name, value in weights.items() if name in used}
    order = tuple(used[name] for name in names if name in used)
    return Source(inner if inputs is None else Graph(inner.outputs, order), used_weights, order)


def _untagged(arrays: Arrays) -> dict[str, Array]:
    """Return the arrays by name, without the tags ``arg:`` and ``aux:``."""
    weights: dict[str, Array] = {}
    parts = arrays if isinstance(arrays, list | tuple) else [arrays or {}]
    for part in filter(None, parts):
        if not isinstance(part, Mapping):
            raise ExportError(
                f"params are arrays by name, or the path of a .params file, not "
                f"{type(part).__name__}"
            )
        for name, value in part.items():
            # Files of parameters mark arguments and states so.
            key = str(name).removeprefix("arg:").removeprefix("aux:")
            weights[key] = value.asnumpy() if isinstance(value, NDArray) else np.asarray(value)
    return weights


def dtype_names(in_types: Any, count: int) -> list[str]:
    """Return the dtype name of each of ``count`` inputs.

    Raises:
        ExportError: The number of dtypes is wrong.
        DTypeError: A dtype is unknown.
    """
    listed = list(in_types) if isinstance(in_types, list | tuple) else [in_types] * count
    if len(listed) != count:
        raise ExportError(f"in_types has {len(listed)} dtypes, the graph has {count} inputs")
    return [dtype_name(dtype) for dtype in listed]
