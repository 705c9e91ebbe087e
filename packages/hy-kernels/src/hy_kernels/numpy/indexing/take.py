"""Selection of elements and rows by arrays of indices, or by a condition."""

import numpy as np

from hy_kernels.numpy._array import Array, OutBuffers, out_buffer, target, zeroed
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy._rows import add_rows, flat_indices_along, integers, positions
from hy_kernels.numpy._selecting import selected


@kernel(out="apart")
def take(a: Array, indices: Array, *, axis: int, mode: str, out: OutBuffers = None) -> Array:
    """Return the slices of ``a`` along ``axis`` at ``indices``."""
    is_clipped = mode == "clip"
    index = integers(indices) if is_clipped else positions(indices, a.shape[axis], mode)
    # With mode="raise" NumPy would buffer ``out``; indices are already valid.
    return a.take(index, axis, out_buffer(out), "clip" if is_clipped else "wrap")


@kernel(out="apart")
def take_backward(
    dy: Array,
    a: Array,
    indices: Array,
    *,
    axis: int,
    mode: str,
    sparse_grad: bool,  # storage is the caller's
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``take``: slices of ``dy`` added at ``indices``."""
    at = axis % a.ndim
    index = positions(indices, a.shape[at], mode).ravel()
    left, right = a.shape[:at], a.shape[at + 1 :]
    rows = dy.reshape(*left, index.size, *right)
    da = zeroed(out, a.shape, dy.dtype)
    add_rows(rows.swapaxes(0, at), index, da.swapaxes(0, at))
    return da


@kernel(out="apart")
def retain(data: Array, indices: Array, *, out: OutBuffers = None) -> Array:
    """Return a copy of ``data`` in which all rows but those at ``indices`` are zero."""
    rows = integers(indices).ravel()
    rows = rows[(rows >= 0) & (rows < len(data))]
    y = zeroed(out, data.shape, data.dtype)
    y[rows] = data[rows]
    return y


@kernel(out="apart")
def embedding(
    data: Array,
    weight: Array,
    *,
    input_dim: int,  # follows from weight
    output_dim: int,
    dtype: str,
    sparse_grad: bool,
    out: OutBuffers = None,
) -> Array:
    """Return the row of ``weight`` at each index in ``data``; indices are clipped."""
    if weight.shape != (input_dim, output_dim):
        raise ValueError(
            f"weight {weight.shape} must be (input_dim, output_dim): {(input_dim, output_dim)}"
        )
    return weight.take(integers(data), 0, out_buffer(out), "clip")


def _picked(data: Array, index: Array, axis: int | None, keepdims: bool, mode: str) -> Array:
    """Return the flat indices of the picked elements, in the shape of the result."""
    if axis is None:
        raise ValueError("pick needs an axis, not None")
    at = axis % data.ndim
    leading = (*data.shape[:at], 1, *data.shape[at + 1 :])
    left = data.shape[:at] + data.shape[at + 1 :]
    if index.shape not in (leading, left or (1,)):
        raise ValueError(
            f"index {index.shape} must be data {data.shape} without axis {axis}, or 1 there"
        )
    result = flat_indices_along(
        data.shape, positions(index, data.shape[at], mode).reshape(leading), at
    )
    return result if keepdims else result.reshape(left or (1,))


@kernel(out="apart")
def pick(
    data: Array,
    index: Array,
    *,
    axis: int | None,
    keepdims: bool,
    mode: str,
    out: OutBuffers = None,
) -> Array:
    """Return one element of each row along ``axis``, at its position in ``index``."""
    result = _picked(data, index, axis, keepdims, mode)
    return data.take(result, out=out_buffer(out), mode="clip")


@kernel(out="apart")
def pick_backward(
    dy: Array,
    data: Array,
    index: Array,
    *,
    axis: int | None,
    keepdims: bool,
    mode: str,
    out: OutBuffers = None,
) -> Array:
    """Return the gradient of ``pick``: zeros with ``dy`` at the picked elements."""
    dx = zeroed(out, data.shape, dy.dtype)
    dx.reshape(-1)[_picked(data, index, axis, keepdims, mode)] = dy
    return dx


@kernel(out="apart")
def one_hot(
    indices: Array,
    *,
    depth: int,
    on_value: float,
    off_value: float,
    dtype: str,
    out: OutBuffers = None,
) -> Array:
    """Return a vector of ``depth`` for each index: ``on_value`` there, else ``off_value``."""
    index = integers(indices).ravel()
    y = target(out, (*indices.shape, depth), np.dtype(dtype))
    np.copyto(y, off_value, casting="unsafe")
    # Without a sign, negative numbers are large.
    inside = (index.view(np.uintp) < depth).nonzero()[0]
    y.reshape(index.size, depth)[inside, index[inside]] = on_value
    return y


@kernel(out="apart")
def where(condition: Array, x: Array, y: Array, *, out: OutBuffers = None) -> Array:
    """Return ``x`` where the condition is not 0, else ``y``."""
    if x.shape != y.shape or x.dtype != y.dtype:
        raise ValueError(f"x {x.shape} {x.dtype} and y {y.shape} {y.dtype} differ")
    mask = condition if condition.dtype == np.bool_ else condition != 0
    if condition.shape != x.shape:
        if condition.ndim != 1 or condition.shape != x.shape[:1]:
            raise ValueError(
                f"condition {condition.shape} must have the shape of x {x.shape}, or one entry a "
                "row"
            )
        mask = mask.reshape(-1, *(1,) * (x.ndim - 1))
    return selected(mask, x, y, out_buffer(out))
