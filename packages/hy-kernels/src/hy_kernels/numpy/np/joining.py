"""Several arrays joined into one, and one divided into several."""

from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from hy_kernels.numpy._array import Array, Places, place, target
from hy_kernels.numpy._kernels import kernel
from hy_kernels.numpy.joining import split_v2

__all__ = [
    "join_backward",
    "join_like",
    "np_column_stack",
    "np_concatenate",
    "np_dstack",
    "np_hsplit",
    "np_hstack",
    "np_stack",
    "np_vstack",
]


def _one_dtype(arrays: Sequence[Array]) -> Sequence[Array]:
    if any(x.dtype != arrays[0].dtype for x in arrays):
        raise TypeError("the dtypes differ")
    return arrays


@kernel(out="apart")
def np_concatenate(*data: Array, axis: int | None, out: Places = None) -> Array:
    """Along an axis, or flattened."""
    return np.concatenate(_one_dtype(data), axis, out=place(out))


@kernel(out="apart")
def np_stack(*data: Array, axis: int, out: Places = None) -> Array:
    """Along a new axis."""
    return np.stack(_one_dtype(data), axis, out=place(out))


@kernel(out="apart")
def np_vstack(*data: Array, out: Places = None) -> Array:
    """One below the other."""
    return np_concatenate(*[np.atleast_2d(x) for x in data], axis=0, out=out)


@kernel(out="apart")
def np_hstack(*data: Array, dim: int, out: Places = None) -> Array:
    """Side by side."""
    along = int(data[0].ndim > 1)
    return np_concatenate(*[np.atleast_1d(x) for x in data], axis=along, out=out)


@kernel(out="apart")
def np_dstack(*data: Array, dim: int, out: Places = None) -> Array:
    """Along the third axis."""
    return np_concatenate(*[np.atleast_3d(x) for x in data], axis=2, out=out)


@kernel(out="apart")
def np_column_stack(*data: Array, out: Places = None) -> Array:
    """Side by side, vectors as columns."""
    columns = [x if x.ndim > 1 else x.reshape(-1, 1) for x in data]
    return np_concatenate(*columns, axis=1, out=out)


def _axis(dy: Array, axis: int | None) -> int:
    """The axis counted from the front; the second, or the only one, if None."""
    return int(dy.ndim > 1) if axis is None else axis % dy.ndim


@kernel(out="apart")
def join_backward(
    dy: Array, *data: Array, axis: int | None, parts: int, out: Places = None
) -> Array | tuple[Array, ...]:
    """Divided by numbers of elements, each part in the shape of its array."""
    at = _axis(dy, axis)
    slab = dy.size // dy.shape[at] if dy.size else 0
    sizes = [x.size // slab if slab else 0 for x in data]
    ends = list(accumulate(sizes))[:-1]
    pieces = np.split(dy, ends, at) if slab else [np.zeros(x.shape, dy.dtype) for x in data]
    shaped = []
    for k, (piece, x) in enumerate(zip(pieces, data, strict=True)):
        y = target(out, x.shape, dy.dtype, k)
        np.copyto(y.reshape(piece.shape), piece)
        shaped.append(y)
    return shaped[0] if parts == 1 else tuple(shaped)


@kernel(out="apart")
def join_like(*data: Array, axis: int | None, out: Places = None) -> Array:
    """All but the first joined, in the shape of the first."""
    like, *parts = data
    at = _axis(like, axis)
    rest = like.shape[:at], like.shape[at + 1 :]
    slab = like.size // like.shape[at] if like.size else 0
    if not slab:
        return np.zeros(like.shape, parts[0].dtype)
    shaped = [part.reshape(*rest[0], part.size // slab, *rest[1]) for part in parts]
    return np.concatenate(shaped, at, out=place(out))


@kernel(out="apart")
def np_hsplit(
    data: Array,
    *,
    indices: tuple[int, ...],
    axis: int,
    squeeze_axis: bool,
    sections: int,
    out: Places = None,
) -> Array | tuple[Array, ...]:
    """Along the second axis, or the only one."""
    along = 0 if data.ndim == 1 else 1
    return split_v2(
        data, indices=indices, axis=along, squeeze_axis=False, sections=sections, out=out
    )
