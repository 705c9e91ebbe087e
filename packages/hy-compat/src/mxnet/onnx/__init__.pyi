from hy_gluon.onnx import *
