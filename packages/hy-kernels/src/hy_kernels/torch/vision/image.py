"""Images as arrays ``[H, W, C]``: resizing, cropping, flipping, normalisation."""

import torch

from hy_kernels.numpy.vision._interpolation import METHODS, sizes_of
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import OutBuffers, Tensor, copied
from hy_kernels.torch.random._draws import Generator, device_of, seeded
from hy_kernels.torch.vision._interpolation import resized


def _checked(data: Tensor) -> Tensor:
    return data


def _resized(data: Tensor, height: int, width: int, interp: int) -> Tensor:
    if not 0 <= interp < len(METHODS) or min(height, width) < 1 or 0 in data.shape[-3:-1]:
        raise ValueError(
            f"cannot resize {tuple(data.shape)} to {height} x {width} with interp {interp}: needs "
            f"pixels, and interp from 0 to {len(METHODS) - 1}"
        )
    images = data if data.ndim == 4 else data[None]
    y = resized(images, height, width, interp)
    return y if data.ndim == 4 else y[0]


@kernel()
def image_resize(data: Tensor, *, size: tuple[int, ...], keep_ratio: bool, interp: int) -> Tensor:
    """Return the images resized."""
    return _resized(data, *sizes_of(_checked(data).shape, size, keep_ratio), interp)


@kernel()
def imresize(src: Tensor, *, w: int, h: int, interp: int) -> Tensor:
    """Return the image resized to ``h`` rows and ``w`` columns."""
    return _resized(_checked(src), h, w, interp)


def _randomly_flipped(data: Tensor, axis: int, rng: Generator, out: OutBuffers) -> Tensor:
    """Return images flipped along an axis with probability 1/2, drawn on the device."""
    # Drawn on the device, and both results computed: reading the draw would wait.
    is_flipped = torch.rand((), **seeded(rng), device=device_of(rng)) < 0.5
    return copied(torch.where(is_flipped, _checked(data).flip(axis), data), out)


@kernel(out="apart")
def image_random_flip_left_right(data: Tensor, *, rng: Generator, out: OutBuffers = None) -> Tensor:
    """Return the images with their columns reversed with probability 1/2."""
    return _randomly_flipped(data, -2, rng, out)


@kernel(out="apart")
def image_random_flip_top_bottom(data: Tensor, *, rng: Generator, out: OutBuffers = None) -> Tensor:
    """Return the images with their rows reversed with probability 1/2."""
    return _randomly_flipped(data, -3, rng, out)
