"""Gradient of a strided convolution to the data, by phases.

With a stride of ``s``, the data's positions with the same remainder modulo ``s``, a phase, are read
by the same kernel elements, every ``s``-th. So the gradient to each phase is a convolution of
``dy`` with a part of the kernel, with stride 1. One convolution with ``s`` times as many filters
per axis computes all phases, without scattered sums.
"""

from itertools import product
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution._convolve import forward


def phase_windows(windows: Windows) -> Windows | None:
    """Return the windows of the convolution of ``dy`` that computes all phases, or None."""
    if any(step != 1 for step in windows.dilate):
        return None
    kernel = tuple(-(-k // s) for k, s in zip(windows.kernel, windows.stride, strict=True))
    first = [p // s for p, s in zip(windows.pad, windows.stride, strict=True)]
    ends = zip(windows.size, windows.stride, windows.pad, windows.number, first, strict=True)
    # Elements that no window reads, such as some at the end, still need a gradient: 0.
    number = tuple(max((p + n - 1) // s - f + 1, had) for n, s, p, had, f in ends)
    pad = tuple(k - 1 - f for k, f in zip(kernel, first, strict=True))
    if min(pad) < 0:
        return None
    ones = (1,) * len(kernel)
    return Windows(
        size=windows.number, kernel=kernel, stride=ones, dilate=ones, pad=pad, number=number
    )


def _phase_kernels(weight: Array, windows: Windows, back: Windows, groups: int) -> Array:
    """Return ``weight [O, C, *kernel]`` split by phase, flipped: ``[G C s, O / G, *kernel]``."""
    filters, channels = weight.shape[:2]
    rank = len(back.kernel)
    whole = [k * s for k, s in zip(back.kernel, windows.stride, strict=True)]
    # Padded with zeros, so that all phases of the kernel have the same size.
    padded = np.zeros((filters, channels, *whole), weight.dtype)
    inside: tuple[Any, ...] = (..., *map(slice, windows.kernel))
    padded[inside] = weight
    pairs = [n for pair in zip(back.kernel, windows.stride, strict=True) for n in pair]
    split = padded.reshape(groups, filters // groups, channels, *pairs)
    taps, phases = range(3, 3 + 2 * rank, 2), range(4, 4 + 2 * rank, 2)
    parts = np.flip(split, tuple(taps)).transpose(0, 2, *phases, 1, *taps)
    return parts.reshape(-1, filters // groups, *back.kernel)


def backward_data(
    dy: Array, weight: Array, result: Array, windows: Windows, back: Windows, groups: int
) -> None:
    """Compute the gradient to the data into ``result [N, C, *size]``."""
    stride = windows.stride
    gradients = forward(dy, _phase_kernels(weight, windows, back, groups), back, groups)
    n, channels = result.shape[:2]
    phases = gradients.reshape(n, channels, prod(stride), *back.number)
    for k, phase in enumerate(product(*map(range, stride))):
        target: list[Any] = [...]
        source: list[Any] = [slice(None), slice(None), k]
        for r, s, p, size in zip(phase, stride, windows.pad, windows.size, strict=True):
            first = (r - p) % s
            start = (first + p) // s - p // s
            target.append(slice(first, None, s))
            source.append(slice(start, start + max(-(-(size - first) // s), 0)))
        result[tuple(target)] = phases[tuple(source)]
