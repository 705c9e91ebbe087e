"""Exceptions of models that come from ONNX, or go there."""

from hy_ndarray import HyError

__all__ = ["ExportError", "ImportModelError", "OnnxError"]


class OnnxError(HyError, ValueError):
    """A model cannot be exchanged with ONNX, or the extra ``onnx`` is not installed."""


class ExportError(OnnxError):
    """A graph, or a node of it, has no counterpart in ONNX; names the node and its operator."""


class ImportModelError(OnnxError):
    """A file is no ONNX model, or a node of it has no counterpart in the catalogue; names both."""
