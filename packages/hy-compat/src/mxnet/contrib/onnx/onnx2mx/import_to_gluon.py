"""Import of ONNX models as blocks."""

from hy_gluon.onnx import import_to_gluon

__all__ = ["import_to_gluon"]
