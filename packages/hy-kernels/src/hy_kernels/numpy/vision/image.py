"""Resizing, cropping, flipping and normalisation of images ``[H, W, C]``."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, accumulator, copied, out_buffer, quiet
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.random._draws import Generator
from hy_kernels.numpy.vision._interpolation import METHODS, resized, sizes_of


@kernel(out="apart")
def image_normalize(
    data: Array, *, mean: tuple[float, ...], std: tuple[float, ...], out: OutBuffers = None
) -> Array:
    """Return ``(data - mean) / std`` by channel, for images ``[C, H, W]`` or batches of them."""
    dtype = np.float32 if data.dtype.kind in "iu" else accumulator(data.dtype)
    channels = data.shape[-3]
    center, scale = (
        np.array(v if len(v) == channels else v[:1], dtype)[:, None, None] for v in (mean, std)
    )
    y: Array = np.subtract(data, center, out=out_buffer(out))
    y /= scale
    return y.astype(data.dtype, copy=False)


def _resized(data: Array, height: int, width: int, interp: int) -> Array:
    if not 0 <= interp < len(METHODS) or min(height, width) < 1 or 0 in data.shape[-3:-1]:
        raise ValueError(
            f"cannot resize {data.shape} to {height} x {width} with interp {interp}: needs pixels, "
            f"and interp from 0 to {len(METHODS) - 1}"
        )
    y = resized(data.reshape(-1, *data.shape[-3:]), height, width, interp)
    return y.reshape(*data.shape[:-3], height, width, data.shape[-1])


@kernel()
@quiet
def image_resize(data: Array, *, size: tuple[int, ...], keep_ratio: bool, interp: int) -> Array:
    """Return the images resized to ``size``, with OpenCV's interpolation method ``interp``."""
    return _resized(data, *sizes_of(data.shape, size, keep_ratio), interp)


@kernel()
@quiet
def imresize(src: Array, *, w: int, h: int, interp: int) -> Array:
    """Return the image resized to height ``h`` and width ``w``."""
    return _resized(src, h, w, interp)


@kernel(out="apart")
def image_flip_left_right(data: Array, *, out: OutBuffers = None) -> Array:
    """Return the images flipped horizontally."""
    return copied(data[..., ::-1, :], out)


@kernel(out="apart")
def image_flip_top_bottom(data: Array, *, out: OutBuffers = None) -> Array:
    """Return the images flipped vertically."""
    return copied(data[..., ::-1, :, :], out)


@kernel(out="apart")
def image_random_flip_left_right(data: Array, *, rng: Generator, out: OutBuffers = None) -> Array:
    """Return the images, flipped horizontally with probability 1/2."""
    return image_flip_left_right(data, out=out) if rng.random() < 0.5 else copied(data, out)


@kernel(out="apart")
def image_random_flip_top_bottom(data: Array, *, rng: Generator, out: OutBuffers = None) -> Array:
    """Return the images, flipped vertically with probability 1/2."""
    return image_flip_top_bottom(data, out=out) if rng.random() < 0.5 else copied(data, out)
