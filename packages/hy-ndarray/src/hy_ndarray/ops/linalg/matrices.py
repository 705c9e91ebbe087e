"""BLAS-style products of matrices; triangles and diagonals of matrices.

Every operator works on batches of matrices, along the leading axes.
"""
# ruff: noqa: N803  # MXNet names matrices A, B and C

from math import isqrt
from typing import Any

from hy_ndarray._errors import ShapeError
from hy_ndarray.devices._protocols import Params
from hy_ndarray.ops.adjoints import gradient_by
from hy_ndarray.ops.record.rules import floating, same_dtype
from hy_ndarray.ops.record.schema import Saved, operator
from hy_ndarray.ops.record.types import PartialShape, TensorType, merge_shapes, show


def matrices(*types: TensorType, square: bool = False) -> str | None:
    """Check that operands are batches of (square) matrices of one floating dtype, and return it.

    Raises:
        DTypeError: The dtypes differ, or are not floating.
        ShapeError: An operand is not a batch of (square) matrices.
    """
    dtype = floating(*types)
    for t in types:
        if t.shape is None:
            continue
        if len(t.shape) < 2:
            raise ShapeError(f"{t.label}{show(t.shape)} must have at least 2 axes")
        if square:
            *batch, rows, columns = t.shape
            if rows is not None and columns is not None and rows != columns:
                raise ShapeError(f"{t.label}{show(t.shape)} must be square in its last two axes")
            size = columns if rows is None else rows
            t.set_shape((*batch, size, size))
    return dtype


def _product_shape(
    a: TensorType, b: TensorType, turn_a: bool, turn_b: bool, axis: int
) -> PartialShape | None:
    """Return the shape of ``A · B`` with rows along ``axis`` and columns along the last axis."""
    matrices(a, b)
    if a.shape is None or b.shape is None:
        return None
    rank = len(a.shape)
    row = axis % rank if -rank <= axis < rank else rank
    if row >= rank - 1:
        raise ShapeError(f"axis={axis} must be an axis of {a.label}{show(a.shape)} before the last")
    m, k = a.shape[row], a.shape[-1]
    q, n = (b.shape[row], b.shape[-1]) if len(b.shape) == rank else (None, None)
    m, k = (k, m) if turn_a else (m, k)
    q, n = (n, q) if turn_b else (q, n)
    try:
        others = merge_shapes((*_but(a.shape, row), k), (*_but(b.shape, row), q))
    except ShapeError:
        operands = f"{a.label}{show(a.shape)} and {b.label}{show(b.shape)}"
        raise ShapeError(
            f"inner dimensions or batch shapes of {operands} differ (transpose_a={turn_a}, "
            f"transpose_b={turn_b}, axis={axis})"
        ) from None
    assert others is not None
    return (*others[:row], m, *others[row:-1], n)


def _but(shape: PartialShape, row: int) -> PartialShape:
    """Return the shape without the axis ``row`` and the last axis."""
    return tuple(n for i, n in enumerate(shape[:-1]) if i != row)


def _grad_gemm2(saved: Saved, dy: Any) -> tuple[Any, Any]:
    a, b = saved.inputs[:2]
    rest = {"alpha": saved.params["alpha"], "axis": saved.params["axis"]}
    turn_a, turn_b = saved.params["transpose_a"], saved.params["transpose_b"]
    if turn_a:
        da = gemm2(b, dy, transpose_a=turn_b, transpose_b=True, **rest)
    else:
        da = gemm2(dy, b, transpose_b=not turn_b, **rest)
    if turn_b:
        db = gemm2(dy, a, transpose_a=True, transpose_b=turn_a, **rest)
    else:
        db = gemm2(a, dy, transpose_a=not turn_a, **rest)
    return da, db


def _grad_gemm(saved: Saved, dy: Any) -> tuple[Any, Any, Any]:
    da, db = _grad_gemm2(saved, dy)
    return da, db, dy * saved.params["beta"]


@operator("_linalg_gemm", "linalg_gemm", grad=_grad_gemm)
def gemm(
    A: TensorType,
    B: TensorType,
    C: TensorType,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> TensorType:
    """Return ``alpha · A · B + beta · C``.

    Args:
        A: ``[*batch, M, K]``, float32 or float64; ``[*batch, K, M]`` with ``transpose_a``.
        B: ``[*batch, K, N]``; ``[*batch, N, K]`` with ``transpose_b``.
        C: ``[*batch, M, N]``.
        transpose_a: Take the transpose of each matrix of ``A``.
        transpose_b: Take the transpose of each matrix of ``B``.
        alpha: Factor of the product.
        beta: Factor of ``C``.
        axis: The axis of the rows in all operands; the columns are the last axis.

    Returns:
        ``[*batch, M, N]``.

    Raises:
        ShapeError: The sizes of the matrices or the batch shapes do not match.
    """
    y = _product_shape(A, B, transpose_a, transpose_b, axis)
    same_dtype(A, C)
    C.set_shape(y)
    return C


@operator("_linalg_gemm2", "linalg_gemm2", grad=_grad_gemm2)
def gemm2(
    A: TensorType,
    B: TensorType,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
) -> TensorType:
    """Return ``alpha · A · B``.

    Args:
        A: ``[*batch, M, K]``, float32 or float64; ``[*batch, K, M]`` with ``transpose_a``.
        B: ``[*batch, K, N]``; ``[*batch, N, K]`` with ``transpose_b``.
        transpose_a: Take the transpose of each matrix of ``A``.
        transpose_b: Take the transpose of each matrix of ``B``.
        alpha: Factor of the product.
        axis: The axis of the rows in all operands; the columns are the last axis.

    Returns:
        ``[*batch, M, N]``.

    Raises:
        ShapeError: The sizes of the matrices or the batch shapes do not match.

    Example:
        >>> from hy_ndarray import nd
        >>> nd.linalg.gemm2(nd.ones((2, 3)), nd.ones((3, 1)), alpha=2).asnumpy()
        array([[6.],
               [6.]], dtype=float32)
    """
    return A.with_shape(_product_shape(A, B, transpose_a, transpose_b, axis))


def _grad_syrk(saved: Saved, dy: Any) -> tuple[Any]:
    (a,) = saved.inputs
    alpha = saved.params["alpha"]
    if saved.params["transpose"]:
        return (gemm2(a, dy, alpha=alpha) + gemm2(a, dy, transpose_b=True, alpha=alpha),)
    return (gemm2(dy, a, alpha=alpha) + gemm2(dy, a, transpose_a=True, alpha=alpha),)


@operator("_linalg_syrk", "linalg_syrk", grad=_grad_syrk)
def syrk(A: TensorType, *, transpose: bool = False, alpha: float = 1.0) -> TensorType:
    """Return ``alpha · A · Aᵀ``, or ``alpha · Aᵀ · A`` with ``transpose``.

    Args:
        A: ``[*batch, M, N]``, float32 or float64.
        transpose: Whether the transpose is the left factor.
        alpha: Factor of the product.

    Returns:
        ``[*batch, M, M]``; ``[*batch, N, N]`` with ``transpose``.

    Raises:
        ShapeError: ``A`` has fewer than two axes.
    """
    matrices(A)
    if A.shape is None:
        return A.with_shape(None)
    *batch, rows, columns = A.shape
    size = columns if transpose else rows
    return A.with_shape((*batch, size, size))


def _check_triangular(a: TensorType, b: TensorType, rightside: bool) -> None:
    matrices(a, square=True)
    matrices(a, b)
    if a.shape is None or b.shape is None:
        return
    size = a.shape[-1]
    if len(a.shape) != len(b.shape):
        raise ShapeError(
            f"A {show(a.shape)} and B {show(b.shape)} must have the same number of axes"
        )
    a.set_shape((*b.shape[:-2], *a.shape[-2:]))
    b.set_shape((*a.shape[:-2], *((None, size) if rightside else (size, None))))


def _triangle_gradient(a: Any, left: Any, right: Any, params: Params, alpha: float) -> Any:
    """Return the gradient to the triangular factor ``a`` of ``trmm`` or ``trsm``.

    It is the triangle of ``alpha · left · rightᵀ``, or of ``alpha · leftᵀ · right`` with
    ``rightside``; ``left`` and ``right`` are swapped if only one of ``rightside`` and ``transpose``
    is set.
    """
    if params["rightside"] != params["transpose"]:
        left, right = right, left
    transposition = {"transpose_a": True} if params["rightside"] else {"transpose_b": True}
    return triangle(gemm2(left, right, alpha=alpha, **transposition), lower=params["lower"])


def _grad_trmm(saved: Saved, dy: Any) -> tuple[Any, Any]:
    a, b = saved.inputs
    params = dict(saved.params)
    da = _triangle_gradient(a, dy, b, params, params["alpha"])
    params["transpose"] = not params["transpose"]
    return da, trmm(a, dy, **params)


@operator("_linalg_trmm", "linalg_trmm", grad=_grad_trmm)
def trmm(
    A: TensorType,
    B: TensorType,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> TensorType:
    """Return ``alpha · A · B`` with a triangular ``A``; ``alpha · B · A`` with ``rightside``.

    Args:
        A: ``[*batch, M, M]``, float32 or float64; only one triangle is read.
        B: ``[*batch, M, N]``; ``[*batch, N, M]`` with ``rightside``.
        transpose: Multiply by the transpose of ``A``.
        rightside: Whether ``A`` is the right factor.
        lower: Whether ``A`` is lower triangular; else it is upper triangular.
        alpha: Factor of the product.

    Returns:
        The shape of ``B``.

    Raises:
        ShapeError: ``A`` is not square, or does not match ``B``.
    """
    _check_triangular(A, B, rightside)
    return B


def _grad_trsm(saved: Saved, dy: Any) -> tuple[Any, Any]:
    a, _ = saved.inputs
    params = dict(saved.params)
    transposed_params = {**params, "transpose": not params["transpose"], "alpha": 1.0}
    solved = trsm(a, dy, **transposed_params)
    da = _triangle_gradient(a, solved, saved.outputs[0], params, -1.0)
    return da, solved * params["alpha"]


@operator("_linalg_trsm", "linalg_trsm", grad=_grad_trsm)
def trsm(
    A: TensorType,
    B: TensorType,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> TensorType:
    """Solve ``A · X = alpha · B`` for ``X``, with a triangular ``A``; or ``X · A = alpha · B``.

    Args:
        A: ``[*batch, M, M]``, float32 or float64; only one triangle is read.
        B: ``[*batch, M, N]``; ``[*batch, N, M]`` with ``rightside``.
        transpose: Take the transpose of ``A``.
        rightside: Whether ``A`` is the right factor.
        lower: Whether ``A`` is lower triangular; else it is upper triangular.
        alpha: Factor of ``B``.

    Returns:
        ``X``, in the shape of ``B``.

    Raises:
        ShapeError: ``A`` is not square, or does not match ``B``.
        KernelError: ``A`` is singular.
    """
    _check_triangular(A, B, rightside)
    return B


@operator("_linalg_triangle", grad=gradient_by("_linalg_triangle"))
def triangle(A: TensorType, *, lower: bool = True) -> TensorType:
    """Return the lower (or upper) triangle of ``A``, with zeros elsewhere."""
    matrices(A)
    return A


@operator("_linalg_symmetric_of", grad=gradient_by("_linalg_symmetric_gradient"))
def symmetric_of(A: TensorType, *, lower: bool = True) -> TensorType:
    """Return the symmetric matrix whose lower (or upper) triangle is that of ``A``."""
    matrices(A, square=True)
    return A


@operator("_linalg_symmetric_gradient", grad=gradient_by("_linalg_symmetric_of"))
def symmetric_gradient(A: TensorType, *, lower: bool = True) -> TensorType:
    """Return the gradient of ``_linalg_symmetric_of``; ``A`` is the gradient of its result."""
    matrices(A, square=True)
    return A


@operator("_linalg_extractdiag", "linalg_extractdiag", grad=gradient_by("_linalg_makediag"))
def extract_diagonal(A: TensorType, *, offset: int = 0) -> TensorType:
    """Return a diagonal of each matrix as a vector.

    Args:
        A: ``[*batch, N, N]``.
        offset: The diagonal: above the main one if positive, below it if negative.

    Returns:
        ``[*batch, N - |offset|]``.

    Raises:
        ShapeError: ``A`` is not square, or has no such diagonal.
    """
    matrices(A, square=True)
    if A.shape is None:
        return A.with_shape(None)
    return A.with_shape((*A.shape[:-2], _diagonal_length(A, offset)))


def _diagonal_length(a: TensorType, offset: int) -> int | None:
    assert a.shape is not None
    size = a.shape[-1]
    if size is None:
        return None
    if size <= abs(offset):
        raise ShapeError(f"offset={offset} is outside the matrix A {show(a.shape)}")
    return size - abs(offset)


@operator("_linalg_makediag", "linalg_makediag", grad=gradient_by("_linalg_extractdiag"))
def make_diagonal(A: TensorType, *, offset: int = 0) -> TensorType:
    """Return matrices with ``A`` on a diagonal and zeros elsewhere.

    Args:
        A: ``[*batch, N]``.
        offset: The diagonal: above the main one if positive, below it if negative.

    Returns:
        ``[*batch, N + |offset|, N + |offset|]``.

    Raises:
        ShapeError: ``A`` has no axis.
    """
    if A.shape is None:
        return A.with_shape(None)
    if not A.shape:
        raise ShapeError("A () must have at least one axis")
    size = None if A.shape[-1] is None else A.shape[-1] + abs(offset)
    return A.with_shape((*A.shape[:-1], size, size))


@operator("_linalg_extracttrian", "linalg_extracttrian", grad=gradient_by("_linalg_maketrian"))
def extract_triangle(A: TensorType, *, offset: int = 0, lower: bool = True) -> TensorType:
    """Return a triangle of each matrix as a vector: lower ones by rows, upper ones by columns.

    Args:
        A: ``[*batch, N, N]``.
        offset: The diagonal that bounds the triangle: the upper triangle from that diagonal on if
            positive, the lower one if negative.
        lower: With ``offset=0``, the lower triangle if true, else the upper one.

    Returns:
        ``[*batch, M * (M + 1) / 2]`` with ``M = N - |offset|``.

    Raises:
        ShapeError: ``A`` is not square, or has no such diagonal.
    """
    matrices(A, square=True)
    if A.shape is None:
        return A.with_shape(None)
    side = _diagonal_length(A, offset)
    return A.with_shape((*A.shape[:-2], None if side is None else side * (side + 1) // 2))


@operator("_linalg_maketrian", "linalg_maketrian", grad=gradient_by("_linalg_extracttrian"))
def make_triangle(A: TensorType, *, offset: int = 0, lower: bool = True) -> TensorType:
    """Return matrices with ``A`` in a triangle, else zero; the inverse of ``extracttrian``.

    Args:
        A: ``[*batch, M * (M + 1) / 2]``.
        offset: The diagonal that bounds the triangle: the upper one if positive, the lower one
            if negative.
        lower: With ``offset=0``, the lower triangle if true, else the upper one.

    Returns:
        ``[*batch, M + |offset|, M + |offset|]``.

    Raises:
        ShapeError: The last size of ``A`` is not ``M * (M + 1) / 2`` for any ``M``.
    """
    if A.shape is None:
        return A.with_shape(None)
    if not A.shape:
        raise ShapeError("A () must have at least one axis")
    size = None
    count = A.shape[-1]
    if count is not None:
        side = (isqrt(8 * count + 1) - 1) // 2
        if side * (side + 1) // 2 != count:
            raise ShapeError(
                f"the last axis of A {show(A.shape)} must have n (n + 1) / 2 elements, as a "
                f"triangle has; got {count}"
            )
        size = side + abs(offset)
    return A.with_shape((*A.shape[:-1], size, size))
