"""Graphs to ONNX models and back; needs the extra ``onnx``."""

from hy_onnx.from_onnx.load import (
    get_model_metadata as get_model_metadata,
    import_graph as import_graph,
    read_model as read_model,
)
from hy_onnx.to_onnx.export import (
    export_graph as export_graph,
    get_operator_support as get_operator_support,
)
from hy_symbol.exchange import (
    ExportError as ExportError,
    ImportedGraph as ImportedGraph,
    ImportModelError as ImportModelError,
    MissingOnnxError as MissingOnnxError,
    OnnxError as OnnxError,
)
