"""Identity matrices and ranges."""
# ruff: noqa: N803  # numpy's windows have M points

import math

import torch

from hy_kernels.ranges import counted_in
from hy_kernels.torch._dtypes import torch_type, widest
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target


@kernel(out="apart")
def np_eye(
    *, N: int, M: int | None, k: int, dtype: str, device: torch.device, out: OutBuffers = None
) -> Tensor:
    """Return a matrix with ones on a diagonal."""
    y = target(out, (N, N if M is None else M), torch_type(dtype), device).zero_()
    if -y.shape[0] < k < y.shape[1]:
        y.diagonal(k).fill_(1)
    return y


@kernel(out="apart")
def np_arange(
    *,
    start: float,
    stop: float | None,
    step: float,
    repeat: int,
    infer_range: bool,
    dtype: str,
    device: torch.device,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``start``, ``start + step``, … below ``stop``, each ``repeat`` times."""
    first, last = (0.0, start) if stop is None else (start, stop)
    count = max(math.ceil((last - first) / step), 0)
    first, by = counted_in(dtype, first, step)
    # Multiplied, not added up: a sum of steps adds up their rounding.
    numbers = torch.arange(count, dtype=widest(device), device=device).mul_(by).add_(first)
    return copied(numbers.repeat_interleave(repeat), out, dtype=torch_type(dtype))
