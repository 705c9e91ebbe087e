"""Functions that are new in NumPy 2 (Array API), composed of others."""

from typing import Any, Generic, NamedTuple

from hy_ndarray._errors import ArgumentError
from hy_ndarray.foreign import kind_of
from hy_ndarray.np.calls import A, call, is_operand
from hy_ndarray.np.counting import unique
from hy_ndarray.np.fallback import on_host
from hy_ndarray.np.joining import concatenate
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.np.products import matmul
from hy_ndarray.np.reducing import cumsum, sum as sum_of
from hy_ndarray.np.shaping import expand_dims, moveaxis, squeeze, swapaxes

__all__ = [
    "UniqueAllResult",
    "UniqueCountsResult",
    "UniqueInverseResult",
    "astype",
    "cumulative_prod",
    "cumulative_sum",
    "kron",
    "matrix_transpose",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "vecdot",
]


class UniqueAllResult(NamedTuple, Generic[A]):
    """Result of :func:`unique_all`."""

    values: A
    indices: A
    inverse_indices: A
    counts: A


class UniqueCountsResult(NamedTuple, Generic[A]):
    """Result of :func:`unique_counts`."""

    values: A
    counts: A


class UniqueInverseResult(NamedTuple, Generic[A]):
    """Result of :func:`unique_inverse`."""

    values: A
    inverse_indices: A


def unique_values(x: A) -> A:
    """Return the distinct elements in ascending order."""
    return unique(x)


def unique_counts(x: A) -> UniqueCountsResult[A]:
    """Return the distinct elements in ascending order, and the count of each."""
    values, counts = unique(x, return_counts=True)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: A) -> UniqueInverseResult[A]:
    """Return the distinct elements, and the index of each input element among them."""
    values, inverse = unique(x, return_inverse=True)
    return UniqueInverseResult(values, call("reshape_like", inverse, x))


def unique_all(x: A) -> UniqueAllResult[A]:
    """Return distinct elements in ascending order, their first indices, inverse indices, counts.

    Example:
        >>> from hy_ndarray import np
        >>> np.unique_all(np.array([3, 1, 3])).counts
        array([1, 2], dtype=int64)
    """
    values, first, inverse, counts = unique(x, True, True, True)
    return UniqueAllResult(values, first, call("reshape_like", inverse, x), counts)


def astype(x: A, dtype: Any, /, *, copy: bool = True) -> A:
    """Return the array cast to a dtype.

    Args:
        x: The array.
        dtype: The dtype.
        copy: False returns the array itself if it has the dtype already.
    """
    if not is_operand(x):
        raise ArgumentError(
            f"astype: x must be an array of mx.np, got {kind_of(x)}; use np.array(...)"
        )
    operand: Any = x
    cast: A = operand.astype(dtype, copy=copy)
    return cast


def matrix_transpose(x: A, /) -> A:
    """Return the array with the last two axes exchanged."""
    return swapaxes(x, -1, -2)


def vecdot(x1: A, x2: A, /, *, axis: int = -1) -> A:
    """Return the dot products of vectors along an axis; the other axes broadcast.

    Example:
        >>> from hy_ndarray import np
        >>> np.vecdot(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0]))
        array([21., 43.])
    """
    first, second = (x if axis == -1 else moveaxis(x, axis, -1) for x in (x1, x2))
    product = matmul(expand_dims(first, -2), expand_dims(second, -1))
    return squeeze(product, axis=(-2, -1))


def cumulative_sum(
    x: A, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> A:
    """Return the cumulative sums.

    Args:
        x: The array.
        axis: The axis; may be None for an array of one axis.
        dtype: The dtype of the result.
        include_initial: Whether to start with 0.

    Raises:
        ArgumentError: ``axis`` is None, and the array has several axes.
    """
    operand: Any = x
    if axis is None:
        if operand.ndim != 1:
            raise ArgumentError(
                f"cumulative_sum: axis is required for an array of {operand.ndim} axes"
            )
        axis = 0
    sums = cumsum(x, axis=axis, dtype=dtype)
    if not include_initial:
        return sums
    # A sum has size 1 along the axis even if the array has size 0 there.
    first = sum_of(sums, axis=axis, keepdims=True)
    return concatenate([call("zeros_like", first), sums], axis=axis)


def kron(a: A, b: A) -> A:
    """Return the Kronecker product.

    Args:
        a: ``[*m]``; the array with fewer axes gets leading axes of size 1.
        b: ``[*n]``.

    Returns:
        ``[m0 * n0, m1 * n1, ...]``.

    Example:
        >>> from hy_ndarray import np
        >>> np.kron(np.array([1, 10]), np.array([[1, 2], [3, 4]]))
        array([[ 1.,  2., 10., 20.],
               [ 3.,  4., 30., 40.]])
    """
    for x in (a, b):
        if not is_operand(x):
            raise ArgumentError(
                f"kron: operands must be arrays of mx.np, got {kind_of(x)}; use np.array(...)"
            )
    first: Any = a
    second: Any = b
    count = max(first.ndim, second.ndim)
    m = (1,) * (count - first.ndim) + first.shape
    n = (1,) * (count - second.ndim) + second.shape
    left = first.reshape([size for k in m for size in (k, 1)])
    right = second.reshape([size for k in n for size in (1, k)])
    product: A = (left * right).reshape([i * j for i, j in zip(m, n, strict=True)])
    return product


def cumulative_prod(
    x: Any, /, *, axis: int | None = None, dtype: Any = None, include_initial: bool = False
) -> ndarray:
    """Return the cumulative products, computed on the host.

    Args:
        x: The array.
        axis: The axis; may be None for an array of one axis.
        dtype: The dtype of the result.
        include_initial: Whether to start with 1.

    Raises:
        ArgumentError: ``axis`` is None, and the array has several axes.
    """
    if axis is None and x.ndim != 1:
        raise ArgumentError(f"cumulative_prod: axis is required for an array of {x.ndim} axes")
    along = 0 if axis is None else axis
    products: ndarray = on_host("cumprod")(x, axis=along, dtype=dtype)
    if not include_initial:
        return products
    first = sum_of(
        products, axis=along, keepdims=True
    )  # which has one element, of no elements, too
    return concatenate([call("ones_like", first), products], axis=along)
