from hy_ndarray.nd.random import *
