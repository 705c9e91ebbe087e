"""Import of ONNX models, under the name ``mxnet.contrib.onnx.onnx2mx``."""

from mxnet.contrib.onnx.onnx2mx import (
    import_model as import_model,
    import_to_gluon as import_to_gluon,
)
