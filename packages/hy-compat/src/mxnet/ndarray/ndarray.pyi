from hy_ndarray.array.ndarray import *
from hy_ndarray.nd import *
