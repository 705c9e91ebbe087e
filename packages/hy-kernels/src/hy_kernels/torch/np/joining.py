"""Concatenation and stacking of tensors."""

from collections.abc import Sequence

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, out_buffer


def _one_dtype(tensors: Sequence[Tensor]) -> None:
    if any(x.dtype != tensors[0].dtype for x in tensors):
        raise TypeError(
            f"cannot join tensors of several dtypes: {sorted({str(x.dtype) for x in tensors})}; "
            "cast them to one"
        )


@kernel(out="apart")
def np_concatenate(*data: Tensor, axis: int | None, out: OutBuffers = None) -> Tensor:
    """Return the arrays concatenated along an axis, or flattened and concatenated."""
    _one_dtype(data)
    if axis is None:
        return torch.cat([x.reshape(-1) for x in data], out=out_buffer(out))
    if any(x.ndim != data[0].ndim for x in data):  # torch takes empty vectors beside anything
        raise ValueError(f"arrays must have as many axes, not {sorted({x.ndim for x in data})}")
    return torch.cat(data, axis, out=out_buffer(out))


@kernel(out="apart")
def np_stack(*data: Tensor, axis: int, out: OutBuffers = None) -> Tensor:
    """Return the arrays stacked along a new axis."""
    _one_dtype(data)
    return torch.stack(data, axis, out=out_buffer(out))
