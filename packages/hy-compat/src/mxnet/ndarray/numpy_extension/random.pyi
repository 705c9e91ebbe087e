from hy_ndarray.npx.random import *
