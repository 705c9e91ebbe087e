from hy_ndarray.nd.sparse import *
from hy_ndarray.nd.sparse import __getattr__ as __getattr__
