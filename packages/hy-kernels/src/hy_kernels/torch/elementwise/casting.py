"""Conversion between dtypes."""

from hy_kernels.torch._dtypes import torch_type
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, is_integer


@kernel(out="apart")
def cast(data: Tensor, *, dtype: str, out: OutBuffers = None) -> Tensor:
    """Return ``data`` in another dtype; floats are truncated to integers."""
    return copied(data, out, dtype=torch_type(dtype))


@kernel(out="apart")
def cast_like(data: Tensor, like: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return ``data`` in the dtype of ``like``."""
    return copied(data, out, dtype=like.dtype)


@kernel(out="apart")
def amp_cast(data: Tensor, *, dtype: str, out: OutBuffers = None) -> Tensor:
    """Return ``data`` in another dtype if it is floating, else as it is."""
    return copied(data, out, dtype=None if is_integer(data) else torch_type(dtype))
