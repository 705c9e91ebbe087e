"""Sampling of images on computed grids: spatial transformers (Jaderberg et al., 2015)."""

import torch

from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype

_aten = torch.ops.aten
# MXNet's BilinearSampler: -1 and 1 are the middles of the outermost pixels.
_LINEAR, _ZEROS, _ALIGNED = 0, 0, True  # how torch interpolates, and what is outside


def _sampled(data: Tensor, grid: Tensor, out: OutBuffers) -> Tensor:
    x = to_compute_dtype(data)
    positions = grid.to(x.dtype).permute(0, 2, 3, 1)
    return to_storage_dtype(
        _aten.grid_sampler_2d(x, positions, _LINEAR, _ZEROS, _ALIGNED), data.dtype, out
    )


@kernel(out="apart")
@with_integer_fallback()
def bilinear_sampler(
    data: Tensor, grid: Tensor, *, cudnn_off: bool | None, out: OutBuffers = None
) -> Tensor:
    """Return the images interpolated bilinearly on a grid; zero outside of the image."""
    return _sampled(data, grid, out)


@kernel(out="apart")
@with_integer_fallback()
def bilinear_sampler_backward(
    dy: Tensor, data: Tensor, grid: Tensor, *, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return the gradients to the images and the grid."""
    x = to_compute_dtype(data)
    # torch wants x and y last, MXNet has them as channels.
    positions = grid.to(x.dtype).permute(0, 2, 3, 1)
    dx, dpositions = _aten.grid_sampler_2d_backward(
        to_compute_dtype(dy), x, positions, _LINEAR, _ZEROS, _ALIGNED, [True, True]
    )
    dgrid = copied(dpositions.permute(0, 3, 1, 2), out, 1, dtype=grid.dtype)
    return to_storage_dtype(dx, data.dtype, out), dgrid
