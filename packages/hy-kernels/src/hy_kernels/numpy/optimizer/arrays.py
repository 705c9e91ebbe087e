"""Other optimizer kernels: layer-wise learning rates (LARS), and zeroed arrays."""

import numpy as np

from hy_kernels.numpy._array import Array, quiet
from hy_kernels.numpy._kernels import kernel


@kernel()
@quiet
def multi_lars(
    lrs: Array,
    weights_sum_sq: Array,
    grads_sum_sq: Array,
    wds: Array,
    *,
    eta: float,
    eps: float,
    rescale_grad: float,
) -> Array:
    """Return the learning rate of each layer by LARS (You et al., 2017)."""
    weight = np.sqrt(weights_sum_sq)
    grad = np.sqrt(grads_sum_sq) * rescale_grad
    trust = eta * weight / (grad + wds * weight + eps)
    return np.asarray(lrs * np.where((weight > 0) & (grad > 0), trust, 1), lrs.dtype)


@kernel()
def reset_arrays(*data: Array, num_arrays: int) -> Array | tuple[Array, ...]:
    """Return zeros in the shape of each array."""
    if len(data) != num_arrays:
        raise ValueError(f"num_arrays is {num_arrays}, but there are {len(data)} arrays")
    zeros = tuple(np.zeros(x.shape, x.dtype) for x in data)
    return zeros[0] if num_arrays == 1 else zeros
