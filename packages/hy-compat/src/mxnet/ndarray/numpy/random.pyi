from hy_ndarray.np.random import *
