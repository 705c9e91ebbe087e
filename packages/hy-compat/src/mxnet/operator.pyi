from hy_ndarray.custom import *
