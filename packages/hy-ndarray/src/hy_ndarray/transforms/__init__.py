"""Function transforms, as in JAX: grad, vjp, jvp, Jacobians, Hessians, vmap, checkpoint."""

from hy_ndarray.transforms.checkpoint import checkpoint as checkpoint
from hy_ndarray.transforms.jacobians import (
    hessian as hessian,
    jacfwd as jacfwd,
    jacobian as jacobian,
    jacrev as jacrev,
)
from hy_ndarray.transforms.jvp import jvp as jvp
from hy_ndarray.transforms.reverse import grad as grad, value_and_grad as value_and_grad, vjp as vjp
from hy_ndarray.transforms.vmap import vmap as vmap
