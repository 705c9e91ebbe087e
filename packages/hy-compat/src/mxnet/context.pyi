from hy_ndarray.devices.context import *
