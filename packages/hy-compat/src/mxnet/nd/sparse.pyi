from hy_ndarray.nd.sparse import *
