from hy_ndarray.nd.contrib import *
