"""Random arrays, shapes and matrices for tests, drawn by numpy's global generator.

``np.random.seed`` makes results repeatable.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hy_ndarray import ArgumentError, NDArray, nd
from mxnet.test_utils.tolerances import default_dtype

__all__ = [
    "assign_each",
    "assign_each2",
    "collapse_sum_like",
    "create_2d_tensor",
    "create_vector",
    "get_identity_mat",
    "get_identity_mat_batch",
    "new_matrix_with_real_eigvals_2d",
    "new_matrix_with_real_eigvals_nd",
    "new_orthonormal_matrix_2d",
    "new_sym_matrix_with_real_eigvals_2d",
    "new_sym_matrix_with_real_eigvals_nd",
    "np_reduce",
    "rand_coord_2d",
    "rand_shape_2d",
    "rand_shape_3d",
    "rand_shape_nd",
    "random_arrays",
    "random_sample",
    "random_uniform_arrays",
]

_Array = npt.NDArray[Any]


def random_arrays(*shapes: Sequence[int]) -> _Array | list[_Array]:
    """Return float32 arrays with standard normal elements; a single array for one shape.

    Example:
        >>> random_arrays((2, 3)).shape
        (2, 3)
    """
    arrays = [np.asarray(np.random.standard_normal(shape), default_dtype()) for shape in shapes]
    return arrays[0] if len(arrays) == 1 else arrays


def random_uniform_arrays(*shapes: Sequence[int], **kwargs: Any) -> list[_Array]:
    """Return arrays with uniform elements from ``low`` to ``high``."""
    low, high = kwargs.pop("low", 0.0), kwargs.pop("high", 1.0)
    dtype = kwargs.pop("dtype", default_dtype())
    if kwargs:
        raise ArgumentError(f"random_uniform_arrays: unknown {sorted(kwargs)}; low, high, dtype")
    return [np.asarray(np.random.uniform(low, high, shape), dtype) for shape in shapes]


def random_sample(population: Sequence[Any], k: int) -> list[Any]:
    """Return ``k`` distinct elements in random order."""
    order = np.random.permutation(len(population))
    return [population[i] for i in order[:k]]


def rand_shape_nd(num_dim: int, dim: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of ``num_dim`` sizes up to ``dim``, from 1 or 0."""
    low = 0 if allow_zero_size else 1
    return tuple(int(size) for size in np.random.randint(low, dim + 1, size=num_dim))


def rand_shape_2d(dim0: int = 10, dim1: int = 10, allow_zero_size: bool = False) -> tuple[int, ...]:
    """Return a random shape of two sizes up to ``dim0`` and ``dim1``, from 1 or 0."""
    return tuple(rand_shape_nd(1, dim, allow_zero_size)[0] for dim in (dim0, dim1))


def rand_shape_3d(
    dim0: int = 10, dim1: int = 10, dim2: int = 10, allow_zero_size: bool = False
) -> tuple[int, ...]:
    """Return a random shape of three sizes up to ``dim0``, ``dim1`` and ``dim2``, from 1 or 0."""
    return tuple(rand_shape_nd(1, dim, allow_zero_size)[0] for dim in (dim0, dim1, dim2))


def rand_coord_2d(x_low: int, x_high: int, y_low: int, y_high: int) -> tuple[int, int]:
    """Return random coordinates with ``x_low <= x < x_high`` and ``y_low <= y < y_high``."""
    return int(np.random.randint(x_low, x_high)), int(np.random.randint(y_low, y_high))


def create_2d_tensor(rows: int, columns: int, dtype: npt.DTypeLike = np.int64) -> NDArray:
    """Return an array ``[rows, columns]`` in which each element is its row's index.

    Example:
        >>> create_2d_tensor(2, 3).asnumpy()
        array([[0, 0, 0],
               [1, 1, 1]])
    """
    numbers = np.arange(rows, dtype=dtype)[:, None]
    return nd.array(np.broadcast_to(numbers, (rows, columns)), dtype=dtype)


def create_vector(size: int, dtype: npt.DTypeLike = np.int64) -> NDArray:
    """Return the array ``[0, 1, ..., size - 1]``."""
    return nd.array(np.arange(size, dtype=dtype), dtype=dtype)


def get_identity_mat(size: int) -> NDArray:
    """Return the identity matrix ``[size, size]`` in float32."""
    return nd.array(np.identity(size), dtype="float32")


def get_identity_mat_batch(size: int) -> NDArray:
    """Return a batch of two float32 identity matrices, ``[2, size, size]``."""
    return nd.array(np.stack([np.identity(size)] * 2), dtype="float32")


def new_orthonormal_matrix_2d(n: int) -> _Array:
    """Return a random orthonormal matrix ``[n, n]``."""
    orthonormal, _ = np.linalg.qr(np.random.standard_normal((n, n)))
    return orthonormal


def new_matrix_with_real_eigvals_2d(n: int) -> _Array:
    """Return a random regular matrix ``[n, n]`` with real, distinct eigenvalues."""
    # V D V^-1 has the eigenvalues of D; V, near an orthonormal matrix, is far from singular.
    vectors = new_orthonormal_matrix_2d(n) + 0.1 * np.triu(np.random.standard_normal((n, n)))
    return np.asarray(vectors @ np.diag(_eigenvalues(n)) @ np.linalg.inv(vectors))


def new_sym_matrix_with_real_eigvals_2d(n: int) -> _Array:
    """Return a random symmetric matrix ``[n, n]`` with distinct eigenvalues."""
    vectors = new_orthonormal_matrix_2d(n)
    matrix = vectors @ np.diag(_eigenvalues(n)) @ vectors.T
    return np.asarray((matrix + matrix.T) / 2)


def _eigenvalues(n: int) -> _Array:
    # At least 0.5 apart and away from 0: gradients of eigenvectors divide by differences of
    # eigenvalues.
    steps = np.arange(1, n + 1) + np.random.uniform(0, 0.5, n)
    return np.random.permutation(steps * np.random.choice((-1, 1), n))


def new_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> _Array:
    """Return a batch of matrices ``[*B, n, n]`` with real, distinct eigenvalues."""
    return _matrices(shape, new_matrix_with_real_eigvals_2d)


def new_sym_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> _Array:
    """Return a batch of symmetric matrices ``[*B, n, n]`` with distinct eigenvalues."""
    return _matrices(shape, new_sym_matrix_with_real_eigvals_2d)


def _matrices(shape: Sequence[int], one: Callable[[int], _Array]) -> _Array:
    *batch, rows, columns = shape
    if rows != columns:
        raise ArgumentError(f"matrices of shape {tuple(shape)} are not square")
    count = int(np.prod(batch))
    return np.array([one(rows) for _ in range(count)]).reshape(tuple(shape))


def assign_each(the_input: _Array, function: Callable[[Any], Any] | None) -> _Array:
    """Return ``function`` of each element in float64; a copy of the array if it is None."""
    if function is None:
        return np.array(the_input)
    result = np.zeros(the_input.shape)
    result.flat[:] = [function(value) for value in the_input.flat]
    return result


def assign_each2(
    input1: _Array, input2: _Array, function: Callable[[Any, Any], Any] | None
) -> _Array:
    """Return ``function`` of the elements of both in float64; a copy of ``input1`` if None."""
    if function is None:
        return np.array(input1)
    result = np.zeros(input1.shape)
    result.flat[:] = [function(*pair) for pair in zip(input1.flat, input2.flat, strict=True)]
    return result


def np_reduce(
    dat: _Array,
    axis: int | Sequence[int] | None,
    keepdims: bool,
    numpy_reduce_func: Callable[..., Any],
) -> Any:
    """Return an array reduced over several axes, by a numpy function of one axis."""
    axes = range(dat.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
    sorted_axes = sorted(each % dat.ndim for each in axes)
    for each in reversed(sorted_axes):
        dat = numpy_reduce_func(dat, axis=each)
    if keepdims:
        dat = np.expand_dims(dat, tuple(sorted_axes))
    return dat


def collapse_sum_like(a: _Array, shape: Sequence[int]) -> _Array:
    """Return the sum of ``a`` over broadcast axes: the gradient of broadcasting from ``shape``.

    Args:
        a: ``[*S]``.
        shape: Shape that broadcasts to ``S``.

    Raises:
        AssertionError: ``shape`` does not broadcast to ``S``.
    """
    lead = a.ndim - len(shape)
    if lead < 0 or any(
        size not in (1, full) for size, full in zip(shape, a.shape[lead:], strict=True)
    ):
        raise AssertionError(f"shape {tuple(shape)} is not broadcast to {a.shape}")
    narrow = [lead + i for i, size in enumerate(shape) if size == 1 != a.shape[lead + i]]
    return np.asarray(a.sum(axis=(*range(lead), *narrow)).reshape(tuple(shape)))
