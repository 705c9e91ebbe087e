# Written by `hatch run stubs` from the operator catalogue.
from hy_ndarray.nd._operators import *
