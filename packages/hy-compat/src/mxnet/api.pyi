from mxnet._private.ffi import *
