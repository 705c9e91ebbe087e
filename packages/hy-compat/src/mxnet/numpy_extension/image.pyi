from hy_ndarray.npx.image import *
