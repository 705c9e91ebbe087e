from hy_ndarray.autograd import *
