"""ONNX models written: MXNet's module of this place."""

from mxnet.contrib.onnx.mx2onnx import export_model as export_model
