from hy_ndarray.nd.linalg import *
from hy_ndarray.nd.linalg import __getattr__ as __getattr__
