from mxnet.module import *
