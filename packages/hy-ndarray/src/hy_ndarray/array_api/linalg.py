"""Linear algebra: factorizations, inverses, norms."""

from collections.abc import Callable
from typing import Any, Literal, NamedTuple

import numpy as onp

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.array_api._promotion import DType, name_of, same_dtype
from hy_ndarray.array_api._routes import on_host, several_on_host
from hy_ndarray.array_api.dtypes import astype, complex64, result_type
from hy_ndarray.array_api.elementwise import multiply
from hy_ndarray.array_api.manipulation import broadcast_arrays, expand_dims
from hy_ndarray.array_api.products import matmul, matrix_transpose, tensordot, vecdot
from hy_ndarray.array_api.statistical import sum as total
from hy_ndarray.np import ndarray

__all__ = [
    "EigResult",
    "EighResult",
    "QRResult",
    "SVDResult",
    "SlogdetResult",
    "cholesky",
    "cross",
    "det",
    "diagonal",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "matmul",
    "matrix_norm",
    "matrix_power",
    "matrix_rank",
    "matrix_transpose",
    "outer",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "svdvals",
    "tensordot",
    "trace",
    "vecdot",
    "vector_norm",
]

Axes = int | tuple[int, ...]


class EigResult(NamedTuple):
    """Named tuple that :func:`eig` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """Named tuple that :func:`eigh` returns."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Named tuple that :func:`qr` returns."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """Named tuple that :func:`slogdet` returns."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """Named tuple that :func:`svd` returns."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def _factors(name: str, *args: Any, **options: Any) -> Any:
    """Return the results of the function ``name`` of ``numpy.linalg`` for floating arrays."""
    for x in args:
        if isinstance(x, ndarray) and x.dtype.kind not in "fc":
            raise DTypeError(
                f"{name}: x must have a floating dtype, got {name_of(x)}; convert it with astype"
            )
    try:
        return several_on_host(getattr(onp.linalg, name), *args, **options)
    except onp.linalg.LinAlgError as error:
        raise ArgumentError(f"{name}: {error}") from error


_call_linalg: Callable[..., ndarray] = _factors


def cholesky(x: ndarray, /, *, upper: bool = False) -> ndarray:
    """Return the Cholesky factor of each matrix, lower or upper.

    Args:
        x: ``[*batch, N, N]``, symmetric or Hermitian, and positive definite.
        upper: Whether to return the upper triangular factor; else the lower one.

    Raises:
        ArgumentError: A matrix is not positive definite.
    """
    return _call_linalg("cholesky", x, upper=upper)


def cross(x1: ndarray, x2: ndarray, /, *, axis: int = -1) -> ndarray:
    """Return the cross products of vectors.

    Args:
        x1: Vectors of 3 numbers.
        x2: Vectors; a shape that broadcasts against that of ``x1``.
        axis: The axis of the vectors.

    Raises:
        ShapeError: The size of the axis is not 3.
    """
    first, second = broadcast_arrays(*same_dtype("cross", x1, x2))
    if first.shape[axis] != 3:  # noqa: PLR2004
        raise ShapeError(
            f"cross: axis {axis} of the broadcast operands {first.shape} must have size 3"
        )
    return on_host(onp.cross, first, second, axis=axis)


def det(x: ndarray, /) -> ndarray:
    """Return the determinants of matrices ``[*batch, N, N]``."""
    return _call_linalg("det", x)


def diagonal(x: ndarray, /, *, offset: int = 0) -> ndarray:
    """Return a diagonal of matrices.

    Args:
        x: ``[*batch, M, N]``.
        offset: The diagonal: 0 is the main one, positive ones are above it.
    """
    return on_host(onp.linalg.diagonal, x, offset=offset)


def eig(x: ndarray, /) -> EigResult:
    """Return complex eigenvalues and eigenvectors of matrices ``[*batch, N, N]``."""
    return EigResult(*(_complex(part) for part in _factors("eig", x)))


def eigvals(x: ndarray, /) -> ndarray:
    """Return complex eigenvalues of matrices ``[*batch, N, N]``."""
    return _complex(_call_linalg("eigvals", x))


def _complex(x: ndarray) -> ndarray:
    """Return the array converted to the complex dtype of its precision."""
    return astype(x, result_type(x.dtype, complex64), copy=False)


def eigh(x: ndarray, /) -> EighResult:
    """Return ascending eigenvalues and eigenvectors of symmetric matrices ``[*batch, N, N]``."""
    return EighResult(*_factors("eigh", x))


def eigvalsh(x: ndarray, /) -> ndarray:
    """Return ascending eigenvalues of symmetric matrices ``[*batch, N, N]``."""
    return _call_linalg("eigvalsh", x)


def inv(x: ndarray, /) -> ndarray:
    """Return the inverses of matrices ``[*batch, N, N]``.

    Raises:
        ArgumentError: A matrix is singular.
    """
    return _call_linalg("inv", x)


def matrix_norm(
    x: ndarray, /, *, keepdims: bool = False, ord: float | Literal["fro", "nuc"] | None = "fro"
) -> ndarray:
    """Return the norms of matrices.

    Args:
        x: ``[*batch, M, N]``.
        keepdims: Whether reduced axes are kept, with size 1.
        ord: The order: 1, 2, infinity, their negatives, ``"fro"`` or ``"nuc"``.
    """
    return _call_linalg("matrix_norm", x, keepdims=keepdims, ord=ord)


def matrix_power(x: ndarray, n: int, /) -> ndarray:
    """Return the ``n``-th powers of matrices ``[*batch, N, N]``."""
    return _call_linalg("matrix_power", x, n)


def matrix_rank(x: ndarray, /, *, rtol: Any = None) -> ndarray:
    """Return the ranks of matrices as int64.

    Args:
        x: ``[*batch, M, N]``.
        rtol: Singular values below ``rtol`` times the largest are treated as 0.
    """
    return _call_linalg("matrix_rank", x, rtol=rtol)


def outer(x1: ndarray, x2: ndarray, /) -> ndarray:
    """Return the outer product of two vectors.

    Args:
        x1: ``[M]``.
        x2: ``[N]``.

    Returns:
        ``[M, N]``.
    """
    for x in (x1, x2):
        if x.ndim != 1:
            raise ShapeError(f"outer: operands must have one axis, got an array {x.shape}")
    return multiply(expand_dims(x1, -1), x2)


def pinv(x: ndarray, /, *, rtol: Any = None) -> ndarray:
    """Return the pseudo-inverses of matrices; arguments as :func:`matrix_rank`."""
    return _call_linalg("pinv", x, rtol=rtol)


def qr(x: ndarray, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """Return the QR decomposition of each matrix: orthonormal Q and upper triangular R.

    Args:
        x: ``[*batch, M, N]``.
        mode: ``"reduced"``, where Q has ``min(M, N)`` columns, or ``"complete"``, M columns.
    """
    return QRResult(*_factors("qr", x, mode=mode))


def slogdet(x: ndarray, /) -> SlogdetResult:
    """Return the sign and the logarithm of the magnitude of each determinant."""
    return SlogdetResult(*_factors("slogdet", x))


def solve(x1: ndarray, x2: ndarray, /) -> ndarray:
    """Return the solutions of linear systems.

    Args:
        x1: ``[*batch, N, N]``.
        x2: ``[N]``, or ``[*batch, N, K]``.

    Raises:
        ArgumentError: A matrix is singular.
    """
    first, second = same_dtype("solve", x1, x2)
    return _call_linalg("solve", first, second)


def svd(x: ndarray, /, *, full_matrices: bool = True) -> SVDResult:
    """Return the singular value decomposition, with singular values in descending order.

    Args:
        x: ``[*batch, M, N]``.
        full_matrices: Whether to return all M and N singular vectors; else ``min(M, N)`` of each.
    """
    return SVDResult(*_factors("svd", x, full_matrices=full_matrices))


def svdvals(x: ndarray, /) -> ndarray:
    """Return the singular values in descending order."""
    return _call_linalg("svdvals", x)


def trace(x: ndarray, /, *, offset: int = 0, dtype: DType | None = None) -> ndarray:
    """Return the sums of diagonals of matrices.

    Args:
        x: ``[*batch, M, N]``.
        offset: The diagonal: 0 is the main one, positive ones are above it.
        dtype: As in :func:`sum`.
    """
    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: ndarray, /, *, axis: Axes | None = None, keepdims: bool = False, ord: float = 2
) -> ndarray:
    """Return the norms of vectors.

    Args:
        x: The numbers.
        axis: The axes of a vector; all if None.
        keepdims: Whether reduced axes are kept, with size 1.
        ord: The order: a number or infinity; 0 counts the nonzero elements.
    """
    return _call_linalg("vector_norm", x, axis=axis, keepdims=keepdims, ord=ord)
