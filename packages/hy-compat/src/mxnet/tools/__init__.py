"""MXNet's tools, run as ``python -m mxnet.tools.im2rec``."""
