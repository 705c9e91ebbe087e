"""Rotation of vectors by angles (Su et al., 2021)."""

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, out_buffer, stored


@kernel(out="apart")
def rotary_embedding(data: Tensor, cos: Tensor, sin: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data · cos + swapped · sin``, with the halves of each vector swapped."""
    if data.dtype in PLAIN:
        return _rotated(data, cos, sin, out_buffer(out))
    wide = _rotated(*map(to_compute_dtype, (data, cos, sin)))
    return stored(to_storage_dtype(wide, data.dtype), out)


def _rotated(data: Tensor, cos: Tensor, sin: Tensor, out: Tensor | None = None) -> Tensor:
    y = torch.mul(data, cos, out=out).contiguous()
    return y.addcmul_(data.roll(data.shape[-1] // 2, -1), sin)
