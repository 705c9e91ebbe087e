from mxnet.io import *
