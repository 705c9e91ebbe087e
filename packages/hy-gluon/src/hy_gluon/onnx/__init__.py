"""Conversion of blocks and checkpoints to ONNX models and back, by the package hy-onnx."""

from hy_gluon.onnx.from_onnx import (
    get_model_metadata as get_model_metadata,
    import_model as import_model,
    import_to_gluon as import_to_gluon,
)
from hy_gluon.onnx.to_onnx import (
    export_model as export_model,
    get_operator_support as get_operator_support,
)
from hy_symbol.exchange import (
    ExportError as ExportError,
    ImportModelError as ImportModelError,
    MissingOnnxError as MissingOnnxError,
    OnnxError as OnnxError,
)
