"""Selection of elements by a condition or mask."""

import numpy
import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, out_buffer, own, target


@kernel(out="apart")
def np_where(condition: Tensor, x: Tensor, y: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return elements of ``x`` where the condition holds, else of ``y``."""
    if x.dtype != y.dtype:
        raise TypeError(f"x is {x.dtype} and y is {y.dtype}: cast one to the dtype of the other")
    return torch.where(condition.to(torch.bool), x, y, out=out_buffer(out))


def _mixed(
    condition: Tensor, data: Tensor, scalar: float, holds: bool, out: OutBuffers = None
) -> Tensor:
    """Return ``data`` with ``scalar`` where the condition equals ``holds``."""
    selected = condition.to(torch.bool)
    shape = numpy.broadcast_shapes(selected.shape, data.shape)
    y = target(out, shape, data.dtype, data.device).copy_(data)
    where = selected if holds else ~selected
    return y.masked_fill_(where, own(scalar, data.dtype))


@kernel(out="apart")
def np_where_lscalar(
    condition: Tensor, x: Tensor, *, scalar: float, out: OutBuffers = None
) -> Tensor:
    """Return ``scalar`` where the condition holds, else elements of ``x``."""
    return _mixed(condition, x, scalar, True, out)


@kernel(out="apart")
def np_where_rscalar(
    condition: Tensor, y: Tensor, *, scalar: float, out: OutBuffers = None
) -> Tensor:
    """Return elements of ``y`` where the condition holds, else ``scalar``."""
    return _mixed(condition, y, scalar, False, out)


@kernel(out="apart")
def np_where_scalar2(condition: Tensor, *, x: float, y: float, out: OutBuffers = None) -> Tensor:
    """Return the number ``x`` where the condition holds, else ``y``, in float32."""
    low = own(y, torch.float32)
    result = target(out, condition.shape, torch.float32, condition.device).fill_(low)
    return result.masked_fill_(condition.to(torch.bool), own(x, torch.float32))


@kernel()
def npx_nonzero(x: Tensor) -> Tensor:
    """Return the coordinates of the elements that are not 0, a row for each."""
    return torch.nonzero(torch.atleast_1d(x)).contiguous()


@kernel()
def npx_constraint_check(input: Tensor, *, msg: str) -> Tensor:
    """Return True if all elements are true, else raise an error.

    Raises:
        ValueError: An element is false; the message is ``msg``.
    """
    if not bool(input.all()):
        raise ValueError(msg)
    return torch.ones((), dtype=torch.bool, device=input.device)


def _span(data: Tensor) -> tuple[int, int]:
    # Bounds of addresses only, as numpy's may_share_memory; contiguous arrays need no more.
    last = sum((n - 1) * step for n, step in zip(data.shape, data.stride(), strict=True))
    return data.data_ptr(), data.data_ptr() + (last + 1) * data.element_size()


@kernel()
def np_share_memory(a: Tensor, b: Tensor) -> Tensor:
    """Return whether two arrays may share memory."""
    shared = a.device == b.device and bool(a.numel() and b.numel())
    if shared:
        (low, high), (start, stop) = _span(a), _span(b)
        shared = low < stop and start < high
    return torch.full((), shared, device=a.device)


@kernel(out="apart")
def np_boolean_mask_assign_tensor(
    data: Tensor, mask: Tensor, value: Tensor, *, start_axis: int, out: OutBuffers = None
) -> Tensor:
    """Return a copy of ``data`` with ``value`` where the mask is not 0."""
    y = copied(data, out)
    key: list[slice | Tensor] = [slice(None)] * start_axis
    y[(*key, mask.to(torch.bool))] = value.to(y.dtype)
    return y
