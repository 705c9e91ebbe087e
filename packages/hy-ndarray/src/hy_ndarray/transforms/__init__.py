"""Transforms of functions of arrays: gradients, products with Jacobians, and mapping over samples."""

from hy_ndarray.transforms.vmap import vmap as vmap
