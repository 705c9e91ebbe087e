from hy_ndarray.nd import *
from hy_ndarray.nd import __getattr__ as __getattr__
