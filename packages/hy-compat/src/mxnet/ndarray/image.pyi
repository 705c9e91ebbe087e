from hy_ndarray.nd.image import *
