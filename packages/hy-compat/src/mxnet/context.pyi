from hy_ndarray.context import *
