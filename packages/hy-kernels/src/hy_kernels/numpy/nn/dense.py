"""Kernels of the fully connected layer."""

from collections.abc import Callable, Mapping
from math import prod
from typing import Any

import numpy as np

from hy_kernels.numpy._array import (
    Array,
    OutBuffers,
    accumulator,
    converted,
    flattened,
    out_buffer,
)
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.costs import COSTS
from hy_kernels.numpy.nn.activation import activation
from hy_kernels.numpy.runtime._product import is_single_threaded, product, product_algorithm
from hy_kernels.record import Params, Types, by_types

_NARROW = 2  # bytes of floats that are computed in float32


def _as_matrix(array: Array, *, flatten: bool) -> Array:
    """Return the array as a matrix with one row per sample, or else per vector of the last axis."""
    if array.ndim == 2:
        return array
    return flattened(array, 1) if flatten else flattened(array, 0, array.ndim - 1)


def _dot(a: Array, b: Array, bias: Array | None = None, out: OutBuffers = None) -> Array:
    """Return ``a · b + bias``, computed in at least float32, in the out buffer if there is one."""
    dtype = accumulator(a.dtype)
    if dtype == a.dtype:
        memory = out_buffer(out)
        result = None if memory is None else memory.reshape(len(a), b.shape[1])
        return product(a, b, bias, result)
    y = converted(product(converted(a, dtype), converted(b, dtype)), a.dtype)
    if bias is not None:
        y += bias
    return y


def _algorithm(types: Types, params: Params) -> str | None:
    """Return the name of the algorithm of a layer's product, None if types are unknown."""
    data, weight = types[:2]
    if data is None or weight is None:
        return None
    (shape, dtype), ((hidden, inner), _) = data, weight
    rows = prod(shape) // inner if inner else 0
    return product_algorithm(rows, inner, hidden, 8 if dtype == "float64" else 4)


@kernel(out="apart", threads=COSTS.threads.dense, algorithm=_algorithm)
def project(data: Array, weight: Array, *, flatten: bool, out: OutBuffers = None) -> Array:
    """Return ``data · weightᵀ``, a dense layer without bias."""
    return _project(data, weight, None, flatten, out)


def _project(
    data: Array, weight: Array, bias: Array | None, flatten: bool, out: OutBuffers
) -> Array:
    y = _dot(_as_matrix(data, flatten=flatten), weight.T, bias, out)
    return y if flatten or data.ndim == 2 else y.reshape(*data.shape[:-1], len(weight))


def _is_plain(types: Types) -> bool:
    """Return whether all operands are matrices of float32, or all of float64."""
    known = [each for each in types if each is not None]
    dtypes = {dtype for _, dtype in known}
    return dtypes in ({"float32"}, {"float64"}) and all(len(shape) == 2 for shape, _ in known)


def _product_of(rows: int, inner: int, columns: int) -> Callable[[Array, Array, Any], Array]:
    """Return a function ``(a, b, out)`` that computes products of these sizes."""
    # The method saves np.dot's dispatch by __array_function__, and a Python frame.
    return np.ndarray.dot if is_single_threaded(rows, inner, columns) else _cut_product


def _cut_product(a: Array, b: Array, out: Array | None) -> Array:
    """Return ``a · b`` computed by :func:`product`, which may use several threads."""
    return product(a, b, None, out)


def _specialized_layer(types: Types, params: Mapping[str, Any]) -> Callable[..., Array] | None:
    """Return the dense layer specialised for matrices of floats; None for other operands."""
    data, weight = types[:2]
    assert data is not None
    assert weight is not None
    if not _is_plain((data, weight)):
        return None
    ((batch, inner), dtype), ((hidden, _), _) = data, weight
    is_single = is_single_threaded(batch, inner, hidden)
    act_type = params.get("act_type")
    is_small = act_type == "relu" and batch * hidden <= COSTS.memory.dense_zeros
    # NumPy vectorizes the maximum of two arrays, not that of an array and a number; see _bounds.py.
    zeros = np.zeros((batch, hidden), dtype) if is_small else None

    def layer(
        data: Array, weight: Array, bias: Array | None = None, out: OutBuffers = None
    ) -> Array:
        memory = None if out is None else out[0]
        if is_single:
            y: Array = data.dot(weight.T, memory)
            if bias is not None:
                y += bias
        else:
            y = product(data, weight.T, bias, memory)
        if zeros is not None:
            # np.maximum keeps nan, as the kernel ``relu`` does.
            return np.maximum(y, zeros, out=y)
        return y if act_type is None else activation(y, act_type=act_type, out=(y,))

    return layer


def _specialized_to_data(types: Types, params: Mapping[str, Any]) -> Callable[..., Array] | None:
    """Return :func:`fully_connected_backward_data` specialised for matrices of floats, or None."""
    dy, weight = types[:2]
    assert dy is not None
    assert weight is not None
    if not _is_plain(types):
        return None
    (batch, hidden), (_, inner) = dy[0], weight[0]
    multiply = _product_of(batch, hidden, inner)

    def gradient(dy: Array, weight: Array, data: Array, out: OutBuffers = None) -> Array:
        return multiply(dy, weight, None if out is None else out[0])

    return gradient


def _specialized_to_weight(types: Types, params: Mapping[str, Any]) -> Callable[..., Array] | None:
    """Return :func:`fully_connected_backward_weight` specialised for matrices, or None."""
    dy, data = types[:2]
    assert dy is not None
    assert data is not None
    if not _is_plain(types):
        return None
    (batch, hidden), (_, inner) = dy[0], data[0]
    multiply = _product_of(hidden, batch, inner)

    def gradient(dy: Array, data: Array, weight: Array, out: OutBuffers = None) -> Array:
        return multiply(dy.T, data, None if out is None else out[0])

    return gradient


@kernel(
    out="apart",
    threads=COSTS.threads.dense,
    specialize=by_types(_specialized_layer),
    algorithm=_algorithm,
)
def fully_connected(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,  # follows from weight
    no_bias: bool,
    flatten: bool,
    out: OutBuffers = None,
) -> Array:
    """Return ``data · weightᵀ + bias``."""
    # Fast path: a matrix of float32 needs neither a reshape nor a cast.
    if data.ndim == 2 and data.dtype.itemsize > _NARROW:
        return product(data, weight.T, bias, out_buffer(out))
    return _project(data, weight, bias, flatten, out)


@kernel(
    out="apart",
    threads=COSTS.threads.dense,
    specialize=by_types(_specialized_layer),
    algorithm=_algorithm,
)
def fully_connected_activation(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
    act_type: str,
    out: OutBuffers = None,
) -> Array:
    """Return the activation ``act_type`` of ``data · weightᵀ + bias``."""
    y = fully_connected(
        data,
        weight,
        bias,
        num_hidden=num_hidden,
        no_bias=no_bias,
        flatten=flatten,
        out=out,
    )
    return activation(y, act_type=act_type, out=(y,) if y.dtype.itemsize > _NARROW else None)


@kernel(out="apart", threads=COSTS.threads.dense, specialize=by_types(_specialized_to_data))
def fully_connected_backward_data(
    dy: Array, weight: Array, data: Array, *, flatten: bool, out: OutBuffers = None
) -> Array:
    """Return the gradient to the data: ``dy · weight`` in the shape of ``data``."""
    return _dot(_as_matrix(dy, flatten=flatten), weight, None, out).reshape(data.shape)


@kernel(out="apart", threads=COSTS.threads.dense, specialize=by_types(_specialized_to_weight))
def fully_connected_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    flatten: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient to the weight: ``dyᵀ · data``."""
    return _dot(_as_matrix(dy, flatten=flatten).T, _as_matrix(data, flatten=flatten), None, out)
