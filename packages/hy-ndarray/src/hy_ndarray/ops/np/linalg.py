"""Linear algebra: factorizations, inverses, linear systems, pseudo-inverses."""
# ruff: noqa: N803, N806  # MXNet names matrices A and B

from collections.abc import Sequence
from typing import Any, Literal

from hy_ndarray._errors import DTypeError, ShapeError
from hy_ndarray.ops.elementwise.unary import square
from hy_ndarray.ops.linalg.decomposition import det, inverse_gaps, potrf, slogdet
from hy_ndarray.ops.linalg.matrices import make_diagonal, matrices, symmetric_gradient
from hy_ndarray.ops.np.arithmetic import np_multiply
from hy_ndarray.ops.np.axes import np_moveaxis, np_tril
from hy_ndarray.ops.np.products import np_matmul, np_tensordot_int_axes
from hy_ndarray.ops.record.params import Shape
from hy_ndarray.ops.record.rules import (
    broadcast_shapes,
    check_axis,
    floating,
    like_result,
    same,
    same_dtype,
    same_shape,
)
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.traits import Traits
from hy_ndarray.ops.record.types import PartialShape, TensorType, element_count, show
from hy_ndarray.ops.shaping.axes import swapaxes
from hy_ndarray.ops.shaping.reshape import expand_dims

Triangle = Literal["L", "U"]


def _swap_last_axes(matrix: Any) -> Any:
    return swapaxes(matrix, dim1=-1, dim2=-2)


def _grad_cholesky(saved: Saved, dy: Any) -> Sequence[Any]:
    assert potrf.op.grad is not None
    lower = Saved(saved.inputs, saved.outputs, {"lower": True}, saved.is_train, saved.wanted)
    return potrf.op.grad(lower, dy)


@operator("_npi_cholesky", grad=_grad_cholesky)
def np_cholesky(A: TensorType) -> TensorType:
    """Return the lower Cholesky factor ``L`` with ``L · Lᵀ = A``.

    Args:
        A: ``[*batch, N, N]``, symmetric and positive definite; only the lower triangle is read.

    Raises:
        ShapeError: ``A`` is not square.
    """
    matrices(A, square=True)
    return A


def _one_each(A: TensorType) -> TensorType:
    """Return the type of one number per matrix: the batch shape, ``()`` for a single matrix."""
    matrices(A, square=True)
    return A.with_shape(None if A.shape is None else A.shape[:-2])


@operator("_npi_det", outputs=("output0",), grad=det.op.grad, traits=Traits(outputs_in_files=3))
def np_det(A: TensorType) -> TensorType:
    """Return the determinant of each matrix.

    Args:
        A: ``[*batch, N, N]``.

    Returns:
        ``[*batch]``; 0-dimensional for a single matrix.

    Raises:
        ShapeError: ``A`` is not square.
    """
    return _one_each(A)


@operator(
    "_npi_slogdet",
    outputs=("output0", "output1"),
    grad=slogdet.op.grad,
    traits=Traits(outputs_in_files=4),
)
def np_slogdet(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the sign and the logarithm of the absolute value of each determinant."""
    sign = _one_each(A)
    return sign, sign.with_dtype(sign.dtype)


def _grad_svd(saved: Saved, du: Any, ds: Any, dv: Any) -> tuple[Any]:
    u, s, v = saved.outputs
    gaps = inverse_gaps(square(s))
    columns, rows = expand_dims(s, axis=-2), expand_dims(s, axis=-1)
    ut, vt = _swap_last_axes(u), _swap_last_axes(v)
    uu, vv = np_matmul(ut, du), np_matmul(v, _swap_last_axes(dv))
    inner = np_multiply(gaps * (uu - _swap_last_axes(uu)), columns)
    inner = inner + np_multiply(gaps * (vv - _swap_last_axes(vv)), rows)
    inner = inner + make_diagonal(ds)
    dA = np_matmul(np_matmul(u, inner), v)
    beside_u = np_multiply(du - np_matmul(u, uu), 1 / columns)
    beside_v = np_multiply(dv - np_matmul(np_matmul(dv, vt), v), 1 / rows)
    return (dA + np_matmul(beside_u, v) + np_matmul(u, beside_v),)


@operator("_npi_svd", outputs=("output0", "output1", "output2"), grad=_grad_svd)
def np_svd(A: TensorType) -> tuple[TensorType, TensorType, TensorType]:
    """Return the singular value decomposition ``A = U · diag(S) · V``.

    Args:
        A: ``[*batch, M, N]``, floating.

    Returns:
        ``U [*batch, M, K]``, ``S [*batch, K]`` in descending order, ``V [*batch, K, N]``, where
        ``K = min(M, N)``. The largest element of each row of ``V`` is positive.

    Raises:
        ShapeError: ``A`` has fewer than two axes.

    Source:
        Gradient: Townsend 2016, Differentiating the singular value decomposition.
    """
    matrices(A)
    if A.shape is None:
        return A.with_shape(None), A.with_shape(None), A.with_shape(None)
    *batch, m, n = A.shape
    k = None if m is None or n is None else min(m, n)
    return A.with_shape((*batch, m, k)), A.with_shape((*batch, k)), A.with_shape((*batch, k, n))


def _grad_eigh(saved: Saved, dw: Any, dv: Any) -> tuple[Any]:
    w, v = saved.outputs
    inner = inverse_gaps(w) * np_matmul(_swap_last_axes(v), dv) + make_diagonal(dw)
    whole = np_matmul(np_matmul(v, inner), _swap_last_axes(v))
    return (symmetric_gradient(whole, lower=saved.params["UPLO"] == "L"),)


def _spectrum(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the types of eigenvalues and eigenvectors; float64 for integers."""
    matrices(A.with_dtype(None), square=True)
    if A.dtype in ("float16", "bool"):
        raise DTypeError(
            f"eigenvalues of {A.label}{A.dtype} are not supported; use A.astype('float32')"
        )
    kind = A.dtype if A.dtype is None or "float" in A.dtype else "float64"
    return TensorType(None if A.shape is None else A.shape[:-1], kind), A.with_dtype(kind)


@operator("_npi_eigh", outputs=("output0", "output1"), grad=_grad_eigh)
def np_eigh(A: TensorType, *, UPLO: Triangle = "L") -> tuple[TensorType, TensorType]:
    """Return the eigenvalues and eigenvectors of symmetric matrices.

    Args:
        A: ``[*batch, N, N]``; only one triangle is read.
        UPLO: The triangle: ``"L"`` for the lower, ``"U"`` for the upper.

    Returns:
        The eigenvalues ``[*batch, N]`` in ascending order, and the eigenvectors as columns; the
        largest element of each eigenvector is positive.

    Raises:
        ShapeError: ``A`` is not square.
    """
    return _spectrum(A)


def _grad_eigvalsh(saved: Saved, dw: Any) -> tuple[Any]:
    (A,) = saved.inputs
    v = np_eigh(A, **saved.params)[1]
    whole = np_matmul(np_multiply(v, expand_dims(dw, axis=-2)), _swap_last_axes(v))
    return (symmetric_gradient(whole, lower=saved.params["UPLO"] == "L"),)


@operator("_npi_eigvalsh", grad=_grad_eigvalsh)
def np_eigvalsh(A: TensorType, *, UPLO: Triangle = "L") -> TensorType:
    """Return the eigenvalues of symmetric matrices in ascending order."""
    return _spectrum(A)[0]


@operator("_npi_eig", outputs=("output0", "output1"))
def np_eig(A: TensorType) -> tuple[TensorType, TensorType]:
    """Return the eigenvalues and eigenvectors (columns) of matrices with real eigenvalues.

    Args:
        A: ``[*batch, N, N]``.

    Raises:
        ShapeError: ``A`` is not square.
        KernelError: An eigenvalue is not real.
    """
    return _spectrum(A)


@operator("_npi_eigvals")
def np_eigvals(A: TensorType) -> TensorType:
    """Return the eigenvalues of matrices whose eigenvalues are real."""
    return _spectrum(A)[0]


def _grad_solve(saved: Saved, dy: Any) -> tuple[Any, Any]:
    A, _ = saved.inputs
    dB = np_solve(_swap_last_axes(A), dy)
    return solve_backward(dB, saved.outputs[0], A), dB


@operator("_npi_solve", grad=_grad_solve)
def np_solve(A: TensorType, B: TensorType) -> TensorType:
    """Return the solution ``X`` of the linear system ``A · X = B``.

    Args:
        A: ``[*batch, N, N]``, floating, not singular.
        B: ``[*batch, N, K]``, or ``[N]`` for a single ``A``; same dtype as ``A``.

    Raises:
        ShapeError: The shapes do not match.
    """
    matrices(A, square=True)
    same_dtype(A, B)
    if A.shape is None or B.shape is None:
        return B
    rank, vector = len(A.shape), len(B.shape) == 1
    if len(B.shape) != rank and not (vector and rank == 2):
        raise ShapeError(
            f"A {show(A.shape)} and B {show(B.shape)} must have the same number of axes, or B one "
            "axis"
        )
    A.set_shape((*B.shape[:1], None) if vector else (*B.shape[:-1], None))
    B.set_shape(A.shape[:1] if vector else (*A.shape[:-1], None))
    return B


def _grad_solve_backward(saved: Saved, dA: Any) -> tuple[Any, Any, None]:
    dB, x, _ = saved.inputs
    return -np_matmul(dA, x), -np_matmul(_swap_last_axes(dA), dB), None


@operator("_np_solve_backward", grad=_grad_solve_backward)
def solve_backward(dB: TensorType, x: TensorType, A: TensorType) -> TensorType:
    """Return the gradient of ``solve`` with respect to ``A``: ``-dB · xᵀ``."""
    same(dB, x)
    like_result(dB, np_solve, A, x)
    return A


def _inverted(A: TensorType, hermitian: bool) -> TensorType:
    matrices(A, square=hermitian)
    return A.with_shape(None if A.shape is None else (*A.shape[:-2], A.shape[-1], A.shape[-2]))


def _grad_pinv(saved: Saved, dy: Any) -> tuple[Any, ...]:
    """Return the gradient of ``pinv`` at constant rank (Golub and Pereyra, 1973)."""
    A, y = saved.inputs[0], saved.outputs[0]
    hermitian = saved.params["hermitian"]
    if hermitian:  # the lower triangle is read
        A = np_tril(A) + _swap_last_axes(np_tril(A, k=-1))
    y_t, dy_t = _swap_last_axes(y), _swap_last_axes(dy)
    left = np_matmul(np_matmul(dy_t, y), y_t)
    right = np_matmul(np_matmul(y_t, y), dy_t)
    dA = left - np_matmul(A, np_matmul(y, left)) + right - np_matmul(np_matmul(right, y), A)
    dA = dA - np_matmul(np_matmul(y_t, dy), y_t)
    dA = symmetric_gradient(dA, lower=True) if hermitian else dA
    return dA, *[None] * (len(saved.inputs) - 1)


@operator("_npi_pinv", grad=_grad_pinv)
def np_pinv(A: TensorType, rcond: TensorType, *, hermitian: bool = False) -> TensorType:
    """Return the Moore-Penrose pseudo-inverse of matrices.

    Args:
        A: ``[*batch, M, N]``, floating.
        rcond: ``[*batch]``; singular values below ``rcond`` times the largest are treated as 0.
        hermitian: Whether ``A`` is symmetric; only its lower triangle is then read.

    Returns:
        ``[*batch, N, M]``.

    Gradient:
        With respect to ``A`` only, at constant rank.
    """
    result = _inverted(A, hermitian)
    if A.shape is not None:
        batch = A.with_shape(A.shape[:-2])
        batch.set_shape(broadcast_shapes(rcond.shape, batch.shape))
    return result


@operator("_npi_pinv_scalar_rcond", grad=_grad_pinv)
def np_pinv_scalar_rcond(
    A: TensorType, *, rcond: float = 1e-15, hermitian: bool = False
) -> TensorType:
    """Return the pseudo-inverse as ``pinv`` does, with one ``rcond`` for all matrices."""
    return _inverted(A, hermitian)


def _grad_tensorinv(saved: Saved, dy: Any) -> tuple[Any]:
    return (tensorinv_backward(dy, saved.outputs[0], saved.inputs[0], **saved.params),)


@operator("_npi_tensorinv", grad=_grad_tensorinv)
def np_tensorinv(a: TensorType, *, ind: int = 2) -> TensorType:
    """Return the inverse of ``a`` with respect to ``tensordot`` over its first ``ind`` axes.

    Args:
        a: ``[*I, *J]`` with as many elements along ``I`` as along ``J``; floating.
        ind: Number of axes in ``I``.

    Returns:
        ``[*J, *I]``.

    Raises:
        ShapeError: ``ind`` is not positive, or ``a`` has fewer axes.
        DTypeError: ``a`` is not floating.
    """
    floating(a)
    if a.shape is None:
        return a.with_shape(None)
    if not 0 < ind <= len(a.shape):
        raise ShapeError(f"ind={ind} must be between 1 and the {len(a.shape)} axes of {a!r}")
    _check_square(a.shape[:ind], a.shape[ind:], a)
    return a.with_shape((*a.shape[ind:], *a.shape[:ind]))


def _check_square(rows: PartialShape, columns: PartialShape, a: TensorType) -> None:
    """Check that the axes ``rows`` have as many elements as the axes ``columns``."""
    if None not in (*rows, *columns) and element_count(rows) != element_count(columns):
        raise ShapeError(
            f"{a!r} must have as many elements along the axes {show(rows)} as along {show(columns)}"
        )


@operator("_np_tensorinv_backward")
def tensorinv_backward(dy: TensorType, y: TensorType, a: TensorType, *, ind: int = 2) -> TensorType:
    """Return the gradient of ``tensorinv``: ``-yᵀ · dy · yᵀ``, with ``y`` its result."""
    floating(dy, y, a)
    same_shape(dy, y)
    like_result(dy, np_tensorinv, a, ind=ind)
    return a


def _grad_tensorsolve(saved: Saved, dy: Any) -> tuple[Any, Any]:
    a, b = saved.inputs
    axes = saved.params["a_axes"]
    db = tensorsolve_backward(dy, a, b, a_axes=axes)
    da = -np_tensordot_int_axes(db, saved.outputs[0], axes=0)
    if axes:
        last = tuple(range(-len(axes), 0))
        da = np_moveaxis(da, source=last, destination=axes)
    return da, db


def _unknowns(a: TensorType, b: TensorType, axes: Shape | None) -> PartialShape | None:
    if a.shape is None or b.shape is None:
        return None
    last = [check_axis(axis, a) for axis in axes or ()]
    order = [i for i in range(len(a.shape)) if i not in last] + [i for i in last if i is not None]
    rows, columns = ([a.shape[i] for i in some] for some in (order[: b.rank], order[b.rank :]))
    _check_square(tuple(rows), tuple(columns), a)
    if None not in (*rows, *b.shape) and element_count(tuple(rows)) != element_count(b.shape):
        raise ShapeError(
            f"{b!r} must have as many elements as the axes {show(tuple(rows))} of {a!r}"
        )
    return tuple(columns)


@operator("_npi_tensorsolve", grad=_grad_tensorsolve)
def np_tensorsolve(a: TensorType, b: TensorType, *, a_axes: Shape | None = None) -> TensorType:
    """Return the solution ``x`` of ``tensordot(a, x, x.ndim) = b``.

    Args:
        a: ``[*I, *J]`` with as many elements along ``I`` as along ``J``; floating.
        b: ``[*I]``, same dtype as ``a``.
        a_axes: Axes of ``a`` to move to the end first.

    Returns:
        ``[*J]``.

    Raises:
        DTypeError: The dtypes differ, or are not floating.
    """
    floating(a, b)
    return a.with_shape(_unknowns(a, b, a_axes))


@operator("_np_tensorsolve_backward")
def tensorsolve_backward(
    dy: TensorType, a: TensorType, b: TensorType, *, a_axes: Shape | None = None
) -> TensorType:
    """Return the gradient of ``tensorsolve`` with respect to ``b``."""
    floating(dy, a, b)
    like_result(dy, np_tensorsolve, a, b, a_axes=a_axes)
    return b
