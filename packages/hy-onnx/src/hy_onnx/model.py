"""ONNX models as plain dataclasses, independent of protobuf."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Array", "Dim", "OnnxGraph", "OnnxModel", "OnnxNode", "ValueInfo"]

Array: TypeAlias = npt.NDArray[np.generic]

Dim: TypeAlias = int | str | None
"""A size: an integer, the name of an open (dynamic) size, or None for one without a name."""


@dataclass(frozen=True, slots=True)
class ValueInfo:
    """The name, shape and dtype of an input or output."""

    name: str
    shape: tuple[Dim, ...] | None
    dtype: str


@dataclass(frozen=True, slots=True)
class OnnxNode:
    """ONNX node; an empty name stands for an omitted input."""

    op: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str
    attrs: Mapping[str, Any] = field(default_factory=dict)
    domain: str = ""


@dataclass(slots=True)
class OnnxGraph:
    """ONNX graph: nodes in topological order, with inputs, outputs and initializers."""

    name: str
    nodes: list[OnnxNode] = field(default_factory=list)
    inputs: list[ValueInfo] = field(default_factory=list)
    outputs: list[ValueInfo] = field(default_factory=list)
    initializers: dict[str, Array] = field(default_factory=dict)


@dataclass(slots=True)
class OnnxModel:
    """ONNX model: a graph, and the opset of its operators."""

    graph: OnnxGraph
    opset: int
    metadata: dict[str, str] = field(default_factory=dict)
