"""Linear algebra: factors, inverses, norms."""

from typing import Any, Literal, NamedTuple

import numpy as onp

from hy_ndarray._errors import ArgumentError, DTypeError, ShapeError
from hy_ndarray.array_api._promotion import DType, name_of, same_dtype
from hy_ndarray.array_api._routes import on_host
from hy_ndarray.array_api.dtypes import astype, complex64, result_type
from hy_ndarray.array_api.elementwise import (
    multiply,
)
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
    """Result of :func:`eig`."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class EighResult(NamedTuple):
    """Result of :func:`eigh`."""

    eigenvalues: ndarray
    eigenvectors: ndarray


class QRResult(NamedTuple):
    """Result of :func:`qr`."""

    Q: ndarray
    R: ndarray


class SlogdetResult(NamedTuple):
    """Result of :func:`slogdet`."""

    sign: ndarray
    logabsdet: ndarray


class SVDResult(NamedTuple):
    """Result of :func:`svd`."""

    U: ndarray
    S: ndarray
    Vh: ndarray


def _run(name: str, *args: Any, **options: Any) -> Any:
    for x in args:
        if isinstance(x, ndarray) and x.dtype.kind not in "fc":
            raise DTypeError(f"{name}: takes floating numbers, not {name_of(x)}; see astype")
    try:
        return on_host(getattr(onp.linalg, name), *args, **options)
    except onp.linalg.LinAlgError as error:
        raise ArgumentError(f"{name}: {error}") from error


def cholesky(x: ndarray, /, *, upper: bool = False) -> ndarray:
    """The triangle whose product with its own transpose gives each matrix.

    Args:
        x: ``[*batch, N, N]``, symmetric or Hermitian, and positive definite.
        upper: Whether it is the upper triangle, else the lower one.

    Raises:
        ArgumentError: A matrix is not positive definite.
    """
    result: ndarray = _run("cholesky", x, upper=upper)
    return result


def cross(x1: ndarray, x2: ndarray, /, *, axis: int = -1) -> ndarray:
    """The vectors that stand upright on two others each.

    Args:
        x1: Vectors of 3 numbers.
        x2: Vectors; a shape that broadcasts against that of ``x1``.
        axis: Where their numbers are.

    Raises:
        ShapeError: There are not 3 numbers.
    """
    first, second = broadcast_arrays(*same_dtype("cross", x1, x2))
    if first.shape[axis] != 3:  # noqa: PLR2004
        raise ShapeError(f"cross: axis {axis} of shape {first.shape} has not 3 numbers")
    result: ndarray = on_host(onp.cross, first, second, axis=axis)
    return result


def det(x: ndarray, /) -> ndarray:
    """The determinants of matrices ``[*batch, N, N]``."""
    result: ndarray = _run("det", x)
    return result


def diagonal(x: ndarray, /, *, offset: int = 0) -> ndarray:
    """A diagonal of matrices.

    Args:
        x: ``[*batch, M, N]``.
        offset: Which; 0 is the main one, positive ones are above it.
    """
    result: ndarray = on_host(onp.linalg.diagonal, x, offset=offset)
    return result


def eig(x: ndarray, /) -> EigResult:
    """Eigenvalues and eigenvectors of matrices ``[*batch, N, N]``, complex."""
    return EigResult(*(_complex(part) for part in _run("eig", x)))


def eigvals(x: ndarray, /) -> ndarray:
    """Eigenvalues of matrices ``[*batch, N, N]``, complex."""
    return _complex(_run("eigvals", x))


def _complex(x: ndarray) -> ndarray:
    """Complex numbers, where numpy gives real ones as they have no imaginary parts."""
    return astype(x, result_type(x.dtype, complex64), copy=False)


def eigh(x: ndarray, /) -> EighResult:
    """Eigenvalues in rising order, and eigenvectors, of symmetric matrices ``[*batch, N, N]``."""
    return EighResult(*_run("eigh", x))


def eigvalsh(x: ndarray, /) -> ndarray:
    """Eigenvalues of symmetric matrices ``[*batch, N, N]`` in rising order."""
    result: ndarray = _run("eigvalsh", x)
    return result


def inv(x: ndarray, /) -> ndarray:
    """The inverses of matrices ``[*batch, N, N]``.

    Raises:
        ArgumentError: A matrix has none.
    """
    result: ndarray = _run("inv", x)
    return result


def matrix_norm(
    x: ndarray,
    /,
    *,
    keepdims: bool = False,
    ord: float | Literal["fro", "nuc"] | None = "fro",
) -> ndarray:
    """The norms of matrices.

    Args:
        x: ``[*batch, M, N]``.
        keepdims: Whether both axes stay, with size 1.
        ord: The order: 1, 2, infinity, their negatives, ``"fro"`` or ``"nuc"``.
    """
    result: ndarray = _run("matrix_norm", x, keepdims=keepdims, ord=ord)
    return result


def matrix_power(x: ndarray, n: int, /) -> ndarray:
    """Matrices ``[*batch, N, N]`` multiplied by themselves ``n`` times."""
    result: ndarray = _run("matrix_power", x, n)
    return result


def matrix_rank(x: ndarray, /, *, rtol: Any = None) -> ndarray:
    """The ranks of matrices, int64.

    Args:
        x: ``[*batch, M, N]``.
        rtol: Smaller singular values than this part of the largest count as 0.
    """
    result: ndarray = _run("matrix_rank", x, rtol=rtol)
    return result


def outer(x1: ndarray, x2: ndarray, /) -> ndarray:
    """The products of all pairs of elements.

    Args:
        x1: ``[M]``.
        x2: ``[N]``.

    Returns:
        ``[M, N]``.
    """
    for x in (x1, x2):
        if x.ndim != 1:
            raise ShapeError(f"outer: takes vectors, not shape {x.shape}")
    return multiply(expand_dims(x1, -1), x2)


def pinv(x: ndarray, /, *, rtol: Any = None) -> ndarray:
    """The pseudo-inverses of matrices; arguments as of :func:`matrix_rank`."""
    result: ndarray = _run("pinv", x, rtol=rtol)
    return result


def qr(x: ndarray, /, *, mode: Literal["reduced", "complete"] = "reduced") -> QRResult:
    """An orthonormal matrix and an upper triangle whose product is each matrix.

    Args:
        x: ``[*batch, M, N]``.
        mode: Whether there are ``min(M, N)`` columns, or M.
    """
    return QRResult(*_run("qr", x, mode=mode))


def slogdet(x: ndarray, /) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its absolute value."""
    return SlogdetResult(*_run("slogdet", x))


def solve(x1: ndarray, x2: ndarray, /) -> ndarray:
    """The solutions of linear equations.

    Args:
        x1: ``[*batch, N, N]``.
        x2: ``[N]``, or ``[*batch, N, K]``.

    Raises:
        ArgumentError: There is none, or more than one.
    """
    first, second = same_dtype("solve", x1, x2)
    result: ndarray = _run("solve", first, second)
    return result


def svd(x: ndarray, /, *, full_matrices: bool = True) -> SVDResult:
    """Singular values in falling order, and singular vectors.

    Args:
        x: ``[*batch, M, N]``.
        full_matrices: Whether there are M and N vectors, else the smaller number of both.
    """
    return SVDResult(*_run("svd", x, full_matrices=full_matrices))


def svdvals(x: ndarray, /) -> ndarray:
    """Singular values in falling order."""
    result: ndarray = _run("svdvals", x)
    return result


def trace(x: ndarray, /, *, offset: int = 0, dtype: DType | None = None) -> ndarray:
    """The sums of a diagonal.

    Args:
        x: ``[*batch, M, N]``.
        offset: Which; 0 is the main one, positive ones are above it.
        dtype: As of ``sum``.
    """
    return total(diagonal(x, offset=offset), axis=-1, dtype=dtype)


def vector_norm(
    x: ndarray,
    /,
    *,
    axis: Axes | None = None,
    keepdims: bool = False,
    ord: float = 2,
) -> ndarray:
    """The norms of vectors.

    Args:
        x: The numbers.
        axis: Along which axes they are; all if None.
        keepdims: Whether these axes stay, with size 1.
        ord: The order: a number or infinity; 0 counts what is not 0.
    """
    result: ndarray = _run("vector_norm", x, axis=axis, keepdims=keepdims, ord=ord)
    return result
