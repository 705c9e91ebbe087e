"""Export of ONNX models, under the name ``mxnet.contrib.onnx.mx2onnx``."""

from mxnet.contrib.onnx.mx2onnx import export_model as export_model
