from hy_ndarray.array.ndarray import *
