from hy_ndarray.nd.op import *
from hy_ndarray.nd.op import __getattr__ as __getattr__
