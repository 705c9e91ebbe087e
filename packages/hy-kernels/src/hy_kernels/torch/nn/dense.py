"""The fully connected layer."""

from math import prod

import torch

from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._onednn import linear, product, worth
from hy_kernels.torch._tensor import Places, Tensor, place
from hy_kernels.torch.nn._window import factor, narrow
from hy_kernels.torch.nn.activation import activation

__all__ = [
    "fully_connected",
    "fully_connected_activation",
    "fully_connected_backward_data",
    "fully_connected_backward_weight",
    "project",
]

_JOINED = ("relu", "sigmoid", "tanh")
"""Activations that are part of oneDNN's products."""


def _rows(data: Tensor, *, flatten: bool) -> Tensor:
    """The tensor as a matrix: one row per sample, or per vector of the last axis."""
    if data.ndim == 2:
        return data
    if flatten:
        return data.reshape(len(data), prod(data.shape[1:]))
    return data.reshape(prod(data.shape[:-1]), data.shape[-1])


def _product(
    a: Tensor, b: Tensor, bias: Tensor | None, shape: tuple[int, ...], out: Places
) -> Tensor:
    """``a · b + bias`` in that shape and the dtype of ``a``."""
    left, right = factor(a), factor(b)
    if left.dtype is a.dtype:
        memory = place(out)
        y = None if memory is None else memory.view(len(a), b.shape[1])
        return product(left, right, bias, y).view(shape)
    wide = torch.mm(left, right)
    if bias is not None:
        wide += bias
    return narrow(wide.view(shape), a.dtype, out)


@kernel(out="apart")
def project(data: Tensor, weight: Tensor, *, flatten: bool, out: Places = None) -> Tensor:
    """``data · weightᵀ``."""
    return _project(data, weight, None, flatten, out)


def _project(
    data: Tensor, weight: Tensor, bias: Tensor | None, flatten: bool, out: Places
) -> Tensor:
    if data.ndim == 2 and data.dtype in (torch.float32, torch.float64):  # without a detour
        return product(data, weight.t(), bias, place(out))
    rows = _rows(data, flatten=flatten)
    kept = data.shape[:1] if flatten else data.shape[:-1]
    return _product(rows, weight.t(), bias, (*kept, len(weight)), out)


@kernel(out="apart")
def fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,  # weight tells
    no_bias: bool,
    flatten: bool,
    out: Places = None,
) -> Tensor:
    """``data · weightᵀ + bias``."""
    return _project(data, weight, bias, flatten, out)


@kernel(out="apart")
def fully_connected_activation(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,  # weight tells
    no_bias: bool,
    flatten: bool,
    act_type: str,
    out: Places = None,
) -> Tensor:
    """``act_type`` of ``data · weightᵀ + bias``."""
    if act_type in _JOINED and data.ndim == 2 and worth(data, weight.t()):
        return linear(data.contiguous(), weight.contiguous(), bias, act_type, ())
    y = _project(data, weight, bias, flatten, out)
    return activation(y, act_type=act_type, out=(y,))


@kernel(out="apart")
def fully_connected_backward_data(
    dy: Tensor, weight: Tensor, data: Tensor, *, flatten: bool, out: Places = None
) -> Tensor:
    """``dy · weight`` in the shape of ``data``."""
    return _product(_rows(dy, flatten=flatten), weight, None, data.shape, out)


@kernel(out="apart")
def fully_connected_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    flatten: bool,
    out: Places = None,
) -> Tensor:
    """``dyᵀ · data``."""
    rows, gradients = _rows(data, flatten=flatten), _rows(dy, flatten=flatten)
    return _product(gradients.t(), rows, None, weight.shape, out)
