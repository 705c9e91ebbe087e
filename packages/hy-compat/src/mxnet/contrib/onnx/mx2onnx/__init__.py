"""Export of ONNX models, under MXNet's path."""

from mxnet.contrib.onnx.mx2onnx import export_model as export_model
