"""Convolution over three axes, as products with the columns of planes.

The columns of a plane are its windows along all axes but the first, ``[C k', P']``. Those of ``k0``
successive planes form the matrix ``[k0 C k', P']`` of a window along the first axis. As these
matrices overlap in memory, each element is copied ``k'`` times; im2col copies it ``k0 k'`` times.
"""

from collections.abc import Iterator
from math import prod

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.convolution._filters import is_transposed_gradient, multiply


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """Compute the convolution of ``data [N, C, *size]`` into ``result [N, O, *number]``."""
    matrix = _first_axis_first(weight).reshape(1, len(weight), -1)
    for image, own, columns in _columns(data, windows):
        y = result[image, :, own].reshape(len(weight), -1, columns.shape[2])
        multiply(matrix, columns[:, None], y.swapaxes(0, 1)[:, None])


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the weight into ``result [O, C, *kernel]``."""
    filters, order = len(result), _first_axis_first(result)
    sizes = filters, result[0].size
    transposed = is_transposed_gradient(*sizes)
    total = np.zeros(sizes[::-1] if transposed else sizes, result.dtype)
    for image, own, columns in _columns(data, windows):
        g = dy[image, :, own].reshape(filters, -1, columns.shape[2])
        for plane, gradients in zip(columns, g.swapaxes(0, 1), strict=True):
            left, right = (plane, gradients) if transposed else (gradients, plane)
            total += np.matmul(left, right.T)
    order[...] = (total.T if transposed else total).reshape(order.shape)


def _first_axis_first(weight: Array) -> Array:
    """Return ``weight [O, C, k0, *k']`` as a view ``[O, k0, C, *k']``."""
    return weight.swapaxes(1, 2)


def _columns(data: Array, windows: Windows) -> Iterator[tuple[int, slice, Array]]:
    """Yield the index of an image, a slice of windows along the first axis, and their columns.

    The columns of ``M`` windows are ``[M, k0 C k', P']``, in scratch memory.
    """
    channels = data.shape[1]
    inner = Windows(*(each[1:] for each in windows))
    rows = channels * prod(inner.kernel)
    of_plane = rows * prod(inner.number)
    step = max(1, COSTS.blocks.columns // max(of_plane * windows.stride[0], 1))
    for image in range(len(data)):
        for part, elements, own in windows.strips(step):
            planes = _planes(data[image, :, elements], part)
            shape = (len(planes), channels, *inner.kernel, *inner.number)
            columns = workspace("columns", shape, data.dtype)
            np.copyto(columns, inner.view(planes))
            bytes_of = columns.strides[0]
            overlapping = (own.stop - own.start, windows.kernel[0] * rows, prod(inner.number))
            strides = (windows.stride[0] * bytes_of, bytes_of // rows, data.itemsize)
            yield image, own, strided(columns, overlapping, strides)


def _planes(image: Array, windows: Windows) -> Array:
    """Return the planes ``[D, C, *size']`` of ``image [C, *size]``, padded for all windows."""
    if windows.fits:
        return image.swapaxes(0, 1)
    first, *others = windows.padded
    planes = workspace("padded", (first, len(image), *others), image.dtype)
    planes[...] = 0
    start, *inside = windows.inside
    target: Array = planes[(start, slice(None), *inside)]
    target[...] = image.swapaxes(0, 1)
    return planes
