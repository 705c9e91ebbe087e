"""The fully connected layer."""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any

import torch
from torch.nn import functional

from hy_kernels.record import Function, Type, by_params, by_types
from hy_kernels.torch._kernels import kernel
from hy_kernels.torch._tensor import PLAIN, PLAIN_NAMES, OutBuffers, Tensor, out_buffer
from hy_kernels.torch.costs import COSTS
from hy_kernels.torch.nn._window import factor, to_storage_dtype
from hy_kernels.torch.nn.activation import activation
from hy_kernels.torch.runtime._onednn import (
    MIN_PRODUCTS,
    has_fast_blas,
    has_onednn,
    is_profitable,
    linear,
    product,
    product_of_transposed,
)

_FUSED_ACTIVATIONS: Mapping[str, Callable[[Tensor], Tensor]] = {
    "relu": torch.relu_,
    "sigmoid": torch.sigmoid_,
    "tanh": torch.tanh_,
}
"""Activations that oneDNN fuses with products, as in-place functions for other products."""


def as_matrix(data: Tensor, *, flatten: bool) -> Tensor:
    """Return the tensor as a matrix: one row per sample, or per vector of the last axis."""
    if data.ndim == 2:
        return data
    if flatten:
        return data.reshape(data.shape[0], prod(data.shape[1:]))  # `len` would fix the size
    return data.reshape(prod(data.shape[:-1]), data.shape[-1])


def _product(
    a: Tensor, b: Tensor, bias: Tensor | None, shape: tuple[int, ...], out: OutBuffers
) -> Tensor:
    """Return ``a · b + bias``, reshaped, in the dtype of ``a``."""
    left, right = factor(a), factor(b)
    if left.dtype is a.dtype:
        memory = out_buffer(out)
        y = None if memory is None else memory.view(len(a), b.shape[1])
        return product(left, right, bias, y).view(shape)
    sums = torch.mm(left, right)
    if bias is not None:
        sums += bias
    return to_storage_dtype(sums.view(shape), a.dtype, out)


@kernel(out="apart")
def project(data: Tensor, weight: Tensor, *, flatten: bool, out: OutBuffers = None) -> Tensor:
    """Return ``data · weightᵀ``."""
    return _project(data, weight, None, flatten, out)


def _project(
    data: Tensor, weight: Tensor, bias: Tensor | None, flatten: bool, out: OutBuffers
) -> Tensor:
    if data.ndim == 2 and data.dtype in PLAIN:  # without a detour
        if out is None and (
            torch.compiler.is_exporting()  # a program for batches of every size
            or data.numel() * weight.shape[0] < MIN_PRODUCTS
        ):
            return functional.linear(data, weight, bias)
        return product(data, weight.t(), bias, out_buffer(out))
    rows = as_matrix(data, flatten=flatten)
    leading = data.shape[:1] if flatten else data.shape[:-1]
    return _product(rows, weight.t(), bias, (*leading, len(weight)), out)


def _matrix(type_: Type | None, *, flatten: bool) -> tuple[int, int]:
    """Return a matrix's rows and columns; ``(0, 0)`` if empty or neither float32 nor float64."""
    if type_ is None or type_[1] not in PLAIN_NAMES or len(type_[0]) < 2 or 0 in type_[0]:
        return 0, 0
    shape = type_[0]
    rows = shape[0] if flatten else prod(shape[:-1])
    return rows, prod(shape) // rows


def _specialized_layer(types: Sequence[Type | None], params: Mapping[str, Any]) -> Function | None:
    """Return the layer specialised for float32 and float64, as one product; else None."""
    data, (hidden, inner) = types[0], _matrix(types[1], flatten=False)
    rows, columns = _matrix(data, flatten=params["flatten"])
    if data is None or not rows or columns != inner:
        return None
    act_type = params.get("act_type", "none")
    is_joined = act_type == "none" or act_type in _FUSED_ACTIVATIONS
    by_onednn = is_joined and data[1] == "float32" and rows * inner * hidden >= MIN_PRODUCTS
    is_matrix = len(data[0]) == 2
    is_flat = not is_matrix and params["flatten"]
    in_place = _FUSED_ACTIVATIONS.get(act_type)

    def layer(
        data: Tensor, weight: Tensor, bias: Tensor | None = None, out: OutBuffers = None
    ) -> Tensor:
        x = data.reshape(rows, inner) if is_flat else data
        if by_onednn and has_onednn(data) and weight.is_contiguous():
            return linear(x, weight, bias, act_type, ())
        y = None if out is None else out[0]
        # torch's linear has no out=.
        if y is None:
            y = functional.linear(x, weight, bias)
        elif (is_matrix or is_flat) and bias is not None:
            torch.addmm(bias, x, weight.t(), out=y)
        elif is_matrix or is_flat:
            torch.mm(x, weight.t(), out=y)
        else:
            flat = product(x.reshape(rows, inner), weight.t(), bias, y.view(rows, hidden))
            y = flat.view(y.shape)
        if in_place is not None:
            return in_place(y)
        return y if act_type == "none" else activation(y, act_type=act_type, out=(y,))

    return layer


def _specialized_gradient(
    types: Sequence[Type | None], params: Mapping[str, Any]
) -> Function | None:
    """Return the gradient to the data specialised for float32 and float64; else None."""
    dy, data = types[0], types[2]
    rows, hidden = _matrix(dy, flatten=params["flatten"])
    inner = _matrix(types[1], flatten=False)[1]
    if dy is None or data is None or not rows or not inner:
        return None
    shape = None if len(data[0]) == 2 else data[0]
    is_matrix = len(dy[0]) == 2
    by_onednn = dy[1] == "float32" and rows * inner * hidden >= MIN_PRODUCTS

    def gradient(dy: Tensor, weight: Tensor, _: Tensor, out: OutBuffers = None) -> Tensor:
        rowwise = dy if is_matrix else dy.reshape(rows, hidden)
        if by_onednn and has_onednn(dy) and weight.is_contiguous():
            dx = linear(rowwise, weight.t(), None, "none", ())
        else:
            memory = None if out is None else out[0]
            if memory is not None and shape is not None:
                memory = memory.view(rows, inner)
            dx = torch.mm(rowwise, weight, out=memory)
        return dx if shape is None else dx.view(shape)

    return gradient


def _to_weight(types: Sequence[Type | None], params: Mapping[str, Any]) -> Function | None:
    """Return the gradient to the weight specialised for float32 and float64; else None."""
    (dy, data), flatten = types[:2], params["flatten"]
    rows, hidden = _matrix(dy, flatten=flatten)
    samples, inner = _matrix(data, flatten=flatten)
    if dy is None or data is None or not rows or rows != samples:
        return None
    are_matrices = len(dy[0]) == len(data[0]) == 2
    # oneDNN's result is the transpose, which has to be copied: it must gain more.
    by_onednn = dy[1] == "float32" and rows * inner * hidden >= COSTS.products.copied * MIN_PRODUCTS

    def gradient(dy: Tensor, data: Tensor, _: Tensor, out: OutBuffers = None) -> Tensor:
        left, right = dy, data
        if not are_matrices:
            left, right = dy.reshape(rows, hidden), data.reshape(rows, inner)
        memory = None if out is None else out[0]
        if by_onednn and has_onednn(dy) and left.is_contiguous() and right.is_contiguous():
            dw = product_of_transposed(left, right)
            return dw.contiguous() if memory is None else memory.copy_(dw)
        return torch.mm(left.t(), right, out=memory)

    return gradient


def _fast_path(_: Mapping[str, Any], general: Function) -> Function:
    """Return a fast path of the layer by ``torch.nn.functional.linear``, for small products."""
    is_any, linear_of_torch = has_fast_blas(), functional.linear

    def layer(data: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        if (
            data.ndim == 2
            and data.dtype in PLAIN
            # An upper bound of the multiplications, which takes fewer calls than their number.
            and (is_any or data.numel() * weight.numel() < MIN_PRODUCTS)
        ):
            return linear_of_torch(data, weight, bias)
        return general(data, weight, bias)

    return layer


@kernel(out="apart", specialize=by_params(_fast_path, types=_specialized_layer))
def fully_connected(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,  # follows from weight
    no_bias: bool,
    flatten: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return ``data · weightᵀ + bias``."""
    return _project(data, weight, bias, flatten, out)


@kernel(out="apart", specialize=by_types(_specialized_layer))
def fully_connected_activation(
    data: Tensor,
    weight: Tensor,
    bias: Tensor | None = None,
    *,
    num_hidden: int,  # follows from weight
    no_bias: bool,
    flatten: bool,
    act_type: str,
    out: OutBuffers = None,
) -> Tensor:
    """Return the activation ``act_type`` of ``data · weightᵀ + bias``."""
    if act_type in _FUSED_ACTIVATIONS and data.ndim == 2 and is_profitable(data, weight.t()):
        return linear(data.contiguous(), weight.contiguous(), bias, act_type, ())
    y = _project(data, weight, bias, flatten, out)
    return activation(y, act_type=act_type, out=(y,))


@kernel(out="apart", specialize=by_types(_specialized_gradient))
def fully_connected_backward_data(
    dy: Tensor, weight: Tensor, data: Tensor, *, flatten: bool, out: OutBuffers = None
) -> Tensor:
    """Return the gradient to the data: ``dy · weight`` in the shape of ``data``."""
    return _product(as_matrix(dy, flatten=flatten), weight, None, data.shape, out)


@kernel(out="apart", specialize=by_types(_to_weight))
def fully_connected_backward_weight(
    dy: Tensor,
    data: Tensor,
    weight: Tensor,  # only its type matters
    *,
    flatten: bool,
    out: OutBuffers = None,
) -> Tensor:
    """Return the gradient to the weight: ``dyᵀ · data``."""
    rows, gradients = as_matrix(data, flatten=flatten), as_matrix(dy, flatten=flatten)
    return _product(gradients.t(), rows, None, weight.shape, out)
