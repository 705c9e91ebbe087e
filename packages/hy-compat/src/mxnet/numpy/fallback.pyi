from hy_ndarray.np.fallback import *
