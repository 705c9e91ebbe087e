"""Helpers of layers with windows: dtypes to compute in, and axis order."""

from collections.abc import Sequence

import torch

from hy_kernels.torch._dtypes import accumulator, widest
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, out_buffer


def to_compute_dtype(data: Tensor) -> Tensor:
    """Return the tensor in the dtype to sum in: float32 for 16-bit floats."""
    dtype = data.dtype
    return data if dtype in PLAIN else data.to(accumulator(dtype))


def factor(data: Tensor) -> Tensor:
    """Return the tensor in a dtype whose products are fast in torch: floats.

    Integers become float64 (MPS: float32), whose products are exact up to 2 ** 53.
    """
    dtype = data.dtype
    if not dtype.is_floating_point:
        return data.to(widest(data.device))
    if dtype is torch.float16 and data.device.type == "cpu":  # slower by far than float32
        return data.to(torch.float32)
    return data


def to_storage_dtype(
    data: Tensor, dtype: torch.dtype, out: OutBuffers = None, k: int = 0
) -> Tensor:
    """Return a new tensor as result ``k``: of ``dtype``, contiguous, in its out buffer if any."""
    memory = out_buffer(out, k)
    if memory is None:
        return (data if data.dtype is dtype else data.to(dtype)).contiguous()
    return memory if data is memory else memory.copy_(data)


def to_first(data: Tensor, layout: str | None) -> Tensor:
    """Return a view with the channels before the spatial axes."""
    return data.movedim(-1, 1) if layout is not None and layout[-1] == "C" else data


def to_last(data: Tensor, layout: str | None) -> Tensor:
    """Return a view of a tensor with channels first in its original layout."""
    return data.movedim(1, -1) if layout is not None and layout[-1] == "C" else data


def size_for(sizes: Sequence[int]) -> int | Sequence[int]:
    """Return one number if all sizes are equal, which torch converts faster, else the sizes."""
    return sizes[0] if len(set(sizes)) == 1 else sizes


def flat_space(data: Tensor) -> Tensor:
    """Return the tensor with its axes from the third on merged into one."""
    n, c, *space = data.shape
    size = 1
    for each in space:
        size *= each
    return data.reshape(n, c, size)
