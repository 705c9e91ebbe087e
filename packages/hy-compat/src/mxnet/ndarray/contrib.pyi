from hy_ndarray.nd.contrib import *
from hy_ndarray.nd.contrib import __getattr__ as __getattr__
