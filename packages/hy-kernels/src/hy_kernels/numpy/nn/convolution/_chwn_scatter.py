"""Gradient to the data with the batch innermost, by col2im or a transposed convolution."""

from collections.abc import Iterator
from functools import partial

from hy_kernels.numpy._array import Array, OutBuffers, copied, target
from hy_kernels.numpy.nn._replay import Work
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution._chwn_columns import rows_at_once
from hy_kernels.numpy.nn.convolution._chwn_shares import multiply, shares
from hy_kernels.numpy.nn.convolution._chwn_tasks import (
    Gradient,
    convolution_tasks,
    transposed_windows,
)
from hy_kernels.numpy.runtime._pool import split


def data_gradient(
    dy: Array,
    weight: Array,
    shape: tuple[int, ...],
    windows: Windows,
    out: OutBuffers,
    *,
    concurrent: int = 1,
) -> Gradient:
    """Return the tasks that compute the gradient to images ``[C, H, W, N]`` of ``shape``."""
    back = transposed_windows(windows, shape[-1], shape[0], len(weight))
    if back is None:
        return _scattered(dy, weight, shape[0], windows, out, concurrent=concurrent)
    result = target(out, shape, dy.dtype)
    tasks = convolution_tasks(
        dy, weight, None, back, result, transposed=True, concurrent=concurrent
    )
    return Gradient(tasks, lambda: result)


def _scattered(
    dy: Array,
    weight: Array,
    channels: int,
    windows: Windows,
    out: OutBuffers,
    *,
    concurrent: int,
) -> Gradient:
    """Return the tasks that compute the gradient to ``channels`` channels by col2im."""
    n = dy.shape[-1]
    # With padding, the sums include a border that is cropped: they cannot be computed in ``out``.
    memory = out if windows.fits else None
    padded = target(memory, (channels, *windows.padded, n), dy.dtype)

    def fill(some: slice, work: Work) -> None:
        matrix = weight[:, some].reshape(len(weight), -1).T
        own = padded[some]
        own[...] = 0
        step = rows_at_once(len(matrix) * n, windows.number[1])
        for strip in (slice(k, k + step) for k in range(0, windows.number[0], step)):
            gradients = dy[:, strip].reshape(len(dy), -1)
            columns = work.workspace("columns", (len(matrix), gradients.shape[1]), dy.dtype)
            multiply(matrix, gradients, columns, work)
            taps = columns.reshape(len(own), *windows.kernel, -1, windows.number[1], n)
            part = windows._replace(number=(taps.shape[3], windows.number[1]))
            top = strip.start * windows.stride[0]
            for tap, (down, right) in _window_elements(part, top):
                own[:, down, right] += taps[(slice(None), *tap)]

    def finish() -> Array:
        if windows.fits:
            return padded
        return copied(padded[(slice(None), *windows.inside)], out)

    # Split by channels: windows overlap along both spatial axes, but channels do not.
    parts = split(channels, len(shares(windows, n, weight, 1, concurrent)))
    return Gradient([partial(fill, some) for some in parts], finish)


def _window_elements(
    windows: Windows, top: int
) -> Iterator[tuple[tuple[int, int], tuple[slice, slice]]]:
    """Yield the index of each kernel element, and the slices of the elements it reads.

    The slices, of rows and columns, are over all windows; ``top`` is the first image row.
    """
    (kh, kw), (step, move) = windows.kernel, windows.stride
    (dilate, skip), (height, width) = windows.dilate, windows.number
    for i in range(kh):
        first = top + i * dilate
        down = slice(first, first + (height - 1) * step + 1, step)
        for j in range(kw):
            right = slice(j * skip, j * skip + (width - 1) * move + 1, move)
            yield (i, j), (down, right)
