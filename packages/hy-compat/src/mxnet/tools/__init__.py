"""MXNet's command-line tools, such as ``python -m mxnet.tools.im2rec``."""
