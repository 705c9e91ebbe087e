from hy_ndarray.nd.random import *
from hy_ndarray.nd.random import __getattr__ as __getattr__
