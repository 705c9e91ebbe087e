"""Deformable convolution: window elements are sampled between pixels, at learned offsets.

Source: Dai et al., Deformable Convolutional Networks, 2017; Zhu et al., Deformable ConvNets v2,
2019.
"""

from typing import Any, NamedTuple

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.linalg._einsum import einsum
from hy_kernels.numpy.nn._window import Windows, to_compute_dtype, to_storage_dtype
from hy_kernels.numpy.runtime._product import matmul
from hy_kernels.record import Params

Size = tuple[int, ...]


class _Corners(NamedTuple):
    """The four pixels around each sample, for bilinear interpolation.

    There are ``D K P`` samples: ``D`` groups of channels with offsets of their own, ``K`` kernel
    elements and ``P`` windows. Corners are upper left, upper right, lower left, lower right.
    """

    pixels: Array
    """``[4, D, K P]``, indices into the flat image."""
    inside: Array
    """``[4, D, K P]``, whether the pixel is inside the image."""
    down: Array
    """``[D, K P]``, the fraction of the distance from the upper to the lower row."""
    right: Array

    @property
    def weights(self) -> Array:
        """Return ``[4, D, K P]``, the weights of bilinear interpolation; 0 outside of the image."""
        up, left = 1 - self.down, 1 - self.right
        shares = [up * left, up * self.right, self.down * left, self.down * self.right]
        return np.asarray(np.stack(shares) * self.inside)

    def derivatives(self) -> tuple[Array, Array]:
        """Return the derivatives of the weights with respect to the position: along y, along x."""
        up, left = 1 - self.down, 1 - self.right
        along_y = np.stack([-left, -self.right, left, self.right])
        along_x = np.stack([-up, up, -self.down, self.down])
        return along_y * self.inside, along_x * self.inside


def _corners(offset: Array, windows: Windows, groups: int, interpolates_edge: bool) -> _Corners:
    """Return the corners of the samples of one image, from its offsets ``[2 D K, *number]``.

    The image is zero outside. With ``interpolates_edge``, values fall to zero linearly within one
    pixel of the edge, else abruptly; MXNet does the former only for modulated convolution.
    """
    shift = offset.reshape(groups, -1, 2, *windows.number)
    grids = []
    for axis in (0, 1):
        step, dilate = windows.stride[axis], windows.dilate[axis]
        taps = np.arange(windows.kernel[axis]) * dilate - windows.pad[axis]
        start = np.arange(windows.number[axis]) * step
        position = np.add.outer(taps, start)
        full = position[:, None, :, None] if axis == 0 else position[None, :, None, :]
        grids.append(np.broadcast_to(full, (*windows.kernel, *windows.number)))
    y, x = (
        (grid.reshape(-1, *windows.number) + shift[:, :, axis]).reshape(groups, -1)
        for axis, grid in enumerate(grids)
    )
    # Positions that are not finite count as outside, as -2 is.
    lost = ~np.isfinite(y + x)
    y[lost] = x[lost] = -2
    return (
        _with_zeros_outside(y, x, *windows.size)
        if interpolates_edge
        else _clamped(y, x, *windows.size)
    )


def _with_zeros_outside(y: Array, x: Array, height: int, width: int) -> _Corners:
    top, left = np.floor(y), np.floor(x)
    rows, columns = np.stack([top, top, top + 1, top + 1]), np.stack([left, left + 1] * 2)
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    index = np.where(inside, rows * width + columns, 0).astype(np.intp)
    return _Corners(pixels=index, inside=inside, down=y - top, right=x - left)


def _clamped(y: Array, x: Array, height: int, width: int) -> _Corners:
    inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
    y, x = np.clip(y, 0, height - 1), np.clip(x, 0, width - 1)
    top, left = np.floor(y), np.floor(x)
    low, far = np.minimum(top + 1, height - 1), np.minimum(left + 1, width - 1)
    index = np.stack([top, top, low, low]) * width + np.stack([left, far] * 2)
    whole = np.broadcast_to(inside, index.shape)
    return _Corners(pixels=index.astype(np.intp), inside=whole, down=y - top, right=x - left)


def _sampled(image: Array, corners: _Corners, weights: Array) -> Array:
    """Return samples ``[D, C / D, K P]``: weighted sums of corners of ``image [D, C / D, H W]``."""
    total = np.zeros((*image.shape[:2], corners.pixels.shape[-1]), image.dtype)
    for index, weight in zip(corners.pixels, weights.astype(image.dtype), strict=True):
        for own, at, share, channels in zip(total, index, weight, image, strict=True):
            seen = channels.take(at, axis=1, mode="clip")
            seen *= share
            np.add(own, seen, out=own)
    return total


def _gradients_to_positions(image: Array, columns: Array, corners: _Corners) -> list[Array]:
    """Return the gradients ``[D, K P]`` to the positions of samples, along y and along x.

    ``columns`` are the gradients to the samples, whose corners are those of ``image``.
    """
    # Summed over channels first, as all channels of a group have the same weights.
    totals = np.empty(corners.pixels.shape, image.dtype)
    for index, total in zip(corners.pixels, totals, strict=True):
        for own, at, gradient, channels in zip(total, index, columns, image, strict=True):
            einsum("cp,cp->p", channels.take(at, axis=1, mode="clip"), gradient, out=own)
    return [(totals * weights).sum(axis=0) for weights in corners.derivatives()]


def _scatter_corners(columns: Array, corners: _Corners, pixels: int) -> Array:
    """Return the gradient to the image, ``[D, C / D, H W]``: columns added to their corners."""
    groups, channels, _ = columns.shape
    # Samples may share pixels; bincount accumulates them, in float64.
    first = np.arange(groups * channels).reshape(groups, channels, 1) * pixels
    total = np.zeros(groups * channels * pixels)
    for index, weight in zip(corners.pixels, corners.weights, strict=True):
        indices = (first + index[:, None]).ravel()
        total += np.bincount(indices, (columns * weight[:, None]).ravel(), total.size)
    return total.reshape(groups, channels, pixels)


def _geometry(data: Array, weight: Array, params: Params) -> tuple[Windows, int, int]:
    """Return the windows, and the numbers of groups and of deformable groups."""
    steps = (params[name] for name in ("stride", "dilate", "pad"))
    windows = Windows.of(data.shape[2:], weight.shape[2:], *steps)
    return windows, params["num_group"], params["num_deformable_group"]


def _forward(
    data: Array,
    offset: Array,
    mask: Array | None,
    weight: Array,
    bias: Array | None,
    params: Params,
    out: OutBuffers,
) -> Array:
    windows, groups, deformable = _geometry(data, weight, params)
    x, w, offsets = to_compute_dtype(data), to_compute_dtype(weight), to_compute_dtype(offset)
    y = zeroed(out, (len(x), len(w), *windows.number), x.dtype)
    matrix = w.reshape(groups, len(w) // groups, -1)
    for n in range(len(x) if x.size and y.size else 0):
        corners = _corners(offsets[n], windows, deformable, mask is not None)
        image = x[n].reshape(deformable, x.shape[1] // deformable, -1)
        columns = _sampled(image, corners, corners.weights)
        if mask is not None:
            columns *= to_compute_dtype(mask[n]).reshape(deformable, 1, -1)
        matmul(
            matrix,
            columns.reshape(groups, matrix.shape[2], -1),
            y[n].reshape(groups, len(w) // groups, -1),
        )
    if bias is not None:
        y += to_compute_dtype(bias)[:, None, None]
    return to_storage_dtype(y, data.dtype)


def _backward(
    dy: Array,
    data: Array,
    offset: Array,
    mask: Array | None,
    weight: Array,
    params: Params,
    out: OutBuffers,
) -> tuple[Array, Array, Array, Array]:
    """Return the gradients to data, offset, mask (zeros if it is None) and weight."""
    windows, groups, deformable = _geometry(data, weight, params)
    x, w, offsets, g = (
        to_compute_dtype(data),
        to_compute_dtype(weight),
        to_compute_dtype(offset),
        to_compute_dtype(dy),
    )
    taps = offsets.shape[1] // 2
    dx, doffset = zeroed(out, x.shape, x.dtype), zeroed(out, offsets.shape, offsets.dtype, 1)
    dmask = zeroed(out, (len(x), taps, *windows.number), offsets.dtype, 2)
    dw = zeroed(out, w.shape, w.dtype, 3)
    matrix, total = (v.reshape(groups, len(w) // groups, -1) for v in (w, dw))
    for n in range(len(x) if x.size and g.size else 0):
        corners = _corners(offsets[n], windows, deformable, mask is not None)
        image = x[n].reshape(deformable, x.shape[1] // deformable, -1)
        samples = columns = _sampled(image, corners, corners.weights)
        strength = None if mask is None else to_compute_dtype(mask[n]).reshape(deformable, 1, -1)
        if strength is not None:
            columns = samples * strength
        own = g[n].reshape(groups, matrix.shape[1], -1)
        total += matmul(own, columns.reshape(groups, matrix.shape[2], -1).swapaxes(1, 2))
        back = matmul(matrix.swapaxes(1, 2), own).reshape(samples.shape)
        if strength is not None:
            dmask[n] = (back * samples).sum(axis=1).reshape(dmask[n].shape)
            back = back * strength
        dx[n] = _scatter_corners(back, corners, image.shape[2]).reshape(dx[n].shape)
        down, right = _gradients_to_positions(image, back, corners)
        pairs = doffset[n].reshape(deformable, -1, 2, windows.number[0] * windows.number[1])
        pairs[:, :, 0] = down.reshape(pairs[:, :, 0].shape)
        pairs[:, :, 1] = right.reshape(pairs[:, :, 1].shape)
    return (
        to_storage_dtype(dx, data.dtype),
        to_storage_dtype(doffset, offset.dtype),
        to_storage_dtype(dmask, data.dtype),
        to_storage_dtype(dw, weight.dtype),
    )


@kernel(out="apart")
def deformable_convolution(
    data: Array,
    offset: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the deformable convolution of data and weight, plus bias."""
    return _forward(data, offset, None, weight, bias, params, out)


@kernel(out="apart")
def deformable_convolution_backward(
    dy: Array, data: Array, offset: Array, weight: Array, *, out: OutBuffers = None, **params: Any
) -> tuple[Array, Array, Array]:
    """Return the gradients of ``deformable_convolution`` to data, offset and weight."""
    memory = None if out is None else (*out[:2], None, out[2])
    dx, doffset, _, dw = _backward(dy, data, offset, None, weight, params, memory)
    return dx, doffset, dw


@kernel(out="apart")
def modulated_deformable_convolution(
    data: Array,
    offset: Array,
    mask: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> Array:
    """Return the deformable convolution of samples times ``mask`` with weight, plus bias."""
    return _forward(data, offset, mask, weight, bias, params, out)


@kernel(out="apart")
def modulated_deformable_convolution_backward(
    dy: Array,
    data: Array,
    offset: Array,
    mask: Array,
    weight: Array,
    *,
    out: OutBuffers = None,
    **params: Any,
) -> tuple[Array, Array, Array, Array]:
    """Return the gradients of the modulated convolution to data, offset, mask and weight."""
    return _backward(dy, data, offset, mask, weight, params, out)
