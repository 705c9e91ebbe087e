"""The logarithm of softmax at one place of each row, some rows at a time."""

import numpy as np

from hy_kernels.numpy._array import Array, Places, place, quiet, shaped, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import positions
from hy_kernels.numpy.nn._rows import SHARED, by_rows, exponentials
from hy_kernels.numpy.nn._window import narrow, wide
from hy_kernels.numpy.nn._workspace import workspace
from hy_kernels.numpy.nn.softmax import LARGEST_SUM

__all__ = ["log_softmax_pick", "log_softmax_pick_backward"]


@kernel(out="apart", threads=SHARED)
@quiet
def log_softmax_pick(
    data: Array, index: Array, *, keepdims: bool, mode: str, out: Places = None
) -> tuple[Array, Array]:
    """The picked values; a peak of each row, and the sum of exponentials less that peak."""
    classes = data.shape[-1]
    rows = np.ascontiguousarray(wide(data)).reshape(index.size, classes)
    peak, total = np.empty((2, len(rows), 1), rows.dtype)

    def work(block: slice) -> None:
        part = rows[block]
        scratch = workspace("exponentials", part.shape, part.dtype)
        found, total[block, 0] = exponentials(part, scratch, LARGEST_SUM)
        peak[block] = 0 if found is None else found

    by_rows(rows, work)
    picked = rows[np.arange(len(rows)), positions(index, classes, mode).reshape(-1)]
    picked -= peak[:, 0]
    y = np.subtract(picked, np.log(total[:, 0]), out=place(shaped(out, picked.shape)))
    shape = data.shape[:-1]
    memory = place(shaped(out, (len(rows), 2), 1))
    statistics = np.concatenate([peak, total], axis=1, out=memory).reshape(*shape, 2)
    return narrow(y.reshape((*shape, 1) if keepdims else shape or 1), data.dtype), statistics


@kernel(out="apart", threads=SHARED)
@quiet
def log_softmax_pick_backward(
    dy: Array,
    data: Array,
    index: Array,
    statistics: Array,
    *,
    keepdims: bool,
    mode: str,
    out: Places = None,
) -> Array:
    """``dy`` where it was picked, less ``dy`` times softmax."""
    classes = data.shape[-1]
    rows = np.ascontiguousarray(wide(data)).reshape(index.size, classes)
    result = target(out, data.shape, rows.dtype)
    dx = result.reshape(rows.shape)
    peak, total = statistics.reshape(-1, 2, 1).transpose(1, 0, 2)
    each = wide(dy).reshape(-1, 1)
    factor = -each / total

    def work(block: slice) -> None:
        own, part = dx[block], rows[block]
        if peak[block].any():
            part = np.subtract(part, peak[block], out=own)
        np.exp(part, out=own)
        own *= factor[block]

    by_rows(rows, work)
    picked = positions(index, classes, mode).reshape(-1)
    dx[np.arange(len(dx)), picked] += each[:, 0]
    return narrow(result, data.dtype)
