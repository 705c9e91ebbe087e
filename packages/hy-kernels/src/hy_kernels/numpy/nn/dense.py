"""The fully connected layer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hy_kernels.numpy._array import Array, Places, accumulator, flattened, place
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.nn.activation import activation
from hy_kernels.numpy.runtime._product import is_whole, product

__all__ = [
    "fully_connected",
    "fully_connected_activation",
    "fully_connected_backward_data",
    "fully_connected_backward_weight",
    "project",
]

_NARROW = 2  # bytes of the floats that are computed in wider ones
_LARGE = 1 << 20  # elements of a factor or the result of a product that is worth threads


def _rows(array: Array, *, flatten: bool) -> Array:
    """The array as a matrix: one row per sample, or per vector of the last axis."""
    if array.ndim == 2:
        return array
    return flattened(array, 1) if flatten else flattened(array, 0, array.ndim - 1)


def _dot(a: Array, b: Array, bias: Array | None = None, out: Places = None) -> Array:
    """``a · b + bias``, in at least float32; in the memory of ``out``, if there is some."""
    dtype = accumulator(a.dtype)
    if dtype == a.dtype:
        memory = place(out)
        result = None if memory is None else memory.reshape(len(a), b.shape[1])
        return product(a, b, bias, result)
    y = np.asarray(product(a.astype(dtype), b.astype(dtype)), a.dtype)
    if bias is not None:
        y += bias
    return y


@kernel(out="apart", threads=_LARGE)
def project(data: Array, weight: Array, *, flatten: bool, out: Places = None) -> Array:
    """``data · weightᵀ``."""
    return _project(data, weight, None, flatten, out)


def _project(data: Array, weight: Array, bias: Array | None, flatten: bool, out: Places) -> Array:
    y = _dot(_rows(data, flatten=flatten), weight.T, bias, out)
    return y if flatten or data.ndim == 2 else y.reshape(*data.shape[:-1], len(weight))


def _short(
    types: Sequence[tuple[tuple[int, ...], str] | None], params: Mapping[str, Any]
) -> Callable[..., Array] | None:
    """The layer where it is one product of matrices of floats, which is not cut."""
    data, weight = types[:2]
    assert data is not None
    assert weight is not None
    (shape, dtype), (hidden, inner) = data, weight[0]
    if len(shape) != 2 or dtype not in ("float32", "float64"):
        return None
    if not is_whole(shape[0], inner, hidden):
        return None
    act_type = params.get("act_type")
    zeros = np.zeros((shape[0], hidden), dtype) if act_type == "relu" else None

    def layer(data: Array, weight: Array, bias: Array | None = None, out: Places = None) -> Array:
        y: Array = np.dot(data, weight.T, None if out is None else out[0])
        if bias is not None:
            y += bias
        if zeros is not None:
            return np.maximum(y, zeros, out=y)  # as ``relu`` does
        return y if act_type is None else activation(y, act_type=act_type, out=(y,))

    return layer


@kernel(out="apart", threads=_LARGE, specialize=_short)
def fully_connected(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,  # weight tells
    no_bias: bool,
    flatten: bool,
    out: Places = None,
) -> Array:
    """``data · weightᵀ + bias``."""
    if data.ndim == 2 and data.dtype.itemsize > _NARROW:  # the common case, without a detour
        return product(data, weight.T, bias, place(out))
    return _project(data, weight, bias, flatten, out)


@kernel(out="apart", threads=_LARGE, specialize=_short)
def fully_connected_activation(
    data: Array,
    weight: Array,
    bias: Array | None = None,
    *,
    num_hidden: int,
    no_bias: bool,
    flatten: bool,
    act_type: str,
    out: Places = None,
) -> Array:
    """``act_type`` of ``data · weightᵀ + bias``."""
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


@kernel(out="apart", threads=_LARGE)
def fully_connected_backward_data(
    dy: Array, weight: Array, data: Array, *, flatten: bool, out: Places = None
) -> Array:
    """``dy · weight`` in the shape of ``data``."""
    return _dot(_rows(dy, flatten=flatten), weight, None, out).reshape(data.shape)


@kernel(out="apart", threads=_LARGE)
def fully_connected_backward_weight(
    dy: Array,
    data: Array,
    weight: Array,  # only its type matters
    *,
    flatten: bool,
    out: Places = None,
) -> Array:
    """``dyᵀ · data``."""
    return _dot(_rows(dy, flatten=flatten).T, _rows(data, flatten=flatten), None, out)
