"""Pooling of regions of interest by samples between pixels (RoIAlign), and its gradient.

Samples are summed in float32; float16 and bfloat16 are rounded once. The gradient adds to pixels
atomically, in float32: the order, and with it the last bit, may differ from run to run. A region of
an image that does not exist is zeros, because to report it the host would have to wait.
"""

from typing import Any

import torch

from hy_kernels.torch._dtypes import accumulator
from hy_kernels.torch._tensor import OutBuffers, Tensor, stored, target, target_like
from hy_kernels.triton._overlay import overlay
from hy_kernels.triton.device import region as device
from hy_kernels.triton.runtime._launch import launch, runs_on

Size = tuple[int, ...]
_BLOCK = 256  # elements of a program


def _launched(
    x: Tensor, rois: Tensor, y: Tensor, scale: float, samples: int, own_channels: bool,
    aligned: bool, *, back: bool,
) -> None:  # fmt: skip
    images, channels, height, width = x.shape
    regions, outputs, rows, columns = y.shape
    launch(
        device.aligned_regions,
        (regions, -(-outputs * rows * columns // _BLOCK)),
        *(x, rois.contiguous(), y, images, channels, height, width, outputs, rows, columns),
        SCALE=scale,
        SAMPLES=max(samples, 0),
        ALIGNED=aligned,
        OWN_CHANNELS=own_channels,
        BACK=back,
        BLOCK=_BLOCK,
    )


def _supports(
    data: Tensor,
    rois: Tensor,
    *more: Tensor,
    pooled_size: Size,
    position_sensitive: bool,
    **_: Any,
) -> bool:
    image = more[0] if more else data
    floats = all(x.dtype is data.dtype for x in (rois, *more)) and data.dtype.is_floating_point
    shapes = image.ndim == 4 and rois.ndim == 2 and rois.shape[1] == 5 and len(pooled_size) == 2
    if not floats or not shapes or not image.numel():
        return False
    parts = pooled_size[0] * pooled_size[1]
    fits = not position_sensitive or image.shape[1] % parts == 0
    return fits and runs_on(data, rois, *more)


@overlay(supports=_supports)
def roi_align(
    data: Tensor,
    rois: Tensor,
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the mean of samples in each part of each region."""
    parts = pooled_size[0] * pooled_size[1] if position_sensitive else 1
    shape = (len(rois), data.shape[1] // parts, *pooled_size)
    y = target(out, shape, data.dtype, data.device)
    sampling = spatial_scale, sample_ratio, position_sensitive, aligned
    _launched(data.contiguous(), rois, y, *sampling, back=False)
    return y


@overlay(supports=_supports)
def roi_align_backward(
    dy: Tensor,
    rois: Tensor,
    data: Tensor,  # only its type matters
    *,
    pooled_size: Size,
    spatial_scale: float,
    sample_ratio: int,
    position_sensitive: bool,
    aligned: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the images: ``dy`` of each part, added to the pixels it sampled."""
    # Atomic additions in 16 bits would round at each sample: sums are float32, rounded once.
    wide = accumulator(data.dtype)
    memory = target_like(data, data.shape, out)
    total = memory if wide is data.dtype else torch.empty_like(memory, dtype=wide)
    sampling = spatial_scale, sample_ratio, position_sensitive, aligned
    _launched(total.zero_(), rois, dy.contiguous(), *sampling, back=True)
    return memory if total is memory else stored(total.to(data.dtype), out)
