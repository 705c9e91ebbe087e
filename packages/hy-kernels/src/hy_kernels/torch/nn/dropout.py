"""Dropout."""

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from hy_kernels.record import Function, by_params
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied, target
from hy_kernels.torch.random._draws import Generator, seeded


def mask_shape(shape: Sequence[int], axes: Sequence[int]) -> list[int]:
    """Return ``shape`` with size 1 along ``axes``, whose elements share a random number."""
    sizes = list(shape)
    for axis in axes:
        sizes[axis] = 1
    return sizes


def _bind_prediction(params: Mapping[str, Any], _: Function) -> Function | None:
    """Return a fast path of predictions, in which dropout is the identity."""
    return None if params["mode"] == "always" else copied


@kernel(out="apart", specialize=by_params(_bind_prediction))
def dropout(
    data: Tensor,
    *,
    p: float,
    mode: str,
    axes: tuple[int, ...],
    cudnn_off: bool | None,
    is_train: bool,
    rng: Generator,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return ``data`` times a random mask of zeros and ``1 / (1 - p)``, and the mask."""
    if out is None and not (axes or is_train or mode == "always"):  # most predictions
        return copied(data), torch.ones(data.shape, dtype=data.dtype, device=data.device)
    shape = mask_shape(data.shape, axes)
    result = target(out, data.shape, data.dtype, data.device)
    mask = target(out, shape, data.dtype, data.device, 1)
    if p == 0 or not (is_train or mode == "always"):
        return result.copy_(data), mask.fill_(1)
    keep = torch.rand(shape, **seeded(rng), device=data.device) >= p
    torch.mul(keep, 1 / (1 - p) if p < 1 else 0.0, out=mask)
    return torch.mul(data, mask, out=result), mask
