from mxnet.monitor import *
