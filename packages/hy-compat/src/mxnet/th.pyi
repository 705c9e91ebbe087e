from mxnet.torch import *
