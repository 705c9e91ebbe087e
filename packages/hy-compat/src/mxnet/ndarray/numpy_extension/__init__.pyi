from hy_ndarray.npx.operators import *
