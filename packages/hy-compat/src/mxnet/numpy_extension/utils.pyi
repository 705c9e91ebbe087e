from hy_ndarray.npx import *
