from hy_ndarray.nd.linalg import *
