"""Normalisation by the root mean square (Zhang and Sennrich, 2019)."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, quiet, target
from hy_kernels.numpy._folds import add_up
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def rms_norm(
    data: Array, gamma: Array, *, eps: float, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return ``gamma data / rms`` with ``rms = sqrt(mean(data²) + eps)``, and ``1 / rms``."""
    x = to_compute_dtype(data)
    # The sum of squares without an array of squares.
    square = np.einsum("...i,...i->...", x, x)[..., None]
    inverse = target(out, square.shape, x.dtype, 1)
    np.divide(square, x.dtype.type(max(x.shape[-1], 1)), out=inverse)
    inverse += x.dtype.type(eps)
    np.sqrt(inverse, out=inverse)
    np.divide(1, inverse, out=inverse)
    y = np.multiply(x, inverse, out=target(out, x.shape, x.dtype))
    y *= gamma
    return to_storage_dtype(y, data.dtype), to_storage_dtype(inverse, data.dtype)


@kernel(out="apart", threads=COSTS.threads.rows)
@quiet
def rms_norm_backward(
    dy: Array, data: Array, gamma: Array, inverse: Array, *, eps: float, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return the gradients of ``rms_norm`` to data and gamma."""
    g, x, scale = to_compute_dtype(dy), to_compute_dtype(data), to_compute_dtype(inverse)
    # dx = inverse (gamma dy - normal mean(gamma dy normal)), with normal = x inverse.
    normal = x * scale
    products = g * normal
    dgamma = target(out, gamma.shape, x.dtype, 1)
    add_up(products.reshape(-1, len(gamma)), (0,), out=dgamma)
    products *= gamma
    along = add_up(products, (-1,), True)
    along /= x.dtype.type(max(x.shape[-1], 1))
    normal *= along
    y = np.multiply(g, gamma, out=target(out, x.shape, x.dtype))
    y -= normal
    y *= scale
    return to_storage_dtype(y, data.dtype), to_storage_dtype(dgamma, gamma.dtype)
