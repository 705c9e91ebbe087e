"""Export of graphs as ONNX models."""

from hy_gluon.onnx import export_model

__all__ = ["export_model"]
