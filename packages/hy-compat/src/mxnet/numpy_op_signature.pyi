from mxnet._private.numpy_docs import *
