"""Products of vectors and matrices."""

from collections.abc import Sequence

from hy_ndarray._errors import ShapeError
from hy_ndarray.array_api._promotion import same_dtype
from hy_ndarray.array_api._routes import FLOATS, Route
from hy_ndarray.array_api.elementwise import conj, multiply
from hy_ndarray.array_api.manipulation import broadcast_arrays, moveaxis
from hy_ndarray.array_api.statistical import sum as total
from hy_ndarray.np import ndarray

__all__ = ["matmul", "matrix_transpose", "tensordot", "vecdot"]

_matmul = Route("matmul", FLOATS)
_tensordot = Route("tensordot", FLOATS)
_MATRIX = 2  # axes


def matmul(x1: ndarray, x2: ndarray, /) -> ndarray:
    """Return the matrix product of matrices, batches of matrices, or vectors.

    Args:
        x1: ``[*batch, M, K]``, or ``[K]``.
        x2: ``[*batch, K, N]``, or ``[K]``.
    """
    return _matmul(*same_dtype("matmul", x1, x2))


def matrix_transpose(x: ndarray, /) -> ndarray:
    """Return matrices transposed.

    Raises:
        ShapeError: ``x`` has fewer than two axes.
    """
    if x.ndim < _MATRIX:
        raise ShapeError(f"matrix_transpose: an array {x.shape} must have at least 2 axes")
    return moveaxis(x, -1, -2)


def tensordot(
    x1: ndarray, x2: ndarray, /, *, axes: int | tuple[Sequence[int], Sequence[int]] = 2
) -> ndarray:
    """Return the sums of products over some axes of two arrays (tensor contraction).

    Args:
        x1: An array.
        x2: An array.
        axes: Number of contracted axes, the last of ``x1`` and the first of ``x2``; or the axes of
            each array.
    """
    first, second = same_dtype("tensordot", x1, x2)
    return _tensordot(first, second, axes)


def vecdot(x1: ndarray, x2: ndarray, /, *, axis: int = -1) -> ndarray:
    """Return the sums of products along an axis, with ``x1`` conjugated.

    Args:
        x1: An array.
        x2: A shape that broadcasts against that of ``x1``.
        axis: The axis, counted from the end.

    Raises:
        ShapeError: The sizes of the axis differ.
    """
    first, second = same_dtype("vecdot", x1, x2)
    if first.shape[axis] != second.shape[axis]:
        raise ShapeError(
            f"vecdot: {first.shape} and {second.shape} must have the same size along axis {axis}"
        )
    parts = broadcast_arrays(moveaxis(first, axis, -1), moveaxis(second, axis, -1))
    products = multiply(conj(parts[0]), parts[1])
    return total(products, axis=-1, dtype=products.dtype)
