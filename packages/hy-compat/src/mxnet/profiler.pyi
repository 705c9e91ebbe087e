from hy_ndarray.profiler import *
