"""Factorisations, inverses and determinants.

Every operator works on batches of matrices, along the leading axes. Gradients are those of Seeger,
Hetzel, Dai, Meissner, Lawrence 2017, arXiv:1710.08717; an operator that reads only one triangle of
a symmetric matrix returns a symmetric gradient.
"""
# ruff: noqa: N803  # MXNet names matrices A

from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.ops.linalg.matrices import (
    extract_diagonal,
    gemm2,
    make_diagonal,
    matrices,
    symmetric_of,
    triangle,
    trsm,
)
from hy_ndarray.ops.record.rules import expect_axes, floating
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import TensorType, show
from hy_ndarray.ops.reduce import reductions as reduce
from hy_ndarray.ops.reduce.reductions import expand_reduced
from hy_ndarray.ops.shaping.axes import swapaxes
from hy_ndarray.ops.shaping.creation import ones_like


def _grad_potrf(saved: Saved, dy: Any) -> tuple[Any]:
    (factor,) = saved.outputs
    lower = saved.params["lower"]
    transposition = {"transpose_a": True} if lower else {"transpose_b": True}
    inner = symmetric_of(gemm2(factor, dy, **transposition))
    left = trsm(factor, inner, transpose=lower, lower=lower, alpha=0.5)
    return (trsm(factor, left, rightside=True, transpose=not lower, lower=lower),)


@operator("_linalg_potrf", "linalg_potrf", grad=_grad_potrf)
def potrf(A: TensorType, *, lower: bool = True) -> TensorType:
    """Return the Cholesky factor ``L`` of ``A = L · Lᵀ``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64, symmetric and positive definite; only one
            triangle is read.
        lower: Read the lower triangle and return ``L``; else read the upper one and return ``Lᵀ``.

    Returns:
        The shape of ``A``, zero in the other triangle.

    Raises:
        ShapeError: ``A`` is not square.
        KernelError: ``A`` is not positive definite.

    Gradient:
        Symmetric, as ``A`` is taken to stay symmetric.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.potrf(nd.array([[4, 2], [2, 2]])).asnumpy()
        array([[2., 0.],
               [1., 1.]], dtype=float32)
    """
    matrices(A, square=True)
    return A


def _grad_potri(saved: Saved, dy: Any) -> tuple[Any]:
    (factor,), (y,) = saved.inputs, saved.outputs
    if saved.params["lower"]:
        outer = gemm2(y, dy) + gemm2(y, dy, transpose_b=True)
        da = trsm(factor, outer, rightside=True, transpose=True, alpha=-1.0)
        return (triangle(da),)
    outer = gemm2(dy, y) + gemm2(dy, y, transpose_a=True)
    da = trsm(factor, outer, transpose=True, lower=False, alpha=-1.0)
    return (triangle(da, lower=False),)


@operator("_linalg_potri", "linalg_potri", grad=_grad_potri)
def potri(A: TensorType, *, lower: bool = True) -> TensorType:
    """Return the inverse of ``A · Aᵀ``, from its Cholesky factor ``A``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64, triangular; the other triangle is not read.
        lower: Whether ``A`` is lower triangular; else it is upper, and ``Aᵀ · A`` is inverted.

    Returns:
        The shape of ``A``.

    Raises:
        ShapeError: ``A`` is not square.
        KernelError: ``A`` is singular.
    """
    matrices(A, square=True)
    return A


def _grad_gelqf(saved: Saved, dq: Any, dl: Any) -> tuple[Any]:
    q, factor = saved.outputs
    inner = gemm2(factor, dl, transpose_a=True) - gemm2(dq, q, transpose_b=True)
    outer = dq + gemm2(symmetric_of(inner), q)
    return (trsm(factor, outer, transpose=True),)


@operator("_linalg_gelqf", "linalg_gelqf", outputs=("output0", "output1"), grad=_grad_gelqf)
def gelqf(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the factors ``Q`` and ``L`` of the LQ decomposition ``A = L · Q``.

    Args:
        A: ``[*batch, M, N]``, float32 or float64, ``M <= N``, of full rank.

    Returns:
        ``Q [*batch, M, N]`` with orthonormal rows, and the lower triangle ``L [*batch, M, M]``.

    Raises:
        ShapeError: ``A`` has more rows than columns.
    """
    matrices(A)
    if A.shape is None:
        return A, A.with_shape(None)
    *batch, rows, columns = A.shape
    if rows is not None and columns is not None and rows > columns:
        raise ShapeError(f"A{show(A.shape)} has more rows than columns")
    return A, A.with_shape((*batch, rows, rows))


def _grad_syevd(saved: Saved, du: Any, dvalues: Any) -> tuple[Any]:
    u, values = saved.outputs
    inner = make_diagonal(dvalues) + inverse_gaps(values) * gemm2(u, du, transpose_b=True)
    whole = gemm2(gemm2(u, inner, transpose_a=True), u)
    return (0.5 * (whole + swapaxes(whole, dim1=-1, dim2=-2)),)


@operator("_linalg_syevd", outputs=("output0", "output1"), grad=_grad_syevd)
def syevd(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the eigenvectors and eigenvalues of a symmetric matrix: ``A = Uᵀ · diag(L) · U``.

    Args:
        A: ``[*batch, N, N]``, float32 or float64; only the lower triangle is read.

    Returns:
        ``U [*batch, N, N]``, whose rows are the eigenvectors, each with its largest element
        positive; and the eigenvalues ``L [*batch, N]``, smallest first.

    Raises:
        ShapeError: ``A`` is not square.

    Gradient:
        Symmetric, as ``A`` is taken to stay symmetric; pairs of eigenvectors with equal
        eigenvalues contribute nothing.
    """
    matrices(A, square=True)
    return A, A.with_shape(None if A.shape is None else A.shape[:-1])


def _grad_inverse_gaps(saved: Saved, dy: Any) -> tuple[Any]:
    (gaps,) = saved.outputs
    scaled = dy * gaps * gaps
    return (reduce.sum(scaled, axis=(-1,)) - reduce.sum(scaled, axis=(-2,)),)


@operator("_linalg_inverse_gaps", grad=_grad_inverse_gaps)
def inverse_gaps(values: TensorType) -> TensorType:
    """Return the matrix of ``1 / (values[j] - values[i])`` at ``[i, j]``; 0 for equal values."""
    floating(values)
    expect_axes(values, 1)
    if values.shape is None:
        return values.with_shape(None)
    return values.with_shape((*values.shape, values.shape[-1]))


def _grad_inverse(saved: Saved, dy: Any) -> tuple[Any]:
    (y,) = saved.outputs
    return (gemm2(gemm2(y, dy, transpose_a=True), y, transpose_b=True, alpha=-1.0),)


@operator("_linalg_inverse", "linalg_inverse", "_npi_inv", grad=_grad_inverse)
def inverse(A: TensorType) -> TensorType:
    """Return the inverse of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        The shape of ``A``.

    Raises:
        ShapeError: ``A`` is not square.
        KernelError: ``A`` is singular.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.inverse(nd.array([[2, 0], [0, 4]])).asnumpy()
        array([[0.5 , 0.  ],
               [0.  , 0.25]], dtype=float32)
    """
    matrices(A, square=True)
    return A


def _counted(a: TensorType) -> TensorType:
    """Return the type of one number per matrix, of the batch shape or ``(1,)`` without a batch."""
    matrices(a, square=True)
    return a.with_shape(None if a.shape is None else a.shape[:-2] or (1,))


def _grad_det(saved: Saved, dy: Any) -> tuple[Any]:
    (a,) = saved.inputs
    return (expand_reduced(dy, a, axis=(-2, -1)) * cofactor(a),)


@operator(
    "_linalg_det",
    "linalg_det",
    outputs=("output0",),
    grad=_grad_det,
    traits=Traits(outputs_in_files=3),
)
def det(A: TensorType) -> TensorType:
    """Return the determinant of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        ``[*batch]``; ``(1,)`` for a single matrix.

    Raises:
        ShapeError: ``A`` is not square.

    Gradient:
        The cofactors times ``dy``; defined for singular matrices too.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.det(nd.array([[2, 1], [1, 2]])).asnumpy()
        array([3.], dtype=float32)
    """
    return _counted(A)


def _grad_cofactor(saved: Saved, dy: Any) -> tuple[Any]:
    (a,), (y,) = saved.inputs, saved.outputs
    inverted = inverse(a)
    along = expand_reduced(reduce.sum(dy * y, axis=(-2, -1)), a, axis=(-2, -1))
    product = gemm2(gemm2(inverted, dy, transpose_a=True, transpose_b=True), y)
    return (along * gemm2(inverted, _identity_like(a), transpose_a=True) - product,)


def _identity_like(a: Any) -> Any:
    """Return identity matrices in the shape of ``a``."""
    return make_diagonal(ones_like(extract_diagonal(a)))


@operator("_linalg_cofactor", grad=_grad_cofactor)
def cofactor(A: TensorType) -> TensorType:
    """Return the cofactors of each matrix: ``det(A) · A⁻ᵀ``."""
    matrices(A, square=True)
    return A


def _grad_slogdet(saved: Saved, dsign: Any, dlog: Any) -> tuple[Any]:  # the sign has none
    (a,) = saved.inputs
    inverse_transposed = gemm2(inverse(a), _identity_like(a), transpose_a=True)
    return (expand_reduced(dlog, a, axis=(-2, -1)) * inverse_transposed,)


@operator(
    "_linalg_slogdet",
    "linalg_slogdet",
    outputs=("output0", "output1"),
    grad=_grad_slogdet,
    traits=Traits(outputs_in_files=4),
)
def slogdet(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the sign and logarithm of the absolute value of the determinant of each matrix.

    Args:
        A: ``[*batch, N, N]``, float32 or float64.

    Returns:
        The sign (0 for a singular matrix) and the logarithm (then minus infinity), each
        ``[*batch]``; ``(1,)`` for a single matrix.

    Raises:
        ShapeError: ``A`` is not square.

    Gradient:
        Of the logarithm only.
    """
    sign = _counted(A)
    return sign, sign.with_dtype(sign.dtype)


def _grad_sum_log_diagonal(saved: Saved, dy: Any) -> tuple[Any]:
    diagonal = extract_diagonal(saved.inputs[0])
    return (make_diagonal(expand_reduced(dy, diagonal, axis=(-1,)) / diagonal),)


@operator("_linalg_sumlogdiag", "linalg_sumlogdiag", grad=_grad_sum_log_diagonal)
def sum_log_diagonal(A: TensorType) -> TensorType:
    """Return for each matrix the sum of the logarithms of its diagonal.

    Args:
        A: ``[*batch, N, N]``, float32 or float64; nan where the diagonal is negative.

    Returns:
        ``[*batch]``; ``(1,)`` for a single matrix.

    Raises:
        ShapeError: ``A`` is not square.
    """
    return _counted(A)
