"""Other optimizer kernels: learning rates by layer (LARS), and zeroed arrays."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import Tensor


@kernel()
def multi_lars(
    lrs: Tensor,
    weights_sum_sq: Tensor,
    grads_sum_sq: Tensor,
    wds: Tensor,
    *,
    eta: float,
    eps: float,
    rescale_grad: float,
) -> Tensor:
    """Return the learning rate of each layer by LARS (You et al., 2017)."""
    weight = torch.sqrt(weights_sum_sq)
    grad = torch.sqrt(grads_sum_sq) * rescale_grad
    # LARS (You, Gitman and Ginsburg 2017).
    trust = eta * weight / (grad + wds * weight + eps)
    # No trust without norms: a weight or gradient of zeros steps by the plain rate.
    return (lrs * torch.where((weight > 0) & (grad > 0), trust, 1)).to(lrs.dtype)


@kernel()
def reset_arrays(*data: Tensor, num_arrays: int) -> Tensor | tuple[Tensor, ...]:
    """Return zeros in the shape of each array."""
    if len(data) != num_arrays:
        raise ValueError(f"num_arrays is {num_arrays}, but there are {len(data)} arrays")
    zeros = tuple([torch.zeros(x.shape, dtype=x.dtype, device=x.device) for x in data])
    return zeros[0] if num_arrays == 1 else zeros
