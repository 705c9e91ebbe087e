from mxnet._private.docs import *
