from hy_ndarray.nd import *
