from mxnet.io.arrays import *
