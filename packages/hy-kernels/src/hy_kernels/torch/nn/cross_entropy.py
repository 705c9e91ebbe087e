"""Log-softmax at one class of each row, or its dot product with labels: cross entropy."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import torch
from torch.nn.functional import cross_entropy

from hy_kernels.record import Function, Type, by_types
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, PLAIN_NAMES, OutBuffers, Tensor, out_buffer, stored
from hy_kernels.torch.nn._window import to_compute_dtype, to_storage_dtype

_NO_CLASS = -(1 << 62) - 1
"""Index that torch ignores: not representable as a float, so no label has it."""


def _picking(function: Callable[[Tensor], Tensor], index: Tensor, size: int, mode: str) -> Tensor:
    """Return ``function(classes)`` with the indices brought into ``0 … size - 1``.

    CPU kernels report indices that are out of range, so they are clipped only after an error.
    """
    classes = index.long().reshape(-1)
    if mode == "wrap":
        return function(classes.remainder(size))
    if classes.is_cpu:
        with suppress(IndexError, RuntimeError):
            return function(classes)
    return function(classes.clamp(0, size - 1))


def _as_matrix(data: Tensor, count: int) -> Tensor:
    """Return the scores as a matrix in the dtype to compute in."""
    rows = data if data.ndim == 2 else data.reshape(count, data.shape[-1])
    return rows if rows.dtype in PLAIN else to_compute_dtype(rows)


def _is_matrix(types: Sequence[Type | None], params: Mapping[str, Any]) -> bool:
    """Return whether scores are a non-empty float32 or float64 matrix, and indices not wrapped."""
    if types[0] is None or params["mode"] == "wrap":
        return False
    shape, dtype = types[0]
    return dtype in PLAIN_NAMES and len(shape) == 2 and 0 not in shape


def _pick_of_matrix(types: Sequence[Type | None], params: Mapping[str, Any]) -> Function | None:
    """Return ``log_softmax_pick`` specialised for matrices on CPUs, or None."""
    data = types[0]
    if data is None or not _is_matrix(types, params):
        return None
    count, negative = data[0][0], params["negative"]
    shape = (count, 1) if params["keepdims"] else (count,)

    def picked(data: Tensor, index: Tensor, out: OutBuffers = None) -> tuple[Tensor, Tensor]:
        if out is not None or not data.is_cpu:
            return log_softmax_pick(data, index, **params, out=out)
        classes = index.long().reshape(-1)
        try:
            y = cross_entropy(data, classes, ignore_index=_NO_CLASS, reduction="none")
        except (IndexError, RuntimeError):
            return log_softmax_pick(data, index, **params)
        return (y if negative else y.neg_()).view(shape), data.new_zeros((count, 2))

    return picked


def _gradient_of_matrix(types: Sequence[Type | None], params: Mapping[str, Any]) -> Function | None:
    """Return ``log_softmax_pick_backward`` specialised for matrices on CPUs, or None."""
    dy, data, *_ = types
    if dy is None or data is None or dy[1] != data[1] or not _is_matrix(types[1:], params):
        return None
    negative = params["negative"]

    def gradient(
        dy: Tensor, data: Tensor, index: Tensor, statistics: Tensor, out: OutBuffers = None
    ) -> Tensor:
        if not data.is_cpu:
            return log_softmax_pick_backward(dy, data, index, statistics, **params, out=out)
        operands = dy.reshape(-1, 1)
        other = operands.neg()
        factor, rest = (operands, other) if negative else (other, operands)
        # dx = dy (one_hot - softmax), in the memory of the softmax.
        dx = torch.softmax(data, 1, out=out_buffer(out)).mul_(factor)
        try:
            return dx.scatter_add_(1, index.long().view(-1, 1), rest)
        except (IndexError, RuntimeError):
            return log_softmax_pick_backward(dy, data, index, statistics, **params, out=out)

    return gradient


@kernel(out="apart", specialize=by_types(_pick_of_matrix))
@with_integer_fallback()
def log_softmax_pick(
    data: Tensor,
    index: Tensor,
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
    out: OutBuffers = None,
) -> tuple[Tensor, Tensor]:
    """Return the picked log-softmax, or its negative; and unused statistics, zeros."""
    rows, shape = _as_matrix(data, index.numel()), data.shape[:-1]

    def losses(classes: Tensor) -> Tensor:
        return cross_entropy(rows, classes, ignore_index=_NO_CLASS, reduction="none")

    y = _picking(losses, index, rows.shape[1], mode)
    if not negative:
        y.neg_()
    y = y.view((*shape, 1) if keepdims else shape or (1,))
    statistics = out_buffer(out, 1)
    if statistics is None:
        # A result of the operator; this table's gradient computes softmax anew and does not read
        # it.
        statistics = rows.new_zeros((*shape, 2))
    else:
        statistics.zero_()
    return to_storage_dtype(y, data.dtype, out), statistics


@kernel(out="apart", specialize=by_types(_gradient_of_matrix))
@with_integer_fallback()
def log_softmax_pick_backward(
    dy: Tensor,
    data: Tensor,
    index: Tensor,
    statistics: Tensor,  # torch computes softmax in one call without them
    *,
    keepdims: bool,
    mode: str,
    negative: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``dy (onehot(index) - softmax(data))``, or the negative of that."""
    rows, each = _as_matrix(data, index.numel()), to_compute_dtype(dy).reshape(-1, 1)
    factor, rest = (each, each.neg()) if negative else (each.neg(), each)
    memory = out_buffer(out) if rows.dtype is data.dtype else None
    target_rows = None if memory is None else memory.view(rows.shape)

    def gradient(classes: Tensor) -> Tensor:
        dx = torch.softmax(rows, 1, out=target_rows).mul_(factor)
        return dx.scatter_add_(1, classes.view(-1, 1), rest)

    dx = _picking(gradient, index, rows.shape[1], mode)
    if memory is not None:
        return memory
    return to_storage_dtype(dx.view(data.shape), data.dtype, out)


@kernel(out="apart")
@with_integer_fallback()
def log_softmax_dot(
    data: Tensor, label: Tensor, *, out: OutBuffers = None
) -> tuple[Tensor, Tensor]:
    """Return ``sum(label · log_softmax(data))``, and each row's statistics.

    These are the maximum ``m``, the sum of ``exp(data - m)``, and the sum of the label.
    """
    rows, labels = to_compute_dtype(data), to_compute_dtype(label)
    logarithms = torch.log_softmax(rows, -1)  # a third of the time of logsumexp
    statistics = rows.new_zeros((*rows.shape[:-1], 3))
    peak, total, weight = statistics.split(1, -1)
    if rows.shape[-1]:
        torch.amax(rows, -1, keepdim=True, out=peak)
        # The log softmax of the peak is -log of the sum of exponentials less the peak.
        torch.exp(logarithms.amax(-1, keepdim=True).neg_(), out=total)
        torch.sum(labels, -1, keepdim=True, out=weight)
    y = logarithms.mul_(labels).sum(-1, keepdim=True)
    return to_storage_dtype(y, data.dtype, out), stored(statistics, out, 1)


@kernel(out="apart")
@with_integer_fallback()
def log_softmax_dot_backward(
    dy: Tensor, data: Tensor, label: Tensor, statistics: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return ``dy (label - softmax(data) · sum(label))``, the gradient to the data."""
    each = to_compute_dtype(dy)
    peak, total, weight = statistics.split(1, -1)
    dx = torch.sub(to_compute_dtype(data), peak).exp_().mul_((weight * each / total).neg_())
    return to_storage_dtype(dx.addcmul_(to_compute_dtype(label), each), data.dtype, out)
