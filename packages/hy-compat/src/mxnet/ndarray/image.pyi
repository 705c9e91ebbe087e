from hy_ndarray.nd.image import *
from hy_ndarray.nd.image import __getattr__ as __getattr__
