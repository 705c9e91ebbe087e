from hy_ndarray.np import *
