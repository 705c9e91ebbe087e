from hy_ndarray.ndarray import *
