"""Transforms of functions of arrays: gradients, products with Jacobians, and mapping over samples."""

from hy_ndarray.transforms.reverse import (
    grad as grad,
    value_and_grad as value_and_grad,
    vjp as vjp,
)
from hy_ndarray.transforms.vmap import vmap as vmap
