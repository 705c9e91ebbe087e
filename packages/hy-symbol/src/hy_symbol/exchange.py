"""Interface to ONNX: exceptions, and the functions that the package hy-onnx provides.

Packages that do not depend on hy-onnx, such as hy-gluon, call `onnx_package`, which finds it by its
entry point of the group ``hy.onnx``. Programs import ``hy_onnx`` directly.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeAlias

import numpy as np

from hy_ndarray import HyError
from hy_symbol.graph.node import Graph
from hy_symbol.symbol.symbol import Symbol

__all__ = [
    "DEFAULT_OPSET",
    "GROUP",
    "Arrays",
    "ExportError",
    "ImportModelError",
    "ImportedGraph",
    "MissingOnnxError",
    "OnnxError",
    "OnnxPackage",
    "onnx_package",
]

GROUP = "hy.onnx"
DEFAULT_OPSET = 17
"""Default version of ONNX's operators in exported models."""

Arrays: TypeAlias = Mapping[str, Any] | Sequence[Mapping[str, Any]] | None
"""Arrays by name, with or without ``arg:`` and ``aux:``, or a list of such mappings, or None."""


class OnnxError(HyError, ValueError):
    """A model cannot be exported to or imported from ONNX."""


class MissingOnnxError(OnnxError, ImportError):
    """hy-onnx or the package ``onnx`` is not installed; the message says what to install."""


class ExportError(OnnxError):
    """A graph or node cannot be expressed in ONNX; the message names the node and operator."""


class ImportModelError(OnnxError):
    """A file is not an ONNX model, or a node has no counterpart; the message names both."""


@dataclass(frozen=True, slots=True)
class ImportedGraph:
    """Graph of an imported model, with its inputs and the values of its parameters."""

    graph: Graph
    inputs: tuple[str, ...]
    weights: Mapping[str, "np.ndarray[Any, Any]"]
    fixed: frozenset[str]
    """Names of parameters that are constants of the model, not learned weights."""


class OnnxPackage(Protocol):
    """Functions of the module ``hy_onnx``, as a protocol."""

    def export_graph(
        self,
        graph: Symbol | Graph,
        arrays: Arrays,
        in_shapes: Any,
        path: str,
        *,
        in_types: Any = ...,
        dynamic_input_shapes: Any = ...,
        inputs: Sequence[str] | None = ...,
        opset_version: int = ...,
        external_data: bool | None = ...,
        run_shape_inference: bool = ...,
        verbose: bool = ...,
    ) -> str:
        """Write a graph and its arrays as an ONNX model."""

    def read_model(
        self, path: str | os.PathLike[str], max_expansion: int | None = None
    ) -> ImportedGraph:
        """Read an ONNX model."""

    def get_model_metadata(self, model_file: str | os.PathLike[str]) -> dict[str, Any]:
        """Return names and shapes of a model's inputs and outputs."""

    def get_operator_support(self, opset_version: int | None = None) -> list[str]:
        """Return the names of the operators that can be exported."""


@cache
def onnx_package() -> OnnxPackage:
    """Return the module ``hy_onnx``, imported on first use.

    Raises:
        MissingOnnxError: hy-onnx is not installed, or cannot be loaded.
    """
    from importlib.metadata import entry_points  # noqa: PLC0415  # 10 ms, and most need no ONNX

    point = next(iter(entry_points(group=GROUP)), None)
    if point is None:
        raise MissingOnnxError(
            "models of ONNX are written and read by the package hy-onnx, which is not installed: "
            "pip install 'hy-onnx[onnx]'"
        )
    try:
        package: OnnxPackage = point.load()
    except ImportError as error:
        raise MissingOnnxError(f"{point.value} cannot load: {error}") from error
    return package
