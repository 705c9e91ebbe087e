"""ONNX import and export, under the names of ``mxnet.contrib.onnx``."""

from hy_gluon.onnx import export_model, get_model_metadata, import_model, import_to_gluon
from mxnet.contrib.onnx import mx2onnx, onnx2mx

__all__ = [
    "export_model",
    "export_model_",
    "get_model_metadata",
    "get_model_metadata_",
    "import_model",
    "import_model_",
    "import_to_gluon",
    "import_to_gluon_",
    "mx2onnx",
    "onnx2mx",
]

export_model_ = export_model
get_model_metadata_ = get_model_metadata
import_model_ = import_model
import_to_gluon_ = import_to_gluon
