"""Output layers whose gradient is that of a loss, and cross entropy."""

from collections.abc import Mapping
from contextlib import suppress
from math import prod
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, by_params
from hy_kernels.torch._floats import with_integer_fallback
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._precision import to_compute_dtype, to_storage_dtype
from hy_kernels.torch._tensor import PLAIN, OutBuffers, Tensor, is_integer, out_buffer, own, target

_nn: Any = torch._C._nn
_SUM = 2  # torch's number of the reduction


@kernel(out="apart")
def regression_backward(
    output: Tensor, label: Tensor, *, grad_scale: float, sign: bool, out: OutBuffers = None
) -> Tensor:
    """Return ``output - label``, or its sign, scaled and divided by the outputs per sample."""
    # MXNet: the gradient is over outputs per sample, not over the batch.
    error = torch.sub(
        to_compute_dtype(output), to_compute_dtype(label).reshape(output.shape), out=out_buffer(out)
    )
    if sign:
        error.sign_()
    error.mul_(own(grad_scale * len(output) / max(output.numel(), 1), error.dtype))
    return to_storage_dtype(error, output.dtype)


def with_classes_on_axis_1(data: Tensor, multi_output: bool, preserve_shape: bool) -> Tensor:
    """Return data with the classes on axis 1: ``[N, C, P]``, ``[R, C]`` or ``[N, rest]``."""
    shape = data.shape
    if multi_output:
        return data.reshape(*shape[:2], prod(shape[2:]))
    if preserve_shape:
        return data.reshape(prod(shape[:-1]), shape[-1])
    return data.reshape(shape[0], prod(shape[1:]))


def _fast_output(_: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of ``softmax_output`` for float32 and float64 matrices."""

    def probabilities(data: Tensor, label: Tensor) -> Tensor:
        if data.ndim == 2 and data.dtype in PLAIN:
            return torch.softmax(data, 1)
        return general(data, label)

    return probabilities


@kernel(out="apart", specialize=by_params(_fast_output))
@with_integer_fallback()
def softmax_output(
    data: Tensor,
    label: Tensor,
    *,
    multi_output: bool,
    preserve_shape: bool,
    out: OutBuffers = None,
    **_: Any,  # of the loss, whose gradient alone they change
) -> Tensor:
    """Return the softmax over the classes of each sample."""
    if out is None and data.ndim == 2:  # most calls, without a detour
        return to_storage_dtype(torch.softmax(to_compute_dtype(data), 1), data.dtype)
    rows = with_classes_on_axis_1(to_compute_dtype(data), multi_output, preserve_shape)
    memory = out_buffer(out)
    y = torch.softmax(rows, 1, out=None if memory is None else memory.view(rows.shape))
    return to_storage_dtype(y.reshape(data.shape), data.dtype)


def _one_hot(label: Tensor, shape: torch.Size) -> Tensor:
    """Return a mask ``[N, C, ...]`` of the labels' classes; fractions of labels are truncated."""
    classes = torch.arange(shape[1], device=label.device).reshape(-1, *(1,) * (len(shape) - 2))
    # Labels are floats in MXNet; torch's comparison with integers would keep fractions.
    whole = label if is_integer(label) else torch.trunc(label)
    return whole.unsqueeze(1) == classes


@kernel(out="apart")
@with_integer_fallback()
def softmax_output_backward(
    output: Tensor,
    label: Tensor,
    *,
    grad_scale: float,
    ignore_label: float,
    multi_output: bool,
    use_ignore: bool,
    preserve_shape: bool,
    normalization: str,
    smooth_alpha: float,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient of cross entropy, ``softmax - label``, scaled; MXNet ignores ``dy``."""
    dtype = output.dtype
    if label.shape == output.shape:
        error = torch.sub(to_compute_dtype(output), to_compute_dtype(label), out=out_buffer(out))
        return to_storage_dtype(error.mul_(own(grad_scale, error.dtype)), dtype)
    rows = with_classes_on_axis_1(to_compute_dtype(output), multi_output, preserve_shape)
    index_shape = (len(rows), *rows.shape[2:])
    # Without preserve_shape MXNet reads one label per sample, whatever their number.
    classes = to_compute_dtype(label).reshape(-1)[: prod(index_shape)].reshape(index_shape)
    hit = _one_hot(classes, rows.shape)
    goal = hit.to(rows.dtype)
    if smooth_alpha and not multi_output:
        # Label smoothing (Szegedy et al. 2016): alpha is spread over the other classes.
        off = smooth_alpha / max(rows.shape[1] - 1, 1)
        goal.fill_(own(off, goal.dtype)).masked_fill_(hit, own(1 - smooth_alpha, goal.dtype))
    memory = out_buffer(out)
    error = torch.sub(rows, goal, out=None if memory is None else memory.view(rows.shape))
    if use_ignore:
        error.mul_((classes != ignore_label).unsqueeze(1))
    if normalization == "valid":
        valid = (to_compute_dtype(label) != ignore_label).sum().clamp_(min=1)
        error.mul_((grad_scale / valid).to(error.dtype))
    else:
        spread = rows.shape[2] if multi_output else 1
        count = label.numel() if normalization == "batch" else spread
        error.mul_(own(grad_scale / max(count, 1), error.dtype))
    return to_storage_dtype(error.reshape(output.shape), dtype)


def _fast_entropy(_: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of cross entropy for float32 and float64 matrices on CPUs.

    Torch checks the labels there.
    """

    def total(data: Tensor, label: Tensor) -> Tensor:
        if data.ndim == 2 and data.dtype in PLAIN and data.is_cpu and data.numel():
            try:
                # -100 is torch's ignore index and 0.0 its smoothing; the C function is called
                # without its Python wrapper.
                result: Tensor = _nn.cross_entropy_loss(data, label.long(), None, _SUM, -100, 0.0)
            except IndexError:
                return general(data, label)
            return result.view(1)
        return general(data, label)

    return total


@kernel(out="apart", specialize=by_params(_fast_entropy))
@with_integer_fallback()
def softmax_cross_entropy(data: Tensor, label: Tensor, *, out: OutBuffers = None) -> Tensor:
    """Return the sum of ``-log softmax(data)`` at the labels; invalid labels count 0."""
    x = to_compute_dtype(data)
    if out is None and x.is_cpu and x.numel():
        with suppress(IndexError):  # of torch, which refuses labels of no class
            total = functional.cross_entropy(x, label.long(), reduction="sum")
            return to_storage_dtype(total.view(1), data.dtype)
    y = target(out, (1,), x.dtype, x.device)
    logarithms = torch.log_softmax(x, 1)
    hit = _one_hot(label, x.shape)
    torch.sum(torch.where(hit, logarithms, 0).reshape(1, -1), 1, out=y)
    return to_storage_dtype(y.neg_(), data.dtype)


@kernel(out="apart")
@with_integer_fallback()
def softmax_cross_entropy_backward(
    dy: Tensor, data: Tensor, label: Tensor, *, out: OutBuffers = None
) -> Tensor:
    """Return ``dy (softmax(data) - one_hot(label))``."""
    # p - one_hot, in the memory of the softmax.
    error = torch.softmax(to_compute_dtype(data), 1, out=out_buffer(out))
    error.sub_(_one_hot(label, data.shape).to(error.dtype)).mul_(to_compute_dtype(dy))
    return to_storage_dtype(error, data.dtype)
