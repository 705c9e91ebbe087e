"""Depthwise convolution of channels-last images, by ``einsum`` over the kernel.

``einsum`` multiplies and adds in one pass, and is fast on long runs of memory. With a stride of 1,
each kernel element reads a row of windows as one run. With a larger stride, the image columns are
first split into phases (by their remainder), in each of which the stride is 1; with many channels,
the channels themselves are long enough runs.
"""

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn._window import Windows, strided
from hy_kernels.numpy.nn.convolution.select import are_phases


def in_row(values: Array, windows: Windows, name: str, work: Work) -> Array:
    """Return ``values [..., C]`` repeated ``W`` times, for each window in a row: ``[..., W C]``."""
    # With broadcasting instead, NumPy's inner loops would be only as long as the channels.
    *front, channels = values.shape
    repeated = work.workspace(name, (*front, windows.number[1], channels), values.dtype)
    work.do(np.copyto, repeated, values[..., None, :])
    return repeated.reshape(*front, -1)


def convolve(images: Array, weight: Array, windows: Windows, result: Array, work: Work) -> None:
    """Convolve ``images [N, H, W, C]`` with ``weight [*kernel, C]`` to ``result [N, h, w, C]``."""
    move, skip = windows.stride[1], windows.dilate[1]
    if are_phases(weight.shape[-1], windows):
        _by_phases(images, weight, windows, result, work)
        return
    padded = windows.with_padding(images, windows.padded, work)
    batch, down, right, one = padded.strides
    step, dilate = windows.stride[0], windows.dilate[0]
    shape = (len(padded), *windows.number, *windows.kernel, weight.shape[-1])
    strides = (batch, step * down, move * right, dilate * down, skip * right, one)
    seen = strided(padded, shape, strides)
    work.do(np.einsum, "nhwijc,ijc->nhwc", seen, weight, out=result)


def _by_phases(images: Array, weight: Array, windows: Windows, result: Array, work: Work) -> None:
    """Compute the convolution as a sum over phases of convolutions with stride 1 along rows."""
    n, height, width, channels = result.shape
    high, run = windows.kernel[0], width * channels
    step, move = windows.stride
    dilate, skip = windows.dilate
    rows = result.reshape(n, height, run)
    phases = _phases(images, windows, work)
    for phase in range(min(move, windows.kernel[1])):
        # Only every move-th element of a kernel row reads image columns with this remainder.
        taps = weight[:, phase::move]
        own = phases[:, :, phase]
        batch, down, right, one = own.strides
        shape = (n, height, high, taps.shape[1], run)
        seen = strided(own, shape, (batch, step * down, dilate * down, skip * right, one))
        factors = in_row(taps, windows, "taps", work)
        sums = work.workspace("phase", rows.shape, rows.dtype) if phase else rows
        work.do(np.einsum, "nhijx,ijx->nhx", seen, factors, out=sums)
        if phase:
            work.do(np.add, rows, sums, rows)


def _phases(images: Array, windows: Windows, work: Work) -> Array:
    """Return padded images with columns grouped by phase, ``[N, H, phases, W / phases, C]``."""
    move, (top, left), (height, width) = windows.stride[1], windows.pad, windows.size
    if move == 1:
        return windows.with_padding(images, windows.padded, work)[:, :, None]
    sizes = windows.padded[0], move, windows.number[1] + (windows.kernel[1] - 1) // move
    phases = work.workspace("images", (len(images), *sizes, images.shape[-1]), images.dtype)
    middle = phases[:, top : top + height]
    edges = [phases[:, :top], phases[:, top + height :]]
    for phase in range(move):
        first = max(0, -((phase - left) // move))
        stop = max(first, min(sizes[2], (width - 1 - phase + left) // move + 1))
        own, start = middle[:, :, phase], first * move + phase - left
        edges += [own[:, :, :first], own[:, :, stop:]]
        if stop > first:
            seen = images[:, :, start : start + (stop - first - 1) * move + 1 : move]
            work.do(np.copyto, own[:, :, first:stop], seen)
    for edge in edges:
        if edge.size:
            work.do(edge.fill, 0)
    return phases
