"""Bilinear sampling of images on grids: spatial transformers (Jaderberg et al., 2015)."""

from math import prod
from typing import NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, flattened, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import add_rows
from hy_kernels.numpy.nn._rows import by_rows
from hy_kernels.numpy.nn._window import to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.nn._workspace import workspace


class _Corners(NamedTuple):
    """The four pixels around each of the ``P`` samples of each image."""

    indices: Array
    """``[4, N P]``, rows of ``[N H W, C]``: upper left, upper right, lower left, lower right."""
    inside: Array
    """``[4, N P]``, whether the pixels are inside the image."""
    shares: Array
    """``[2, N, 2, P]``, the weights of both neighbours of each point along x and y."""

    @property
    def weights(self) -> Array:
        """Return ``[4, N P]``, the weights of bilinear interpolation; 0 outside of the image."""
        weights = self.shares[:, None, :, 1] * self.shares[:, :, 0]
        return np.asarray(weights.reshape(4, -1) * self.inside)

    def fraction(self, axis: int) -> Array:
        """Return ``[N P]``, the fraction along x (0) or y (1)."""
        return self.shares[1, :, axis].ravel()


def _corners(grid: Array, height: int, width: int) -> _Corners:
    # Both axes at once, as most time goes by the calls if there are few points.
    sizes = np.array([[width], [height]], grid.dtype)
    pixel = (flattened(grid, 2) + 1) * ((sizes - 1) / 2)
    first = np.floor(pixel)
    steps = np.arange(2, dtype=grid.dtype)[:, None, None, None]
    ends = first + steps
    is_on = (ends >= 0) & (ends < sizes)
    inside = is_on[:, None, :, 1] & is_on[:, :, 0]
    index = np.where(inside, ends[:, None, :, 1] * width + ends[:, :, 0], 0).astype(np.intp)
    index += np.arange(len(grid))[:, None] * (height * width)
    # One minus the fraction, and the fraction.
    shares = (1 - steps) - (pixel - first)
    np.abs(shares, out=shares)
    return _Corners(index.reshape(4, -1), inside.reshape(4, -1), shares)


def _pixels(x: Array) -> Array:
    """Return images ``[N, C, H, W]`` as pixels ``[N H W, C]``, whose channels are contiguous."""
    pixels = np.ascontiguousarray(flattened(x, 2).swapaxes(1, 2))
    return flattened(pixels, 0, 2)


def _images(pixels: Array, shape: tuple[int, ...], out: OutBuffers) -> Array:
    """Return pixels ``[N H W, C]`` as images ``[N, C, H, W]``."""
    y = target(out, shape, pixels.dtype)
    flattened(y, 2)[...] = pixels.reshape(shape[0], prod(shape[2:]), shape[1]).swapaxes(1, 2)
    return y


def _sampled(x: Array, grid: Array, out: OutBuffers) -> Array:
    n, c, height, width = x.shape
    shape = (n, c, *grid.shape[2:])
    corners = _corners(grid, height, width)
    weights = corners.weights.astype(x.dtype, copy=False)[..., None]
    pixels = _pixels(x)
    y = np.empty((weights.shape[1], c), x.dtype)
    if not pixels.size:
        return zeroed(out, shape, x.dtype)

    def work(rows: slice) -> None:
        total = y[rows]
        part = workspace("sampled", total.shape, total.dtype)
        for k, (index, weight) in enumerate(zip(corners.indices, weights, strict=True)):
            # "clip", because "raise" would buffer the result; pixels outside have index 0 and
            # weight 0.
            seen = pixels.take(index[rows], 0, part if k else total, "clip")
            seen *= weight[rows]
            if k:
                total += seen

    by_rows(y, work)
    return _images(y, shape, out)


@kernel(out="apart")
def bilinear_sampler(
    data: Array, grid: Array, *, cudnn_off: bool | None, out: OutBuffers = None
) -> Array:
    """Return the images sampled bilinearly at ``grid``; they are zero outside."""
    return to_storage_dtype(
        _sampled(to_compute_dtype(data), to_compute_dtype(grid), out), data.dtype
    )


@kernel(out="apart")
def bilinear_sampler_backward(
    dy: Array, data: Array, grid: Array, *, out: OutBuffers = None
) -> tuple[Array, Array]:
    """Return the gradients of ``bilinear_sampler`` to the images and the grid."""
    x, g = to_compute_dtype(data), _pixels(to_compute_dtype(dy))
    n, _, height, width = x.shape
    corners = _corners(to_compute_dtype(grid), height, width)
    weights = corners.weights.astype(x.dtype, copy=False)
    pixels = _pixels(x)
    dx = np.zeros(pixels.shape, x.dtype)
    # Corners outside of the image are dropped; add_rows sums those that share a pixel.
    inside = np.flatnonzero(corners.inside)
    spread = g.take(inside % max(len(g), 1), axis=0)
    spread *= weights.reshape(-1)[inside, None]
    add_rows(spread, corners.indices.reshape(-1)[inside], dx)
    seen = [
        np.vecdot(g, pixels.take(index, axis=0)) * there
        for index, there in zip(corners.indices, corners.inside, strict=True)
    ]
    dgrid = target(out, (n, 2, *grid.shape[2:]), x.dtype, 1)
    right, down = corners.fraction(0), corners.fraction(1)
    # The derivative along an axis is the difference of corners along it, interpolated along the
    # other axis.
    along_x = (seen[1] - seen[0]) * (1 - down) + (seen[3] - seen[2]) * down
    along_y = (seen[2] - seen[0]) * (1 - right) + (seen[3] - seen[1]) * right
    dgrid[:, 0] = along_x.reshape(n, *grid.shape[2:]) * ((width - 1) / 2)
    dgrid[:, 1] = along_y.reshape(n, *grid.shape[2:]) * ((height - 1) / 2)
    return to_storage_dtype(_images(dx, data.shape, out), data.dtype), to_storage_dtype(
        dgrid, grid.dtype
    )
