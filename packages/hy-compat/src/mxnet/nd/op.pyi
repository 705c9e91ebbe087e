from hy_ndarray.nd.op import *
