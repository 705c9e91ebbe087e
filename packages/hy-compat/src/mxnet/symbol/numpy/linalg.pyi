from hy_ndarray.np.linalg import *
