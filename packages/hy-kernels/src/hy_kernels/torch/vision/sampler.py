"""Sampling of images on computed grids: spatial transformers (Jaderberg et al., 2015)."""

import torch

from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied
from hy_kernels.torch.nn._window import flat_space, to_compute_dtype, to_storage_dtype

_aten = torch.ops.aten
# MXNet's BilinearSampler: -1 and 1 are the middles of the outermost pixels.
_LINEAR, _ZEROS, _ALIGNED = 0, 0, True  # how torch interpolates, and what is outside


def _line(size: int, like: Tensor) -> Tensor:
    """Return ``size`` equally spaced coordinates from -1 to 1."""
    steps = torch.arange(size, dtype=like.dtype, device=like.device)
    # One pixel has no distance: it is at -1.
    return steps.mul_(2 / max(size - 1, 1)).sub_(1)


def _homogeneous_grid(height: int, width: int, like: Tensor) -> Tensor:
    """Return ``[3, H W]``, the homogeneous coordinates (x, y, 1) of every pixel."""
    result = like.new_ones((3, height, width))
    result[0] = _line(width, like)
    result[1] = _line(height, like)[:, None]
    return result.view(3, height * width)


def _affine(data: Tensor, height: int, width: int) -> Tensor:
    x = to_compute_dtype(data).reshape(len(data), 2, 3)
    return (x @ _homogeneous_grid(height, width, x)).view(len(x), 2, height, width)


def _over_halves(x: Tensor) -> Tensor:
    """Return a flow in normalized coordinates: divided by half the size less one, along x and y."""
    height, width = x.shape[2:]
    across, down = x.chunk(2, 1)
    return torch.cat([across / (max(width - 1, 1) / 2), down / (max(height - 1, 1) / 2)], 1)


@kernel(out="apart")
@with_integer_fallback()
def grid_generator(
    data: Tensor, *, transform_type: str, target_shape: tuple[int, ...], out: OutBuffers = None
) -> Tensor:
    """Return a sampling grid: an affine map of the regular grid, or that grid plus a flow."""
    if transform_type == "affine":
        return to_storage_dtype(_affine(data, *target_shape), data.dtype, out)
    grid = _over_halves(to_compute_dtype(data))
    height, width = grid.shape[2:]
    grid[:, 0] += _line(width, grid)
    grid[:, 1] += _line(height, grid)[:, None]
    return to_storage_dtype(grid, data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def grid_generator_backward(
    dy: Tensor, data: Tensor, *, transform_type: str, out: OutBuffers = None
) -> Tensor:
    """Return the gradient of ``grid_generator``, which is linear up to a constant."""
    g = to_compute_dtype(dy)
    if transform_type == "warp":
        return to_storage_dtype(_over_halves(g), data.dtype, out)
    height, width = g.shape[2:]
    dx = flat_space(g) @ _homogeneous_grid(height, width, g).t()
    return to_storage_dtype(dx.view(data.shape), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def grid_linear(
    data: Tensor, like: Tensor, *, transform_type: str, out: OutBuffers = None
) -> Tensor:
    """Return ``grid_generator`` without its constant part."""
    if transform_type == "affine":
        return to_storage_dtype(_affine(data, *like.shape[2:]), data.dtype, out)
    return to_storage_dtype(_over_halves(to_compute_dtype(data)), data.dtype, out)


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
