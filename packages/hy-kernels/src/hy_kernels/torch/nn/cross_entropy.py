"""The logarithm of softmax at one place of each row, or weighed."""

import torch

from hy_kernels.torch._floats import floats_only
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, Places, Tensor, stored
from hy_kernels.torch.nn._window import narrow, wide

__all__ = [
    "log_softmax_dot",
    "log_softmax_dot_backward",
    "log_softmax_pick",
    "log_softmax_pick_backward",
]


def _positions(index: Tensor, size: int, mode: str) -> Tensor:
    """``[R, 1]``: indices as integers within ``0 … size - 1``; else torch refuses them."""
    whole = index.long().reshape(-1, 1)
    return whole.remainder(size) if mode == "wrap" else whole.clamp(0, size - 1)


def _rows(data: Tensor, count: int) -> Tensor:
    """The scores as a matrix, in the dtype they are computed in."""
    rows = data if data.ndim == 2 else data.reshape(count, data.shape[-1])
    return rows if rows.dtype in PLAIN else wide(rows)


@kernel(out="apart")
@floats_only()
def log_softmax_pick(
    data: Tensor, index: Tensor, *, keepdims: bool, mode: str, out: Places = None
) -> tuple[Tensor, Tensor]:
    """The picked values; a peak of each row, and the sum of exponentials less that peak."""
    rows = _rows(data, index.numel())
    logarithms = torch.log_softmax(rows, 1)  # a third of the time of logsumexp
    y = logarithms.gather(1, _positions(index, rows.shape[1], mode))
    statistics = rows.new_ones((rows.shape[0], 2))
    torch.amax(rows, 1, keepdim=True, out=statistics.narrow(1, 0, 1))
    torch.exp(logarithms.amax(1, keepdim=True).neg_(), out=statistics.narrow(1, 1, 1))
    if data.ndim != 2 or not keepdims:
        shape = data.shape[:-1]
        y = y.view((*shape, 1) if keepdims else shape or (1,))
        statistics = statistics.view(*shape, 2)
    return narrow(y, data.dtype, out), stored(statistics, out, 1)


@kernel(out="apart")
@floats_only()
def log_softmax_pick_backward(
    dy: Tensor,
    data: Tensor,
    index: Tensor,
    statistics: Tensor,  # torch computes softmax in one call without them
    *,
    keepdims: bool,
    mode: str,
    out: Places = None,
) -> Tensor:
    """``dy`` where it was picked, less ``dy`` times softmax."""
    rows, each = _rows(data, index.numel()), wide(dy).reshape(-1, 1)
    dx = torch.softmax(rows, 1).mul_(each.neg())
    dx.scatter_add_(1, _positions(index, rows.shape[1], mode), each)
    if rows is data:
        return dx
    return narrow(dx.view(data.shape), data.dtype, out)


@kernel(out="apart")
@floats_only()
def log_softmax_dot(data: Tensor, label: Tensor, *, out: Places = None) -> tuple[Tensor, Tensor]:
    """The weighed sums; a peak of each row, the sum of exponentials less that, and of weights."""
    rows, labels = wide(data), wide(label)
    logarithms = torch.log_softmax(rows, -1)  # a third of the time of logsumexp
    statistics = rows.new_zeros((*rows.shape[:-1], 3))
    peak, total, weight = statistics.split(1, -1)
    if rows.shape[-1]:
        torch.amax(rows, -1, keepdim=True, out=peak)
        torch.exp(logarithms.amax(-1, keepdim=True).neg_(), out=total)
        torch.sum(labels, -1, keepdim=True, out=weight)
    y = logarithms.mul_(labels).sum(-1, keepdim=True)
    return narrow(y, data.dtype, out), stored(statistics, out, 1)


@kernel(out="apart")
@floats_only()
def log_softmax_dot_backward(
    dy: Tensor, data: Tensor, label: Tensor, statistics: Tensor, *, out: Places = None
) -> Tensor:
    """``dy`` times what the label has more than softmax times its sum."""
    each = wide(dy)
    peak, total, weight = statistics.split(1, -1)
    dx = torch.sub(wide(data), peak).exp_().mul_((weight * each / total).neg_())
    return narrow(dx.addcmul_(wide(label), each), data.dtype, out)
