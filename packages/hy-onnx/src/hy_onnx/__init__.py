"""Models to and from ONNX; needs the extra ``onnx``."""

from hy_onnx.errors import (
    ExportError as ExportError,
    ImportModelError as ImportModelError,
    OnnxError as OnnxError,
)
from hy_onnx.from_onnx.load import (
    get_model_metadata as get_model_metadata,
    import_model as import_model,
    import_to_gluon as import_to_gluon,
)
from hy_onnx.to_onnx.export import (
    export_model as export_model,
    get_operator_support as get_operator_support,
)
