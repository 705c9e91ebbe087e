"""Import of ONNX models as symbols."""

from hy_gluon.onnx import get_model_metadata, import_model

__all__ = ["get_model_metadata", "import_model"]
