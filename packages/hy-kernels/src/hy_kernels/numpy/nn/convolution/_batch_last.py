"""Convolution of ``[N, C, H, W]`` as ``[C, H, W, N]``, and its gradients.

With the batch moved last, windows are copied in runs as long as the batch; for few channels and
large kernels that saves more than moving images and results costs. See :mod:`._chwn_tasks`.
"""

from collections.abc import Sequence

from hy_kernels.numpy._array import Array, aligned, copied
from hy_kernels.numpy._copying import assign
from hy_kernels.numpy.nn._replay import NOW, Task
from hy_kernels.numpy.nn._window import Windows
from hy_kernels.numpy.nn.convolution._chwn_scatter import data_gradient
from hy_kernels.numpy.nn.convolution._chwn_tasks import convolution_tasks, weight_gradient


def forward(data: Array, weight: Array, windows: Windows, result: Array) -> None:
    """Compute the convolution into ``result [N, O, h, w]``."""
    y = aligned((len(weight), *windows.number, len(data)), data.dtype)
    _run(convolution_tasks(_batch_last(data), weight, None, windows, y))
    assign(result, _batch_first(y))


def backward_data(dy: Array, weight: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the data into ``result [N, C, H, W]``."""
    shape = (*result.shape[1:], len(result))
    gradient = data_gradient(_batch_last(dy), weight, shape, windows, None)
    _run(gradient.tasks)
    assign(result, _batch_first(gradient.finish()))


def backward_weight(dy: Array, data: Array, result: Array, windows: Windows) -> None:
    """Compute the gradient to the weight into ``result [O, C, kh, kw]``."""
    gradient = weight_gradient(_batch_last(dy), _batch_last(data), result, windows)
    _run(gradient.tasks)
    gradient.finish()


def _batch_last(images: Array) -> Array:
    return copied(images.transpose(1, 2, 3, 0))


def _batch_first(images: Array) -> Array:
    return images.transpose(3, 0, 1, 2)


def _run(tasks: Sequence[Task]) -> None:
    for task in tasks:  # in the thread that called; others compute other images
        task(NOW)
