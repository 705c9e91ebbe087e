from hy_ndarray.np.operators import *
