"""Linear algebra: ``np.linalg``, on arrays and on symbols."""

import math
from collections.abc import Callable
from typing import Any

from hy_ndarray._errors import ArgumentError
from hy_ndarray.np.calls import A, call, is_number
from hy_ndarray.np.fallback import ToArray, ToValue, on_host
from hy_ndarray.np.multiarray import ndarray
from hy_ndarray.suggestion import suggest_members as _suggest_members

__all__ = [
    "cholesky",
    "cond",
    "det",
    "eig",
    "eigh",
    "eigvals",
    "eigvalsh",
    "inv",
    "lstsq",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "norm",
    "pinv",
    "qr",
    "slogdet",
    "solve",
    "svd",
    "tensorinv",
    "tensorsolve",
]

_FLAT, _GENERAL, _SPECTRAL, _FROBENIUS, _NUCLEAR = -2, -1, 0, 1, 2
_NAMED = {"fro": _FROBENIUS, "nuc": _NUCLEAR, "inf": _GENERAL, "-inf": _GENERAL}
_PAIR = 2  # axes


def norm(x: A, ord: Any = None, axis: Any = None, keepdims: bool = False) -> A:
    """Return norms of vectors or matrices.

    Args:
        x: The array.
        ord: The order: a number, infinity, ``"fro"`` or ``"nuc"``; None for the 2-norm of vectors,
            or the Frobenius norm of matrices.
        axis: The axis of vectors, or the two axes of matrices; None for all axes.
        keepdims: Keep the reduced axes, with size 1.

    Raises:
        ArgumentError: ``ord`` is unknown.
        ShapeError: ``axis`` names more than two axes.

    Example:
        >>> from hy_ndarray import np
        >>> np.linalg.norm(np.array([[3, 4], [6, 8]]), axis=1)
        array([ 5., 10.])
    """
    axes = None if axis is None else (axis,) if is_number(axis) else tuple(axis)
    if ord is None:
        flag = _FLAT if axes is None else _FROBENIUS
        return call("_npi_norm", x, ord=2.0, axis=axes, flag=flag, keepdims=keepdims)
    if isinstance(ord, str):
        if ord not in _NAMED:
            raise ArgumentError(f"norm: ord={ord!r} must be a number or one of {', '.join(_NAMED)}")
        flag = _NAMED[ord]
        order = float(ord) if flag == _GENERAL else 2.0
    else:
        flag, order = _GENERAL, float(ord)
    if axes is None and _rank(x) == _PAIR:
        axes = (0, 1)
    if flag == _GENERAL and axes is not None and len(axes) == _PAIR and abs(order) == _PAIR:
        flag = _SPECTRAL
    is_matrix_norm = axes is not None and len(axes) == _PAIR and flag == _GENERAL
    if is_matrix_norm and abs(order) != 1 and not math.isinf(order):
        raise ArgumentError(
            f"norm: ord={order} is not supported for matrices; use 1, -1, 2, -2, inf, -inf, 'fro' "
            "or 'nuc'"
        )
    return call("_npi_norm", x, ord=order, axis=axes, flag=flag, keepdims=keepdims)


def _rank(x: Any) -> int | None:
    """Return the number of axes of an array; None for a symbol, whose shape is unknown."""
    return len(x.shape) if hasattr(type(x), "buffer") else None


def svd(a: A) -> tuple[A, A, A]:
    """Return the reduced SVD of matrices: ``U``, ``S``, ``V`` with ``a = U · diag(S) · V``."""
    parts: Any = call("_npi_svd", a)
    u, s, v = parts
    return u, s, v


def cholesky(a: A) -> A:
    """Return the lower triangular Cholesky factor ``L`` of ``a = L · Lᵀ``."""
    return call("_npi_cholesky", a)


def inv(a: A) -> A:
    """Return the inverses of matrices ``[*batch, N, N]``."""
    return call("_npi_inv", a)


def det(a: A) -> A:
    """Return the determinants of matrices ``[*batch, N, N]``."""
    return call("_npi_det", a)


def slogdet(a: A) -> list[A]:
    """Return the sign and the logarithm of the absolute value of each matrix's determinant."""
    parts: Any = call("_npi_slogdet", a)
    outputs: list[A] = parts
    return outputs


def pinv(a: A, rcond: Any = 1e-15, hermitian: bool = False) -> A:
    """Return the pseudo-inverses of matrices ``[*batch, M, N]``.

    Args:
        a: The matrices.
        rcond: Singular values below ``rcond`` times the largest one are treated as 0.
        hermitian: Whether ``a`` is symmetric.
    """
    if is_number(rcond):
        return call("_npi_pinv_scalar_rcond", a, rcond=float(rcond), hermitian=hermitian)
    return call("_npi_pinv", a, rcond, hermitian=hermitian)


def solve(a: A, b: Any) -> A:
    """Return the solution ``x`` of the linear equations ``a · x = b``."""
    return call("_npi_solve", a, b)


def tensorinv(a: A, ind: int = 2) -> A:
    """Return the inverse of ``a`` for ``tensordot``, with the first ``ind`` axes as rows."""
    return call("_npi_tensorinv", a, ind=ind)


def tensorsolve(a: A, b: Any, axes: Any = None) -> A:
    """Return the solution ``x`` of ``tensordot(a, x) = b`` over all axes of ``x``."""
    return call("_npi_tensorsolve", a, b, a_axes=None if axes is None else tuple(axes))


def eig(a: A) -> tuple[A, A]:
    """Return real eigenvalues of square matrices, and eigenvectors as columns."""
    parts: Any = call("_npi_eig", a)
    values, vectors = parts
    return values, vectors


def eigvals(a: A) -> A:
    """Return the real eigenvalues of square matrices."""
    return call("_npi_eigvals", a)


def eigh(a: A, UPLO: str = "L") -> tuple[A, A]:  # noqa: N803  # numpy's name
    """Return eigenvalues of symmetric matrices in ascending order, and eigenvectors."""
    parts: Any = call("_npi_eigh", a, UPLO=UPLO)
    values, vectors = parts
    return values, vectors


def eigvalsh(a: A, UPLO: str = "L") -> A:  # noqa: N803  # numpy's name
    """Return eigenvalues of symmetric matrices in ascending order."""
    return call("_npi_eigvalsh", a, UPLO=UPLO)


cond: ToValue = on_host("linalg.cond")
lstsq: Callable[..., tuple[ndarray, ndarray, Any, ndarray]] = on_host("linalg.lstsq")
matrix_power: ToArray = on_host("linalg.matrix_power")
matrix_rank: ToValue = on_host("linalg.matrix_rank")
multi_dot: ToValue = on_host("linalg.multi_dot")
qr: Callable[..., tuple[ndarray, ...] | Any] = on_host("linalg.qr")

_suggest_members(globals())
